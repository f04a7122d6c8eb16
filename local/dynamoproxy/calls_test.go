package dynamoproxy

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// callerBody is the body of a caller, which the server closes when the response begins.
type callerBody struct {
	io.Reader
	ended, closed bool
}

func (b *callerBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

func (b *callerBody) Close() error {
	b.closed = true
	return nil
}

type engineFunc func(*http.Request) (*http.Response, error)

func (f engineFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestEngineGetsWholeCalls: an engine may answer a call whose end the proxy has not seen yet.
func TestEngineGetsWholeCalls(t *testing.T) {
	body := &callerBody{Reader: strings.NewReader("a call")}
	engine := engineFunc(func(r *http.Request) (*http.Response, error) {
		if !body.ended || !body.closed {
			t.Errorf("the engine gets a body of which the end was read: %v, closed: %v", body.ended, body.closed)
		}
		if content, err := io.ReadAll(r.Body); string(content) != "a call" || err != nil {
			t.Errorf("the engine gets %q, %v", content, err)
		}
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	})
	calls := &transport{next: engine, log: newCallLog(func() time.Time { return time.Unix(0, 0) })}
	response, err := calls.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
}
