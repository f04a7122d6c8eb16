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

// maxGoldenBytes is the largest JSON body that a golden file contains. Larger documents have separate tests, and would
// change the golden files too often.
const maxGoldenBytes = 4 << 10

// Events sends each sample event of a function to the handler that setup returns, as Lambda would, and compares the
// response with testdata/<case>.golden.json. setup also returns the values of the event's placeholders: {{admin-key}}
// stands for the API key of an admin, here and in `make invoke`.
func Events(t *testing.T, function string, setup func(testing.TB) (http.Handler, map[string]string)) {
	t.Helper()
	EachSampleEvent(t, function, func(t *testing.T, golden string, payload []byte) {
		handler, values := setup(t)
		GoldenJSON(t, golden, send(t, handler, fill(t, payload, values)))
	})
}

// EachSampleEvent runs a test for each sample event of a function, with the name of its golden file and the event.
func EachSampleEvent(t *testing.T, function string, test func(t *testing.T, golden string, payload []byte)) {
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

// fill returns the event with the values of its placeholders.
func fill(tb testing.TB, text []byte, values map[string]string) events.APIGatewayV2HTTPRequest {
	tb.Helper()
	for name, value := range values {
		text = bytes.ReplaceAll(text, []byte("{{"+name+"}}"), []byte(value))
	}
	var event events.APIGatewayV2HTTPRequest
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields() // API Gateway sends no unknown fields
	if err := decoder.Decode(&event); err != nil {
		tb.Fatal(err)
	}
	return event
}

// goldenResponse is the part of a response that a golden file contains.
type goldenResponse struct {
	Status  int               `json:"statusCode"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body,omitempty"`
}

// send sends an event to the handler and returns the response as JSON for a golden file.
func send(tb testing.TB, handler http.Handler, event events.APIGatewayV2HTTPRequest) []byte {
	tb.Helper()
	response, err := lambdahttp.Handler(handler)(tb.Context(), event)
	if err != nil {
		tb.Fatal(err)
	}
	delete(response.Headers, "Content-Length") // changes with the random values
	mediaType := response.Headers["Content-Type"]
	body := any(fmt.Sprintf("(%s, not shown)", mediaType))
	if strings.HasSuffix(mediaType, "json") && len(response.Body) <= maxGoldenBytes {
		body = json.RawMessage(response.Body)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(goldenResponse{response.StatusCode, response.Headers, body}); err != nil {
		tb.Fatalf("the response body is not JSON, unlike its Content-Type: %v", err)
	}
	return replaceRandomValues(text.Bytes())
}

// randomValues are the values that differ from run to run, or with every change of a script, each with its name in
// golden files.
var randomValues = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"uuid", regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)},
	{"credential", regexp.MustCompile(`ps[bklpst]_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}`)},
	{"hash", regexp.MustCompile(`sha256-[0-9A-Za-z+/]{43}=`)},
	{"version", regexp.MustCompile(`W/\\"[0-9a-f]{16}\\"`)},
	{"id", regexp.MustCompile(`"credentialId":"([0-9A-Za-z]{12})"`)},
}

// replaceRandomValues replaces random values by numbered names. Equal values get the same name.
func replaceRandomValues(text []byte) []byte {
	for _, kind := range randomValues {
		names := map[string]string{}
		text = kind.pattern.ReplaceAllFunc(text, func(found []byte) []byte {
			parts := kind.pattern.FindSubmatch(found)
			value := parts[len(parts)-1] // the group, if the pattern has one
			if names[string(value)] == "" {
				names[string(value)] = fmt.Sprintf("<%s %d>", kind.name, len(names)+1)
			}
			return bytes.Replace(found, value, []byte(names[string(value)]), 1)
		})
	}
	return text
}
