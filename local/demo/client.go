package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	requestTimeout   = 30 * time.Second
	maxResponseBytes = 16 << 20
)

type header struct{ name, value string }

func bearer(token string) header { return header{"Authorization", "Bearer " + token} }

// request is a request to the stack's API.
type request struct {
	method, path, body string
	credential         header
}

func (d *demo) send(ctx context.Context, q request) (status int, body []byte, err error) {
	ctx, stop := context.WithTimeout(ctx, requestTimeout)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, q.method, d.info.API+q.path, strings.NewReader(q.body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set(q.credential.name, q.credential.value)
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, fmt.Errorf("the stack does not respond: %w", err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxResponseBytes))
	if err != nil {
		return 0, nil, fmt.Errorf("the stack does not respond: %w", err)
	}
	return response.StatusCode, body, nil
}
