package apifuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Caller is a user who sends requests, with their credential.
type Caller struct {
	Name         string
	Header       http.Header
	HasNoAccount bool // any answer of success to an operation that is not public is a finding
}

// Fuzzer sends requests, one after the other. The same seed and the same answers make the same requests.
type Fuzzer struct {
	Answered map[string]int // the number of answers by operation and status

	document *Document
	base     string
	sender   http.RoundTripper
	values   values
	callers  []Caller
	seen     map[string][]string // IDs and names in answers, by the path of the collection
	kept     map[string]bool     // values that no path gets
	cursors  map[string]string   // of the next page, by the path of the list
}

// New returns a fuzzer of the API at the address.
func New(document *Document, address string, sender http.RoundTripper, seed uint64) *Fuzzer {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // repeatable
	return &Fuzzer{
		Answered: map[string]int{}, document: document, base: address, sender: sender,
		values: values{random, document}, seen: map[string][]string{}, kept: map[string]bool{}, cursors: map[string]string{},
	}
}

// Keep makes sure that no path contains an ID or a name.
func (f *Fuzzer) Keep(value string) { f.kept[value] = true }

// Know makes later paths contain the ID of a member of a collection, as if an answer had shown it.
func (f *Fuzzer) Know(collection, id string) { f.remember(collection, id) }

// SetCallers replaces the callers.
func (f *Fuzzer) SetCallers(callers ...Caller) { f.callers = callers }

// Step sends one request and checks the answer. The error describes the request and what the document does not allow
// about its answer.
func (f *Fuzzer) Step(ctx context.Context) error {
	r := f.newRequest()
	a, err := f.send(ctx, r)
	if err == nil {
		f.Answered[r.operation.Method+" "+r.operation.Path+" "+strconv.Itoa(a.status)]++
		err = f.check(r, a)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r, err)
	}
	if a.status < http.StatusMultipleChoices {
		f.learn(r.path, strings.HasSuffix(r.operation.Path, "}"), a.body)
	}
	return nil
}

// reply is an answer that was read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (f *Fuzzer) send(ctx context.Context, r request) (reply, error) {
	sent, err := http.NewRequestWithContext(ctx, r.operation.Method, f.base+r.target, bytes.NewReader(r.body))
	if err != nil {
		return reply{}, fmt.Errorf("build the request: %w", err)
	}
	sent.Header = r.header.Clone()
	maps.Copy(sent.Header, r.caller.Header)
	answer, err := f.sender.RoundTrip(sent) // does not follow redirects
	if err != nil {
		return reply{}, fmt.Errorf("no answer: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return reply{}, fmt.Errorf("read the answer: %w", err)
	}
	return reply{answer.StatusCode, answer.Header, body}, nil
}

// check compares the answer with the document.
func (f *Fuzzer) check(r request, a reply) error {
	documented, ok := r.operation.answers[strconv.Itoa(a.status)]
	media, _, _ := mime.ParseMediaType(a.header.Get("Content-Type")) // "" is never documented
	schema, isDocumented := documented[media]
	switch {
	case a.status == http.StatusRequestEntityTooLarge && isFromGateway(a.body):
		return nil // the introduction of the document describes it
	case a.status >= http.StatusInternalServerError || !ok:
		return fmt.Errorf("undocumented status %d: %.500s", a.status, a.body)
	case a.header.Get("X-Request-Id") == "":
		return fmt.Errorf("status %d has no X-Request-Id", a.status)
	case r.caller.HasNoAccount && !r.operation.IsPublic && a.status < http.StatusBadRequest:
		return fmt.Errorf("status %d without a valid credential", a.status)
	case len(documented) == 0 && len(a.body) == 0:
		return nil
	case !isDocumented:
		return fmt.Errorf("status %d has the undocumented media type %q: %.500s", a.status, media, a.body)
	}
	return checkBody(a.status, schema, a.body)
}

func checkBody(status int, schema *jsonschema.Schema, body []byte) error {
	if schema == nil {
		return nil
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = schema.Validate(decoded)
	}
	if err != nil {
		return fmt.Errorf("status %d has a body that the document does not allow: %w\n%.1000s", status, err, body)
	}
	return nil
}

// isFromGateway reports whether the body is an answer of the gateway itself, {"message": "…"}.
func isFromGateway(body []byte) bool {
	var message map[string]string
	return json.Unmarshal(body, &message) == nil && len(message) == 1 && message["message"] != ""
}

// maxSeen bounds what the fuzzer remembers of one collection.
const maxSeen = 200

// learn remembers the IDs and names in an answer, so that later paths contain them. Those of one resource are also
// known in its collection.
func (f *Fuzzer) learn(path string, isResource bool, body []byte) {
	var decoded any
	if json.Unmarshal(body, &decoded) != nil {
		return
	}
	list, _ := decoded.(object)
	pagination, _ := list["pagination"].(object)
	if next, hasNext := pagination["next"].(string); hasNext {
		f.cursors[path] = next
	}
	f.learnFrom(path, decoded)
	if end := strings.LastIndex(path, "/"); isResource && end > 0 {
		f.learnFrom(path[:end], decoded)
	}
}

func (f *Fuzzer) learnFrom(collection string, node any) {
	switch node := node.(type) {
	case object:
		for _, name := range []string{"id", "uploadId", "name", "version"} {
			if text, ok := node[name].(string); ok && text != "" && !f.kept[text] {
				f.remember(collection, text)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(node)) {
			f.learnFrom(collection, node[name])
		}
	case []any:
		for _, child := range node {
			f.learnFrom(collection, child)
		}
	}
}

func (f *Fuzzer) remember(collection, value string) {
	if seen := f.seen[collection]; len(seen) < maxSeen {
		f.seen[collection] = append(seen, value)
	} else {
		seen[f.values.IntN(maxSeen)] = value
	}
}
