// Package drain lets the clients of a server get the responses to requests whose bodies the server does not read.
//
// A server that refuses a large body answers before it has read it. net/http then reads 256 KiB of the rest at most,
// and closes the connection. If bytes are unread or still arrive, the kernel resets the connection, and a client that
// is still sending may lose the response. AWS reads the rest, so the local servers must do so, too.
package drain

import (
	"io"
	"net/http"
	"time"
)

const (
	// maxBytes bounds the rest of a body. It is above the limits of all services.
	maxBytes = 64 << 20
	// timeout bounds the wait for the rest of a body.
	timeout = 30 * time.Second
)

// Handler returns a handler that reads what next leaves unread of a body. The response must be small enough for the
// buffers of net/http, because the rest is not readable any more once the response has begun.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := r.Body // next may replace it
		next.ServeHTTP(w, r)
		rest(w, r, body)
	})
}

// rest reads the rest of a body. A client that waits for the permission to send a body does not need that: it gets the
// response instead.
func rest(w http.ResponseWriter, r *http.Request, body io.Reader) {
	if r.ContentLength == 0 || r.Header.Get("Expect") != "" {
		return
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(timeout)) != nil {
		return // not a connection, as in a test with a recorder
	}
	_, _ = io.CopyN(io.Discard, body, maxBytes) // after an error, net/http closes the connection
	_ = control.SetReadDeadline(time.Time{})
}
