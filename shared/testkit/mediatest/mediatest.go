// Package mediatest is model services for tests: HTTP servers that speak the protocols of OpenAI and Amazon Bedrock, check
// every request as strictly as the services do (and fail the test on one that they would refuse), and fail on demand as
// the services do.
//
// Behind them is no model but rules that read the prompt: they find the blocks by their fences, a variable by its name
// in front of a colon, and fill the schema. In a picture they see the words that a test has told the server to stand there, if it
// really is a picture. So a test goes the whole way from a document to an answer, and a prompt
// that a model could not follow gets no answer here either. Other rules play models that lie, or that obey documents.
package mediatest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Prompt is what a model is asked, taken apart.
type Prompt struct {
	Rules  string
	Blocks map[string]string // what stands between fences, by the name of the block
	Schema map[string]any    // of the answer
	Mark   string            // of the fences
	Seen   []Picture         // what came with it, to look at
}

// Model answers a prompt with the text that the service passes on.
type Model func(Prompt) string

// Behaviour is how a server answers. The zero Behaviour is a good service with an honest model.
type Behaviour struct {
	Model       Model    // nil: Honest
	Failures    int      // so many requests fail with Status first
	Status      int      // of failures
	RetryAfter  string   // header of failures
	Code        string   // in the body of failures
	Message     string   // in the body of failures, in place of one to try again
	Drop        bool     // failures are connections that end without an answer
	CutAfter    int      // bytes of the body, then the connection ends; 0: none
	Body        string   // in place of an answer
	ContentType string   // in place of application/json
	Stop        string   // finish_reason or stopReason in place of the usual one
	Refusal     string   // the model's
	Hang        func()   // called instead of answering; then the client has to leave
	Without     []string // what the server does not support, such as json_schema, max_tokens, temperature, verbose_json, pictures
}

// server is what the services have in common.
type server struct {
	tb        testing.TB
	mu        sync.Mutex
	behaviour Behaviour
	failed    int
	prompts   []Prompt
	requests  int
	words     map[[sha256.Size]byte]string // of pictures
}

// Behave changes the answers from the next request on.
func (s *server) Behave(b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviour, s.failed = b, 0
}

// Requests is how many came in.
func (s *server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Prompts are those that were answered.
func (s *server) Prompts() []Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.prompts)
}

// begin counts a request and says how to answer it.
func (s *server) begin() (b Behaviour, fails bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if s.failed < s.behaviour.Failures {
		s.failed++
		return s.behaviour, true
	}
	return s.behaviour, false
}

// errUnannounced is about pictures that the data do not name, or the other way round.
var errUnannounced = errors.New("what is shown is not what the block attachment says")

// show adds what came with a prompt, which its data must announce: else a model takes it for something of ours.
func (p Prompt) show(seen []Picture) (Prompt, error) {
	var types []string
	for _, s := range seen {
		types = append(types, s.MediaType)
	}
	if p.Blocks["attachment"] != strings.Join(types, "\n") {
		return p, errUnannounced
	}
	p.Seen = seen
	return p, nil
}

// answer lets the model answer.
func (s *server) answer(b Behaviour, p Prompt) string {
	s.mu.Lock()
	for i := range p.Seen {
		p.Seen[i].Words = s.wordsOf(p.Seen[i])
	}
	repeated := slices.ContainsFunc(s.prompts, func(old Prompt) bool { return old.Mark == p.Mark && !reflect.DeepEqual(old, p) })
	s.prompts = append(s.prompts, p)
	s.mu.Unlock()
	if repeated {
		s.tb.Errorf("mediatest: two questions have the same fence")
	}
	if b.Model == nil {
		return Honest(p)
	}
	return b.Model(p)
}

var fences = regexp.MustCompile(`\[END name ([A-Z2-7]{26,})\]`)

// take takes a prompt apart. A document that holds other fences changes nothing.
func take(rules, data string, schema map[string]any) (Prompt, error) {
	match := fences.FindStringSubmatch(rules)
	if match == nil {
		return Prompt{}, fmt.Errorf("the rules name no fence of at least 128 bits")
	}
	p := Prompt{Rules: rules, Blocks: map[string]string{}, Schema: schema, Mark: match[1]}
	for rest := data; strings.TrimSpace(rest) != ""; {
		name, body, behind, err := p.block(rest)
		if err != nil {
			return Prompt{}, err
		}
		p.Blocks[name], rest = body, behind
	}
	if len(p.Blocks) == 0 {
		return Prompt{}, fmt.Errorf("there are no data")
	}
	return p, nil
}

func (p Prompt) block(text string) (name, body, rest string, err error) {
	line, after, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	name, ok := strings.CutPrefix(line, "[BEGIN ")
	name, marked := strings.CutSuffix(name, " "+p.Mark+"]")
	if !ok || !marked {
		return "", "", "", fmt.Errorf("something stands outside of the fences")
	}
	body, rest, closed := strings.Cut(after, "\n[END "+name+" "+p.Mark+"]")
	if !closed {
		return "", "", "", fmt.Errorf("the block %s does not end", name)
	}
	return name, body, rest, nil
}

// written is JSON of a value that has it.
func written(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err) // a value of this package
	}
	return string(out)
}
