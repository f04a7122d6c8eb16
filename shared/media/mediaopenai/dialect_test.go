package mediaopenai

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"portside/shared/media/mediaprompt"
)

// Servers word the same error in many ways. The test checks which dialect is tried next.
func TestDialectAfterErrorsOfManyServers(t *testing.T) {
	byObject, byWords := dialect{answerForm: formObject}, dialect{answerForm: formProse}
	for _, test := range []struct {
		body string
		from dialect
		next dialect
		is   error
	}{
		{`{"error": {"message": "Use 'max_completion_tokens' instead.", "param": "max_tokens", "code": "unsupported_parameter"}}`,
			dialect{}, dialect{newTokenLimit: true}, nil},
		{`{"error": {"message": "Unsupported value: 'temperature' does not support 0", "param": "temperature", "code": "unsupported_value"}}`,
			dialect{}, dialect{noTemperature: true}, nil},
		{`{"error": {"message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported", "param": null}}`, dialect{}, byObject, nil},
		{`{"error": {"message": "bad", "param": "response_format.type", "code": null}}`, byObject, byWords, nil},
		{`{"error": {"code": 400, "message": "Failed to parse grammar", "type": "invalid_request_error"}}`, dialect{}, byObject, nil},
		{`{"object": "error", "message": "guided decoding is not available", "code": 400}`, dialect{}, byObject, nil},
		{`{"detail": [{"loc": ["body", "response_format"], "msg": "extra fields not permitted"}]}`, dialect{}, byObject, nil},
		{`response_format is not supported`, dialect{}, byObject, nil},
		{`{"error": "structured output is not supported"}`, byWords, byWords, nil},
		{`{"error": {"message": "no such thing", "param": "messages"}}`, dialect{}, dialect{}, nil},
		{`{"error": {"message": "This model's maximum context length is 4096 tokens; reduce max_tokens", "code": null}}`,
			dialect{}, dialect{}, mediaprompt.ErrTooLong},
		{`{"error": {"code": 400, "message": "the request exceeds the available context size"}}`, dialect{}, dialect{}, mediaprompt.ErrTooLong},
		{``, dialect{}, dialect{}, nil},
	} {
		t.Run(fmt.Sprintf("%.80s", test.body), func(t *testing.T) {
			err := errorOf(&http.Response{StatusCode: http.StatusBadRequest, Body: io.NopCloser(strings.NewReader(test.body))})
			next, changed := test.from.simplify(err)
			if next != test.next || changed != (test.next != test.from) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%+v, %v", next, err)
			}
			for _, word := range []string{"not supported", "instead", "maximum", "available"} {
				if strings.Contains(fmt.Sprint(err), word) {
					t.Errorf("the message is in %v", err)
				}
			}
		})
	}
}

// An error contains a code only if the code looks like an identifier.
func TestOnlyIdentifiersAreErrorCodes(t *testing.T) {
	for text, want := range map[string]string{
		"rate_limit_exceeded": "rate_limit_exceeded", "messages.[0].content": "messages.[0].content", "Total: 5": "", "a\nb": "",
		strings.Repeat("a", 61): "",
	} {
		if got := identifier(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
