package smoketest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	requestTimeout = 30 * time.Second
	maxSmokeBytes  = 16 << 20
)

// client sends requests to the service or to the vendor's registry.
type client struct {
	address string // without a trailing slash
	client  *http.Client
	hosts   map[string]bool // to which it sent requests, also after redirects
}

func newClient(address string) *client {
	hosts := map[string]bool{}
	return &client{strings.TrimSuffix(address, "/"), &http.Client{
		Timeout: requestTimeout, Transport: hostRecorder{http.DefaultTransport, hosts},
		// The storage to which the service redirects downloads refuses requests with a second credential, and another
		// host must not get the key of an admin.
		CheckRedirect: func(r *http.Request, before []*http.Request) error {
			r.Header.Del("Authorization")
			if len(before) > 0 && r.URL.Host != before[0].URL.Host {
				r.Header.Del("X-API-Key")
			}
			return nil
		},
	}, hosts}
}

// hostRecorder records the hosts of requests.
type hostRecorder struct {
	http.RoundTripper
	hosts map[string]bool
}

// RoundTrip implements http.RoundTripper.
func (t hostRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	t.hosts[r.URL.Host] = true
	return t.RoundTripper.RoundTrip(r)
}

// request is a request and the status that it must have.
type request struct {
	method, path string
	body         []byte
	header       map[string]string
	want         int
}

// send returns the body and the header of the response. An error contains the text of a problem, but no credential. A
// change that has begun continues when the command is stopped: the new resource must exist before the clean-up looks
// for it.
func (c *client) send(ctx context.Context, q request) ([]byte, http.Header, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if q.method != http.MethodGet && q.method != http.MethodHead {
		ctx = context.WithoutCancel(ctx) // the client has a timeout
	}
	target := q.path
	if strings.HasPrefix(target, "/") {
		target = c.address + target
	}
	r, err := http.NewRequestWithContext(ctx, q.method, target, bytes.NewReader(q.body))
	if err != nil {
		return nil, nil, err
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	if len(q.body) > 0 && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := c.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxSmokeBytes))
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != q.want {
		return nil, nil, unexpectedStatus(q, response.StatusCode, body)
	}
	return body, response.Header, nil
}

// statusError is the error of a response with another status than the wanted one.
type statusError struct {
	status  int
	message string
}

func (e *statusError) Error() string { return e.message }

func unexpectedStatus(q request, status int, body []byte) error {
	var problem struct {
		Detail string `json:"detail"`
	}
	_ = json.Unmarshal(body, &problem) // the body of another server may be any text
	message := fmt.Sprintf("%s %s answered %d instead of %d", q.method, q.path, status, q.want)
	if detail := strings.TrimRight(problem.Detail, "."); detail != "" {
		message += ": " + detail
	}
	return &statusError{status, message}
}

// sendAndDecode sends a request and decodes the answer.
func (c *client) sendAndDecode(ctx context.Context, q request, into any) error {
	body, _, err := c.send(ctx, q)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s %s answered no JSON: %w", q.method, q.path, err)
	}
	return nil
}
