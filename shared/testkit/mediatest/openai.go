package mediatest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// OpenAI is a server with OpenAI's endpoints for chat completions and transcriptions.
type OpenAI struct {
	server
	URL   string // the base URL
	Key   string // the key that requests must have
	Model string // the only model of the server
	// Speech is the response for each recording, as verbose_json.
	Speech string
	// Forms has the fields of the transcription requests, with the file as "file".
	Forms []map[string]string
}

// StartOpenAI starts a server that stops at the end of the test.
func StartOpenAI(tb testing.TB) *OpenAI {
	tb.Helper()
	s := &OpenAI{server: server{tb: tb}, Key: "key-of-the-test", Model: "model-of-the-test"}
	mux := http.NewServeMux()
	mux.HandleFunc("/base/v1/chat/completions", s.serve(s.chat))
	mux.HandleFunc("/base/v1/audio/transcriptions", s.serve(s.transcribe))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		tb.Errorf("mediatest: unexpected %s %s", r.Method, r.URL.Path)
		http.NotFound(w, r)
	})
	running := httptest.NewServer(mux)
	tb.Cleanup(running.Close)
	s.URL = running.URL + "/base/v1"
	return s
}

// unsupported is an error about a feature that the server does not support.
type unsupported struct{ param, message string }

func (u *unsupported) Error() string { return u.message }

// serve checks the headers, fails if the behavior says so, and answers.
func (s *OpenAI) serve(answer func(*http.Request, Behavior) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b, fails := s.countRequest()
		if err := s.checkHeaders(r); err != nil {
			s.failTest(w, err)
			return
		}
		body, err := answer(r, b)
		refused, isRefusal := errors.AsType[*unsupported](err)
		switch {
		case isRefusal:
			reply(w, http.StatusBadRequest, openAIError("unsupported_value", refused.param, refused.message))
		case err != nil:
			s.failTest(w, err)
		case fails && b.Drop:
			panic(http.ErrAbortHandler)
		case fails:
			w.Header().Set("Retry-After", b.RetryAfter)
			reply(w, b.Status, openAIError(b.Code, "", cmp.Or(b.Message, "try again; the request was: "+s.Key)))
		case b.Hang != nil:
			b.Hang()
			<-r.Context().Done()
		default:
			send(w, b, toJSON(body))
		}
	}
}

// failTest fails the test because the real service would reject the request.
func (s *server) failTest(w http.ResponseWriter, err error) {
	s.tb.Errorf("mediatest: invalid request: %v", err)
	reply(w, http.StatusBadRequest, openAIError("invalid_request", "", "mediatest: "+err.Error()))
}

func openAIError(code, param, message string) string {
	return toJSON(map[string]any{"error": map[string]any{
		"code": code, "param": param, "message": message, "type": "invalid_request_error",
	}})
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// send sends a successful response, changed as the behavior says.
func send(w http.ResponseWriter, b Behavior, body string) {
	if b.Body != "" {
		body = b.Body
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if b.ContentType != "" {
		w.Header().Set("Content-Type", b.ContentType)
	}
	if b.CutAfter > 0 {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)+1))
		body = body[:min(b.CutAfter, len(body))]
	}
	_, _ = io.WriteString(w, body)
	if b.CutAfter > 0 {
		panic(http.ErrAbortHandler)
	}
}

func (s *OpenAI) checkHeaders(r *http.Request) error {
	switch {
	case r.Method != http.MethodPost:
		return errors.New("the method is " + r.Method)
	case s.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.Key, s.Key == "" &&
		r.Header.Get("Authorization") != "":
		return errors.New("the Authorization header is wrong")
	case r.ContentLength <= 0:
		return errors.New("there is no Content-Length")
	case r.URL.RawQuery != "":
		return errors.New("there is a query")
	}
	return nil
}

