package mediabedrock

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/smithy-go/encoding/httpbinding"

	"portside/shared/media/mediaprompt"
)

// maxResponseBytes limits a response that is read. The longest answers have a hundredth of that.
const maxResponseBytes = 16 << 20

// converseInput is the part of Converse's input that this package uses.
type converseInput struct {
	System          []contentBlock `json:"system"`
	InferenceConfig struct {
		MaxTokens   int      `json:"maxTokens"`
		Temperature *float64 `json:"temperature,omitempty"`
	} `json:"inferenceConfig"`
	Messages   []message  `json:"messages"`
	ToolConfig toolConfig `json:"toolConfig"`
}

type message struct {
	Role    string         `json:"role"`
	Content []contentBlock `json:"content"`
}

// contentBlock has one of its fields.
type contentBlock struct {
	Text     string   `json:"text,omitempty"`
	Image    *file    `json:"image,omitempty"`
	Document *file    `json:"document,omitempty"`
	ToolUse  *toolUse `json:"toolUse,omitempty"` // only in responses
}

// file is a picture or a document.
type file struct {
	Name   string `json:"name,omitempty"` // only documents have one
	Format string `json:"format"`
	Source struct {
		Bytes []byte `json:"bytes"`
	} `json:"source"`
}

type toolUse struct {
	Input json.RawMessage `json:"input"`
}

type toolConfig struct {
	Tools      []tool `json:"tools"`
	ToolChoice struct {
		Tool struct {
			Name string `json:"name"`
		} `json:"tool"`
	} `json:"toolChoice"`
}

type tool struct {
	ToolSpec struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Strict      bool   `json:"strict,omitempty"`
		InputSchema struct {
			JSON json.RawMessage `json:"json"`
		} `json:"inputSchema"`
	} `json:"toolSpec"`
}

// converseOutput is the part of Converse's output that this package uses.
type converseOutput struct {
	Output struct {
		Message *message `json:"message"`
	} `json:"output"`
	StopReason string `json:"stopReason"`
	Usage      struct {
		InputTokens  int `json:"inputTokens"`
		OutputTokens int `json:"outputTokens"`
	} `json:"usage"`
}

// send sends one request. It also returns the HTTP status, or 0 if there was no response.
func (m *model) send(ctx context.Context, input converseInput) (out converseOutput, status int, err error) {
	body, err := json.Marshal(input)
	if err != nil {
		return out, 0, fmt.Errorf("bedrock: encode a request: %w", err)
	}
	r, err := m.client.NewPost(ctx, "/model/"+httpbinding.EscapePath(m.options.Model, true)+"/converse", body)
	if err != nil {
		return out, 0, fmt.Errorf("bedrock: the request cannot be sent: %w", err) // wrong credentials, region or model
	}
	response, err := m.client.Do(r)
	if err != nil {
		return out, 0, mediaprompt.ConnectionError(ctx, "bedrock")
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxResponseBytes))
	switch {
	case err != nil:
		err = mediaprompt.ConnectionError(ctx, "bedrock")
	case response.StatusCode != http.StatusOK:
		err = newException(response, content).classify(response.Header)
	case json.Unmarshal(content, &out) != nil:
		err = mediaprompt.ErrJunk
	}
	return out, response.StatusCode, err
}
