// Package mediatest has model services for tests: HTTP servers with the protocols of OpenAI, Amazon
// Bedrock and Amazon Transcribe. They check every request as strictly as the real services, fail the
// test on a request that the real service would reject, and fail on demand as the real services do.
//
// Instead of a model, rules read the prompt: they find the blocks by their fences
// and a variable by its name in front of a colon, and fill the schema. In a picture they see the text
// that the test has set, if the bytes really are a picture. So a test covers the whole way from a
// document to an answer, and a prompt that no model could follow gets no answer here either. Other
// rules behave like models that hallucinate, or that obey documents.
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

// Prompt is a parsed prompt.
type Prompt struct {
	Rules    string
	Blocks   map[string]string // text between fences, by the name of the block
	Schema   map[string]any    // of the answer
	Mark     string            // of the fences
	Pictures []Picture         // attached to the prompt
}

// Model returns the text of the answer to a prompt.
type Model func(Prompt) string

// Behavior is how a server answers. The zero Behavior is a service without failures that has an
// honest model.
type Behavior struct {
	Model       Model    // nil: Honest
	Failures    int      // number of requests that fail with Status first
	Status      int      // of failures
	RetryAfter  string   // header of failures
	Code        string   // in the body of failures
	Message     string   // in the body of failures; empty: a message to try again
	Drop        bool     // failures close the connection without a response
	CutAfter    int      // bytes of the body, after which the connection is closed; 0: not at all
	Body        string   // instead of an answer
	ContentType string   // instead of application/json
	Stop        string   // finish_reason or stopReason instead of the usual one
	Refusal     string   // refusal of the model
	Hang        func()   // called instead of answering; the client must then cancel
	Unsupported []string // features that the server rejects, such as json_schema, max_tokens, temperature, verbose_json, pictures
}

// server has the common parts of the services.
type server struct {
	tb        testing.TB
	mu        sync.Mutex
	behaviour Behavior
	failed    int
	prompts   []Prompt
	requests  int
	words     map[[sha256.Size]byte]string // text of pictures, by checksum
}

// SetBehavior changes the behavior from the next request on.
func (s *server) SetBehavior(b Behavior) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviour, s.failed = b, 0
}

// Requests returns the number of requests.
func (s *server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Prompts returns the prompts that were answered.
func (s *server) Prompts() []Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.prompts)
}

// countRequest counts a request and returns the behavior for it.
func (s *server) countRequest() (b Behavior, fails bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if s.failed < s.behaviour.Failures {
		s.failed++
		return s.behaviour, true
	}
	return s.behaviour, false
}

// errAttachmentMismatch means that the block attachment does not name the pictures of the prompt.
var errAttachmentMismatch = errors.New("the pictures do not match the block attachment")

// withPictures adds the pictures to a prompt. The data must name them, because a model would otherwise
// take them for ours instead of a stranger's.
func (p Prompt) withPictures(pictures []Picture) (Prompt, error) {
	var types []string
	for _, s := range pictures {
		types = append(types, s.MediaType)
	}
	if p.Blocks["attachment"] != strings.Join(types, "\n") {
		return p, errAttachmentMismatch
	}
	p.Pictures = pictures
	return p, nil
}

// answer returns the answer of the model.
func (s *server) answer(b Behavior, p Prompt) string {
	s.mu.Lock()
	for i := range p.Pictures {
		p.Pictures[i].Words = s.wordsOf(p.Pictures[i])
	}
	repeated := slices.ContainsFunc(s.prompts, func(old Prompt) bool { return old.Mark == p.Mark && !reflect.DeepEqual(old, p) })
	s.prompts = append(s.prompts, p)
	s.mu.Unlock()
	if repeated {
		s.tb.Errorf("mediatest: two prompts have the same fence")
	}
	if b.Model == nil {
		return Honest(p)
	}
	return b.Model(p)
}

var fences = regexp.MustCompile(`\[END name ([A-Z2-7]{26,})\]`)

// parsePrompt parses a prompt. It ignores other fences in a document.
func parsePrompt(rules, data string, schema map[string]any) (Prompt, error) {
	match := fences.FindStringSubmatch(rules)
	if match == nil {
		return Prompt{}, fmt.Errorf("the rules do not name a fence of at least 128 bits")
	}
	p := Prompt{Rules: rules, Blocks: map[string]string{}, Schema: schema, Mark: match[1]}
	for rest := data; strings.TrimSpace(rest) != ""; {
		name, body, remaining, err := p.parseBlock(rest)
		if err != nil {
			return Prompt{}, err
		}
		p.Blocks[name], rest = body, remaining
	}
	if len(p.Blocks) == 0 {
		return Prompt{}, fmt.Errorf("there is no data")
	}
	return p, nil
}

func (p Prompt) parseBlock(text string) (name, body, rest string, err error) {
	line, after, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	name, ok := strings.CutPrefix(line, "[BEGIN ")
	name, hasMark := strings.CutSuffix(name, " "+p.Mark+"]")
	if !ok || !hasMark {
		return "", "", "", fmt.Errorf("there is text outside the fences")
	}
	body, rest, hasEnd := strings.Cut(after, "\n[END "+name+" "+p.Mark+"]")
	if !hasEnd {
		return "", "", "", fmt.Errorf("the block %s does not end", name)
	}
	return name, body, rest, nil
}

// toJSON encodes a value of this package.
func toJSON(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err) // cannot happen: all values are plain
	}
	return string(out)
}