// completion has the documented fields of a request without tools and audio.
type completion struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	Temperature         *float64        `json:"temperature"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	ResponseFormat      *responseFormat `json:"response_format"`
}

type chatMessage struct {
	Role    string      `json:"role"`
	Content chatContent `json:"content"`
}

type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Strict      bool           `json:"strict"`
		Schema      map[string]any `json:"schema"`
	} `json:"json_schema"`
}

func (s *OpenAI) chat(r *http.Request, b Behavior) (any, error) {
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		return nil, fmt.Errorf("the content type is %q", kind)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c, err := checkCompletion(body, s.Model)
	if err != nil {
		return nil, err
	}
	if err := c.supported(b.Unsupported); err != nil {
		return nil, err
	}
	p, err := parsePrompt(c.Messages[0].Content.Text, c.Messages[1].Content.Text, c.schema())
	if err != nil {
		return nil, err
	}
	if p, err = p.withPictures(c.Messages[1].Content.Pictures); err != nil {
		return nil, err
	}
	return completionResponse(b, s.answer(b, p)), nil
}

var schemaName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// checkCompletion checks a request against the rules of the service, and against those of this
// project: one message of the system and one of the user, temperature 0, and a limit of tokens.
func checkCompletion(body []byte, model string) (completion, error) {
	var c completion
	if err := decodeStrict(body, &c); err != nil {
		return c, err
	}
	switch {
	case c.Model != model:
		return c, fmt.Errorf("the model is %q", c.Model)
	case len(c.Messages) != 2 || c.Messages[0].Role != "system" || c.Messages[1].Role != "user":
		return c, errors.New("there is not exactly one message of the system and one of the user")
	case c.Messages[0].Content.Text == "" || c.Messages[1].Content.Text == "":
		return c, errors.New("a message is empty")
	case len(c.Messages[0].Content.Pictures) > 0:
		return c, errors.New("the system message has a picture")
	case c.Temperature != nil && *c.Temperature != 0:
		return c, errors.New("the temperature is not 0")
	case (c.MaxTokens == nil) == (c.MaxCompletionTokens == nil):
		return c, errors.New("there must be exactly one limit of tokens")
	case c.limit() < 1:
		return c, errors.New("the limit of tokens is not positive")
	}
	return c, c.checkFormat()
}

func (c completion) limit() int {
	if c.MaxTokens != nil {
		return *c.MaxTokens
	}
	return *c.MaxCompletionTokens
}

func (c completion) checkFormat() error {
	if c.ResponseFormat == nil {
		return nil
	}
	schema := c.ResponseFormat.JSONSchema
	switch c.ResponseFormat.Type {
	case "json_object":
		if schema != nil || !strings.Contains(c.Messages[0].Content.Text, "JSON") {
			return errors.New("json_object needs the word JSON in a message, and must not have a schema")
		}
		return nil
	case "json_schema":
		if schema == nil || !schemaName.MatchString(schema.Name) || !schema.Strict {
			return errors.New("json_schema needs a name, a schema and strict")
		}
		return checkSchema(schema.Schema)
	}
	return fmt.Errorf("the response format %q", c.ResponseFormat.Type)
}

// schema returns the schema of the answer, from the response format or else from the rules.
func (c completion) schema() map[string]any {
	if c.ResponseFormat != nil && c.ResponseFormat.JSONSchema != nil {
		return c.ResponseFormat.JSONSchema.Schema
	}
	var schema map[string]any
	_, text, _ := strings.Cut(c.Messages[0].Content.Text, "JSON schema of the answer:\n")
	if json.Unmarshal([]byte(text), &schema) != nil {
		return nil
	}
	return schema
}

// supported returns an error if the request uses a feature that the server does not support.
func (c completion) supported(without []string) error {
	used := map[string]string{}
	if c.ResponseFormat != nil {
		used[c.ResponseFormat.Type] = "response_format"
	}
	if c.MaxTokens != nil {
		used["max_tokens"] = "max_tokens"
	}
	if c.Temperature != nil {
		used["temperature"] = "temperature"
	}
	if len(c.Messages[1].Content.Pictures) > 0 && slices.Contains(without, "pictures") {
		return &unsupported{"messages.[1].content.[1].type",
			"Invalid content type. image_url is only supported by certain models."}
	}
	for feature, param := range used {
		if slices.Contains(without, feature) {
			return &unsupported{param, "'" + param + "' of this kind is not supported with this model: " + feature}
		}
	}
	return nil
}

// completionResponse returns a response of the service.
func completionResponse(b Behavior, text string) map[string]any {
	stop := "stop"
	if b.Stop != "" {
		stop = b.Stop
	}
	message := map[string]any{"role": "assistant", "content": text, "refusal": nil}
	if b.Refusal != "" {
		message["content"], message["refusal"] = nil, b.Refusal
	}
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "model-of-the-test",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": stop, "logprobs": nil}},
		"usage":   map[string]any{"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366},
	}
}
