package mediaprompt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"portside/documents"
)

// asker puts questions to a model.
type asker struct {
	model    Model
	thinking int
}

// question is a request before its fence is drawn.
type question struct {
	name     string
	rules    string
	data     []datum
	pictures []documents.Picture
	schema   schema
	tokens   int
}

// ask puts a question and gives the answer's members to read; once more if they cannot be read.
func (a asker) ask(ctx context.Context, q question, read func(map[string]json.RawMessage) error) error {
	err := a.askOnce(ctx, q, read)
	if errors.Is(err, ErrJunk) && ctx.Err() == nil {
		err = a.askOnce(ctx, q, read)
	}
	return err
}

func (a asker) askOnce(ctx context.Context, q question, read func(map[string]json.RawMessage) error) error {
	f := newFence()
	text, err := a.model.Ask(ctx, Request{
		Name: q.name, Rules: f.rules(q.rules), Data: f.around(q.data), Pictures: q.pictures, Schema: q.schema.encoded(),
		MaxTokens: q.tokens + a.thinking,
	})
	if err != nil {
		return err
	}
	if strings.Contains(text, f.mark) {
		return fmt.Errorf("%w: it repeats the fence", ErrJunk)
	}
	answer, err := object(text)
	if err != nil {
		return err
	}
	return read(answer)
}
