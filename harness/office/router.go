package office

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// WithMail returns a client that sends the calls of SES to a handler in this process, and all others to the engines.
func WithMail(engines Client, mails http.Handler) Client { return router{engines, mails} }

// router sends the calls of SES to the outbox in this process, and all others to the engines.
type router struct {
	engines Client
	mails   http.Handler
}

// Do implements Client.
func (r router) Do(request *http.Request) (*http.Response, error) {
	if !IsMail(request) {
		return r.engines.Do(request)
	}
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	incoming := request.Clone(request.Context())
	if incoming.Body == nil {
		incoming.Body = http.NoBody
	}
	recorder := httptest.NewRecorder()
	r.mails.ServeHTTP(recorder, incoming)
	return recorder.Result(), nil
}

// IsMail reports whether a call is one of SES.
func IsMail(request *http.Request) bool { return strings.HasPrefix(request.URL.Path, "/v2/email/") }

// Clock is the clock of an office. It changes only when a test sets it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows a time.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock to a time.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves the clock forward.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}
