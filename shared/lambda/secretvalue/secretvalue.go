// Package secretvalue reads secrets of the stack, such as the key of a model server, from AWS Secrets Manager. In a
// function's environment, everyone with lambda:GetFunctionConfiguration could read them.
package secretvalue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/shared/lambda/awsrequest"
)

const (
	// life is how long a function uses a value before it reads it again, so that a new value needs no new version of
	// the function.
	life = 5 * time.Minute
	// extension is how long a function uses its last value after it could not read it again.
	extension = time.Minute
	// patience is how long a caller waits for a new value while there is a last one.
	patience = 2 * time.Second
)

// Value is the current value of one secret. It prints dots instead of the value. Several goroutines may use it.
type Value struct {
	id     string
	client *awsrequest.Client
	now    func() time.Time

	last atomic.Pointer[reading] // nil before the first answer
	turn chan struct{}           // has an element while a caller reads the value
}

// reading is a value with the time until which it is used.
type reading struct {
	text    string
	expires time.Time
}

// New returns the value of the secret with an ARN, or an empty value if the ARN is empty. It sends no request yet.
func New(cfg aws.Config, arn string, now func() time.Time) *Value {
	service := awsrequest.Service{ID: "Secrets Manager", Host: "secretsmanager", SigningName: "secretsmanager"}
	return &Value{id: arn, client: awsrequest.New(cfg, service), now: now, turn: make(chan struct{}, 1)}
}

// Get returns the value, which is at most 5 minutes old. While Secrets Manager cannot be reached, or another caller is
// reading the value, it is the last one. Only the first callers wait for each other. A secret that does not exist any
// more, or may not be read, is an error.
func (v *Value) Get(ctx context.Context) (string, error) {
	if v.id == "" {
		return "", nil
	}
	if last := v.last.Load(); last != nil {
		if v.now().Before(last.expires) || !v.tryTurn() {
			return last.text, nil
		}
		defer v.endTurn()
		return v.readAgain(ctx, last.text)
	}
	select {
	case v.turn <- struct{}{}:
		defer v.endTurn()
	case <-ctx.Done():
		return "", fmt.Errorf("read the secret %s: %w", v.id, context.Cause(ctx))
	}
	if last := v.last.Load(); last != nil { // the caller before has read it
		return last.text, nil
	}
	text, err := v.read(ctx)
	if err == nil {
		v.keep(text, life)
	}
	return text, err
}

// readAgain returns the present value, or the last one if an outage is to blame.
func (v *Value) readAgain(ctx context.Context, last string) (string, error) {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := v.read(within)
	refused, isRefusal := errors.AsType[*awsrequest.Refusal](err)
	switch {
	case err == nil:
		v.keep(text, life)
		return text, nil
	case isRefusal && !refused.IsTransient():
		v.last.Store(nil)
		return "", err
	}
	slog.WarnContext(ctx, "a secret could not be read again; its last value is used", "secret", v.id, "error", err)
	v.keep(last, extension)
	return last, nil
}

func (v *Value) keep(text string, d time.Duration) { v.last.Store(&reading{text, v.now().Add(d)}) }

func (v *Value) tryTurn() bool {
	select {
	case v.turn <- struct{}{}:
		return true
	default:
		return false
	}
}

func (v *Value) endTurn() { <-v.turn }

func (v *Value) read(ctx context.Context) (string, error) {
	in, err := json.Marshal(map[string]string{"SecretId": v.id})
	if err != nil {
		return "", fmt.Errorf("read the secret %s: %w", v.id, err)
	}
	body, err := v.client.Call(ctx, func() (*http.Request, error) {
		return v.client.NewOperation(ctx, "secretsmanager.GetSecretValue", in)
	})
	if err != nil {
		return "", fmt.Errorf("read the secret %s: %w", v.id, err)
	}
	var out struct{ SecretString *string }
	if json.Unmarshal(body, &out) != nil || out.SecretString == nil { // an error of the decoder can contain a part of the value
		return "", fmt.Errorf("read the secret %s: the response has no SecretString", v.id)
	}
	return *out.SecretString, nil
}

// Format implements fmt.Formatter for all verbs.
func (v *Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "…") }

// LogValue implements slog.LogValuer.
func (v *Value) LogValue() slog.Value { return slog.StringValue("…") }
