package client

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// The waits between attempts.
const (
	firstWait = 250 * time.Millisecond // doubles with each attempt
	// longestRetryAfter is the longest Retry-After that a call waits for, as rate limits ask for. A daily quota asks
	// for hours, so its error is returned at once.
	longestRetryAfter = time.Minute
)

// attempts sends a call until an answer is final, the retries are used up, or the context ends before the next attempt.
func (c *Client) attempts(ctx context.Context, r *call) (*answer, error) {
	for n := 0; ; n++ {
		a, err := c.attempt(ctx, r)
		wait, again := r.nextWait(n, a, err)
		if !again || n >= c.retries || endsWithin(ctx, wait) {
			return a, err
		}
		c.onWait(wait, r.failure(a, err))
		if !pause(ctx, wait) {
			return a, err
		}
	}
}

// failure returns why an attempt failed.
func (r *call) failure(a *answer, err error) error {
	if err != nil {
		return err
	}
	return newError(r, a)
}

// nextWait returns the wait before the attempt after attempt n, or false if the outcome is final.
func (r *call) nextWait(n int, a *answer, err error) (time.Duration, bool) {
	jittered := firstWait<<min(n, 5)/2 + rand.N(firstWait<<min(n, 5)/2) //nolint:gosec // a wait is not a secret
	if err != nil {
		return jittered, r.isIdempotent() && !isCertificateError(err)
	}
	if a.header.Get("X-Should-Retry") == "false" || !r.mayRepeat(a.status) {
		return 0, false
	}
	asked := retryAfter(a.header)
	return max(jittered, asked), asked <= longestRetryAfter
}

// mayRepeat reports whether a call that was answered with this status can succeed later and does nothing twice. A 429
// is sent before anything was done. A 503 is not: the gateway also sends it when it has lost patience with the service.
func (r *call) mayRepeat(status int) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return r.isIdempotent()
	}
	return false
}

func (r *call) isIdempotent() bool { return r.method != http.MethodPost || r.takesKey }

// isCertificateError reports whether the other side is not the service. A retry would not change that.
func isCertificateError(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// retryAfter reads both forms of the header Retry-After.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// endsWithin reports whether the context has ended or ends before the wait does.
func endsWithin(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && time.Until(deadline) <= wait
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
