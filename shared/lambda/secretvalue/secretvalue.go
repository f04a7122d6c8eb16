// Package secretvalue reads secrets of the stack, such as the key of a model server, from AWS Secrets Manager. In a function's environment,
// everyone with lambda:GetFunctionConfiguration could read them.
package secretvalue

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/shared/lambda/awsrequest"
)

const (
	// life is how long a function uses a value before it reads it again, so that a new value needs no new version of the function.
	life = 5 * time.Minute
	// extension is how long a function uses its last value after it could not read it again.
	extension = time.Minute
)

// Value is the current value of one secret. It is printed as dots. Several goroutines may use it.
type Value struct {
	id     string
	client *awsrequest.Client
	now    func() time.Time

	mu      sync.Mutex
	text    string
	expires time.Time
	isRead  bool
}

// New returns the value of the secret with an ARN, or an empty value if the ARN is empty. It sends no request yet.
func New(cfg aws.Config, arn string, now func() time.Time) *Value {
	service := awsrequest.Service{ID: "Secrets Manager", Host: "secretsmanager", SigningName: "secretsmanager"}
	return &Value{id: arn, client: awsrequest.New(cfg, service), now: now}
}

// Get returns the value, which is at most 5 minutes old. If Secrets Manager does not answer, it is the last one that it returned.
func (v *Value) Get(ctx context.Context) (string, error) {
	if v.id == "" {
		return "", nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.isRead && v.now().Before(v.expires) {
		return v.text, nil
	}
	text, err := v.read(ctx)
	switch {
	case err == nil:
		v.text, v.isRead, v.expires = text, true, v.now().Add(life)
	case v.isRead:
		slog.WarnContext(ctx, "a secret could not be read again; its last value is used", "secret", v.id, "error", err)
		v.expires = v.now().Add(extension)
	default:
		return "", err
	}
	return v.text, nil
}

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
