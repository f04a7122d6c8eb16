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

// chat asks for chat completions. It learns what the server supports.
type chat struct {
	*caller
	mu      sync.Mutex
	dialect dialect
}

// message is one of a conversation.
type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is what a message says, and shows.
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

// MarshalJSON writes parts only where there is a picture: not every server takes them.
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

// completionRequest is the body of a request, as far as it is used here.
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

// completion is the answer, as far as it is used here.
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
		answer, err = c.adapted(ctx, r, attempt)
		return err
	})
	if len(r.Pictures) > 0 {
		err = unseen(err)
	}
	return answer, err
}

// unseen says that a refusal is about the picture, where it is.
func unseen(err error) error {
	r, refused := errors.AsType[*refusal](err)
	if refused && fault.As(err) == nil && r.status < 500 && mediaprompt.AboutPicture(r.code+" "+r.param+" "+r.message) {
		return fmt.Errorf("%w (%w)", documents.ErrDamaged, r)
	}
	return err
}

// adapted asks in the dialect that the server is known to take, and in a simpler one where it refuses.
func (c *chat) adapted(ctx context.Context, r mediaprompt.Request, attempt int) (string, error) {
	for d := c.known(); ; {
		answer, err := c.once(ctx, d.request(c.model, r), attempt)
		simpler, ok := d.after(err)
		if !ok {
			if err == nil {
				c.learn(d)
			}
			return answer, err
		}
		d = simpler
	}
}

func (c *chat) known() dialect {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dialect
}

// learn keeps a dialect that was answered. One that was refused for another reason in the end is not kept.
func (c *chat) learn(d dialect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialect = d
}

func (c *chat) once(ctx context.Context, request completionRequest, attempt int) (string, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return "", internal("a request cannot be encoded: %w", err)
	}
	var answer completion
	err = c.post(ctx, call{
		endpoint: []string{"chat", "completions"}, kind: "application/json", body: bytes.NewReader(body), size: int64(len(body)),
		attempt: attempt,
	}, &answer)
	if err != nil {
		return "", err
	}
	return answer.text()
}

// text is the answer, if it is whole.
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
