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

// Bedrock is a server with the operation Converse of Amazon Bedrock.
type Bedrock struct {
	server
	URL   string // the endpoint
	Model string // the only model of the server
}

// StartBedrock starts a server that stops at the end of the test.
func StartBedrock(tb testing.TB) *Bedrock {
	tb.Helper()
	s := &Bedrock{server: server{tb: tb}, Model: "maker.model-of-the-test-v1:0"}
	running := httptest.NewServer(s)
	tb.Cleanup(running.Close)
	s.URL = running.URL
	return s
}

// ServeHTTP answers one request.
func (s *Bedrock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, fails := s.countRequest()
	answer, err := s.converse(r, b)
	refused, isRefusal := errors.AsType[*unsupported](err)
	switch {
	case isRefusal:
		exception(w, http.StatusBadRequest, "ValidationException", refused.message)
	case err != nil:
		s.tb.Errorf("mediatest: invalid request: %v", err)
		exception(w, http.StatusBadRequest, "ValidationException", "mediatest: "+err.Error())
	case fails && b.Drop:
		panic(http.ErrAbortHandler)
	case fails:
		w.Header().Set("Retry-After", b.RetryAfter)
		exception(w, b.Status, b.Code, cmp.Or(b.Message, "try again, PWNED"))
	case b.Hang != nil:
		b.Hang()
		<-r.Context().Done()
	default:
		send(w, b, toJSON(answer))
	}
}

func exception(w http.ResponseWriter, status int, name, message string) {
	w.Header().Set("X-Amzn-Errortype", name)
	reply(w, status, toJSON(map[string]any{"message": message}))
}

var signature = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=[^/]+/[0-9]{8}/[a-z0-9-]+/bedrock/aws4_request, ` +
	`SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$`)

func (s *Bedrock) converse(r *http.Request, b Behavior) (any, error) {
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/model/"+s.Model+"/converse":
		return nil, fmt.Errorf("unexpected %s %s", r.Method, r.URL.Path)
	case !signature.MatchString(r.Header.Get("Authorization")) || r.Header.Get("X-Amz-Date") == "":
		return nil, errors.New("the request is not signed")
	case r.Header.Get("Content-Type") != "application/json":
		return nil, errors.New("the content type is " + r.Header.Get("Content-Type"))
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c, err := checkConverse(body)
	if err != nil {
		return nil, err
	}
	if err := c.supported(b.Unsupported); err != nil {
		return nil, err
	}
	tool := c.ToolConfig.Tools[0].ToolSpec
	p, err := parsePrompt(c.System[0].Text, c.text, tool.InputSchema.JSON)
	if err != nil {
		return nil, err
	}
	if p, err = p.withPictures(c.seen); err != nil {
		return nil, err
	}
	return converseResponse(b, tool.Name, s.answer(b, p)), nil
}

// converse has the documented fields of a request with text, pictures and one forced tool.
type converse struct {
	Messages []struct {
		Role    string         `json:"role"`
		Content []contentBlock `json:"content"`
	} `json:"messages"`
	System          []textBlock `json:"system"`
	InferenceConfig struct {
		MaxTokens   int      `json:"maxTokens"`
		Temperature *float64 `json:"temperature"`
	} `json:"inferenceConfig"`
	ToolConfig struct {
		Tools []struct {
			ToolSpec toolSpec `json:"toolSpec"`
		} `json:"tools"`
		ToolChoice struct {
			Tool struct {
				Name string `json:"name"`
			} `json:"tool"`
		} `json:"toolChoice"`
	} `json:"toolConfig"`

	text string
	seen []Picture
}

type textBlock struct {
	Text string `json:"text"`
}

type toolSpec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Strict      bool   `json:"strict"`
	InputSchema struct {
		JSON map[string]any `json:"json"`
	} `json:"inputSchema"`
}

func checkConverse(body []byte) (converse, error) {
	var c converse
	if err := decodeStrict(body, &c); err != nil {
		return c, err
	}
	switch {
	case len(c.Messages) != 1 || c.Messages[0].Role != "user":
		return c, errors.New("there is not exactly one message, of the user")
	case len(c.System) != 1 || c.System[0].Text == "":
		return c, errors.New("there is no system prompt")
	case c.InferenceConfig.MaxTokens < 1:
		return c, errors.New("maxTokens is missing")
	case c.InferenceConfig.Temperature != nil && *c.InferenceConfig.Temperature != 0:
		return c, errors.New("the temperature is not 0")
	case len(c.ToolConfig.Tools) != 1:
		return c, errors.New("there is not exactly one tool")
	}
	var err error
	if c.text, c.seen, err = content(c.Messages[0].Content); err != nil {
		return c, err
	}
	tool := c.ToolConfig.Tools[0].ToolSpec
	if !schemaName.MatchString(tool.Name) || c.ToolConfig.ToolChoice.Tool.Name != tool.Name {
		return c, fmt.Errorf("the tool %q is not the one in toolChoice", tool.Name)
	}
	return c, checkSchema(tool.InputSchema.JSON)
}

func (c converse) supported(without []string) error {
	switch {
	case slices.Contains(without, "temperature") && c.InferenceConfig.Temperature != nil:
		return &unsupported{"temperature",
			"The model returned the following errors: `temperature` is deprecated for this model."}
	case slices.Contains(without, "pictures") && len(c.Messages[0].Content) > 1:
		return &unsupported{"image", "This model doesn't support the image content block that you provided."}
	case slices.Contains(without, "strict") && c.ToolConfig.Tools[0].ToolSpec.Strict:
		return &unsupported{"strict", "This model doesn't support the strict field in toolSpec."}
	}
	return nil
}

// converseResponse returns a response of the service. A text that is not a JSON object is the answer of
// a model that used no tool.
func converseResponse(b Behavior, tool, text string) map[string]any {
	content, stop := map[string]any{"text": text}, "end_turn"
	if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		content, stop = map[string]any{"toolUse": map[string]any{
			"toolUseId": "tooluse_1", "name": tool, "input": json.RawMessage(text),
		}}, "tool_use"
	}
	if b.Stop != "" {
		stop = b.Stop
	}
	return map[string]any{
		"output":     map[string]any{"message": map[string]any{"role": "assistant", "content": []any{content}}},
		"stopReason": stop, "metrics": map[string]any{"latencyMs": 7},
		"usage": map[string]any{"inputTokens": 321, "outputTokens": 45, "totalTokens": 366},
	}
}
