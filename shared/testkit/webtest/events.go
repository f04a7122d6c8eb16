package webtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/lambda/lambdahttp"
)

// maxShown is how many bytes of JSON a golden file holds. Documents, pages and files have tests of their own, and would
// change these with every word in them.
const maxShown = 4 << 10

// Events sends each sample event of a function through the handler that setup makes for it, as Lambda would, and compares
// the answer with testdata/<case>.golden.json. setup also returns what the event's placeholders stand for: {{admin-key}}
// becomes the API key of an admin, here and in `make invoke`.
func Events(t *testing.T, function string, setup func(testing.TB) (http.Handler, map[string]string)) {
	t.Helper()
	Samples(t, function, func(t *testing.T, golden string, payload []byte) {
		handler, values := setup(t)
		GoldenJSON(t, golden, play(t, handler, fill(t, payload, values)))
	})
}

// Samples runs a test for each sample event of a function, with the name of its golden file and the event.
func Samples(t *testing.T, function string, test func(t *testing.T, golden string, payload []byte)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "events", function, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("events/%s has no sample events: %v", function, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			payload, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			test(t, name+".golden.json", payload)
		})
	}
}

func fill(tb testing.TB, text []byte, values map[string]string) events.APIGatewayV2HTTPRequest {
	tb.Helper()
	for name, value := range values {
		text = bytes.ReplaceAll(text, []byte("{{"+name+"}}"), []byte(value))
	}
	var event events.APIGatewayV2HTTPRequest
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields() // what API Gateway never sends
	if err := decoder.Decode(&event); err != nil {
		tb.Fatal(err)
	}
	return event
}

// shown is the part of an answer that a golden file keeps.
type shown struct {
	Status  int               `json:"statusCode"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body,omitempty"`
}

func play(tb testing.TB, handler http.Handler, event events.APIGatewayV2HTTPRequest) []byte {
	tb.Helper()
	answer, err := lambdahttp.Handler(handler)(tb.Context(), event)
	if err != nil {
		tb.Fatal(err)
	}
	delete(answer.Headers, "Content-Length") // follows from the body, and changes with what is made even
	mediaType := answer.Headers["Content-Type"]
	body := any(fmt.Sprintf("(%s, not shown)", mediaType))
	if strings.HasSuffix(mediaType, "json") && len(answer.Body) <= maxShown {
		body = json.RawMessage(answer.Body)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(shown{answer.StatusCode, answer.Headers, body}); err != nil {
		tb.Fatalf("the answer's body is not what its Content-Type says: %v", err)
	}
	return even(text.Bytes())
}

// random are the values that differ from run to run, each with the name that a golden file has for it.
var random = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"uuid", regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)},
	{"credential", regexp.MustCompile(`ps[klpt]_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}`)},
	{"version", regexp.MustCompile(`W/\\"[0-9a-f]{16}\\"`)},
}

// even replaces random values by numbered names: equal values keep equal names, so that what belongs together shows.
func even(text []byte) []byte {
	for _, kind := range random {
		names := map[string]string{}
		text = kind.pattern.ReplaceAllFunc(text, func(value []byte) []byte {
			if names[string(value)] == "" {
				names[string(value)] = fmt.Sprintf("<%s %d>", kind.name, len(names)+1)
			}
			return []byte(names[string(value)])
		})
	}
	return text
}
