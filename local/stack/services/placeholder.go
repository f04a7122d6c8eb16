package services

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"portside/local/drain"
)

// retryAfter is the time after which a client of an engine that is being built should try again.
const retryAfter = 2 * time.Second

// placeholder listens at the address of an engine that is being built, and answers 503 until the engine takes over.
type placeholder struct {
	address   string // host and port
	server    *http.Server
	ready     chan struct{} // closed when the engine answers
	onRequest func()        // called with every request
	refusal   refusal
	ended     sync.WaitGroup
}

// refusal is the response of a placeholder, in the format of the engine's errors.
type refusal struct{ contentType, body string }

// newPlaceholder listens at the address, or on a free loopback port if that is empty.
func newPlaceholder(address string, r refusal, onRequest func()) (*placeholder, error) {
	listener, err := net.Listen("tcp", cmp.Or(address, "127.0.0.1:0"))
	if err != nil {
		return nil, err
	}
	p := &placeholder{address: listener.Addr().String(), ready: make(chan struct{}), onRequest: onRequest, refusal: r}
	p.server = &http.Server{Handler: drain.Handler(p), ReadHeaderTimeout: 5 * time.Second}
	p.ended.Go(func() { _ = p.server.Serve(listener) }) // returns ErrServerClosed after close
	return p, nil
}

// ServeHTTP implements http.Handler.
func (p *placeholder) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	p.onRequest()
	w.Header().Set("Content-Type", p.refusal.contentType)
	w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprint(w, p.refusal.body) // fails if the client is gone
}

// close frees the address.
func (p *placeholder) close() error {
	err := p.server.Close()
	p.ended.Wait()
	return err
}
