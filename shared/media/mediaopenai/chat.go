package mediaopenai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media/mediaprompt"
)

// chat uses chat completions. It learns what the server supports.
type chat struct {
	*caller
	mu      sync.Mutex
	dialect dialect
}

// message is a message of a conversation.
type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is the text and the pictures of a message.
type content struct {
	text     string
	pictures []documents.Picture
}

// contentPart is a text or a picture.
type contentPart struct {
	Type  string    `json:"type"`
	Text  string    `json:"text,omitempty"`
	Image *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL    string `json:"url"`
	Detail string `json:"detail"`
}

// MarshalJSON writes parts only if there is a picture, because not every server supports parts.
func (c content) MarshalJSON() ([]byte, error) {
	if len(c.pictures) == 0 {
		return json.Marshal(c.text)
	}
	parts := []contentPart{{Type: "text", Text: c.text}}
	for _, p := range c.pictures {
		data := "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
		parts = append(parts, contentPart{Type: "image_url", Image: &imageURL{data, "high"}})
	}
	return json.Marshal(parts)
}

// completionRequest has the fields of a request that this package uses.
type completionRequest struct {
	Model         string          `json:"model"`
	Messages      []message       `json:"messages"`
	Temperature   *float64        `json:"temperature,omitempty"`
	MaxTokens     int             `json:"max_tokens,omitempty"`
	MaxCompletion int             `json:"max_completion_tokens,omitempty"`
	Format        *responseFormat `json:"response_format,omitempty"`
}

type responseFormat struct {
	Type   string      `json:"type"`
	Schema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// completion has the fields of a response that this package uses.
type completion struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
}

// Ask implements [mediaprompt.Model].
func (c *chat) Ask(ctx context.Context, r mediaprompt.Request) (answer string, err error) {
	err = c.retrier.Do(ctx, func(attempt int) error {
		answer, err = c.askInDialect(ctx, r, attempt)
		return err
	})
	if len(r.Pictures) > 0 {
		err = asPictureError(err)
	}
	return answer, err
}

// asPictureError returns ErrDamaged if the server refuses the picture; otherwise it returns err.
func asPictureError(err error) error {
	r, isResponse := errors.AsType[*errorResponse](err)
	if isResponse && fault.As(err) == nil && r.status < 500 && mediaprompt.IsAboutPicture(r.code+" "+r.param+" "+r.message) {
		return fmt.Errorf("%w (%w)", documents.ErrDamaged, r)
	}
	return err
}

// askInDialect asks in the dialect that the server is known to support, and in simpler ones if the
// server refuses it.
func (c *chat) askInDialect(ctx context.Context, r mediaprompt.Request, attempt int) (string, error) {
	for d := c.knownDialect(); ; {
		answer, err := c.complete(ctx, d.request(c.model, r), attempt)
		simpler, ok := d.simplify(err)
		if !ok {
			if err == nil {
				c.learn(d)
			}
			return answer, err
		}
		d = simpler
	}
}

func (c *chat) knownDialect() dialect {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dialect
}

// learn remembers a dialect that the server has answered.
func (c *chat) learn(d dialect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialect = d
}

func (c *chat) complete(ctx context.Context, request completionRequest, attempt int) (string, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return "", internalError("encode a request: %w", err)
	}
	var answer completion
	err = c.post(ctx, call{
		endpoint: []string{"chat", "completions"}, contentType: "application/json", body: bytes.NewReader(body), size: int64(len(body)),
		attempt: attempt,
	}, &answer)
	if err != nil {
		return "", err
	}
	return answer.text()
}

// text returns the answer. It returns an error if the answer is incomplete.
func (c completion) text() (string, error) {
	if len(c.Choices) == 0 {
		return "", mediaprompt.ErrJunk
	}
	switch choice := c.Choices[0]; {
	case choice.Message.Refusal != "" || choice.FinishReason == "content_filter":
		return "", mediaprompt.ErrRefused
	case choice.FinishReason == "length":
		return "", mediaprompt.ErrTruncated
	case choice.FinishReason != "stop" && choice.FinishReason != "":
		return "", mediaprompt.ErrJunk
	default:
		return choice.Message.Content, nil
	}
}
