package e2e

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"portside/testclient"
)

// client sends requests to a stack on behalf of one caller. It is immutable; With returns a copy.
type client struct {
	testclient.Client

	t       *testing.T
	secrets *secrets
}

type response = testclient.Response

// anonymous returns a client without a credential.
func (p *testStack) anonymous(t *testing.T) client {
	t.Helper()
	conns, secrets := p.conns, p.secrets
	send := func(r *http.Request) (*http.Response, error) {
		reply, err := conns.RoundTrip(r) // does not follow redirects
		if err != nil {
			return nil, err
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		secrets.addFrom(text)
		reply.Body = io.NopCloser(bytes.NewReader(text))
		return reply, err
	}
	sender := testclient.Client{TB: t, BaseURL: p.info.API, RoundTrip: send, Check: checkFunctionResponse}
	return client{Client: sender, t: t, secrets: secrets}
}

// With returns a client that also sends the header.
func (c client) With(name, value string) client {
	c.Client = c.Client.With(name, value)
	if name == "X-API-Key" || name == "Authorization" {
		c.secrets.add(value)
	}
	return c
}

// as returns a client with an API key.
func (c client) as(key string) client { return c.With("X-API-Key", key) }

// For returns the same client for a subtest.
func (c client) For(t *testing.T) client {
	t.Helper()
	c.Client, c.t = c.Client.For(t), t
	return c
}

// fromGateway returns a client that expects responses of the gateway itself or of the pages below
// /_local. They lack the headers that functions set.
func (c client) fromGateway() client {
	c.Check = checkNoServerError
	return c
}

func checkNoServerError(tb testing.TB, a response) {
	tb.Helper()
	if a.Status >= http.StatusInternalServerError {
		tb.Errorf("%s: status %d: %s", a.Request(), a.Status, a.Body)
	}
}

// checkFunctionResponse checks what all responses of functions have in common. Their X-Request-Id is
// the gateway's.
func checkFunctionResponse(tb testing.TB, a response) {
	tb.Helper()
	checkNoServerError(tb, a)
	checkRequestID(tb, a)
	if a.Status >= http.StatusBadRequest && a.Method != http.MethodHead {
		a.WantProblem()
	}
}

func checkRequestID(tb testing.TB, a response) {
	tb.Helper()
	if id := a.Header.Get("X-Request-Id"); id == "" || id != a.Header.Get("Apigw-Requestid") {
		tb.Errorf("%s: X-Request-Id %q, the gateway's is %q", a.Request(), id, a.Header.Get("Apigw-Requestid"))
	}
}
