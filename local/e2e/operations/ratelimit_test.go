package operations

import (
	"net/http"
	"strconv"
	"testing"

	"portside/local/e2e/e2etest"
	"portside/local/stack"
	"portside/testclient"
)

// perMinute is the template's RateLimitPerMinute.
const perMinute = 300

// TestRateLimit uses the template's default limit. It applies to calendar minutes, so a test that
// crosses the end of a minute gets as many again.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	p := e2etest.New(t)
	p.Run(t, stack.Options{})
	root := p.Admin(t)
	root.Get("/v1/users").WantStatus(http.StatusOK).WantHeader("RateLimit-Policy", `"credential";q=300;w=60`)

	passed := 1
	var refused e2etest.Response
	for refused = root.Get("/v1/users"); refused.Status != http.StatusTooManyRequests; refused = root.Get("/v1/users") {
		refused.WantStatus(http.StatusOK)
		if passed++; passed > 2*perMinute {
			t.Fatalf("%d requests passed", passed)
		}
	}
	if passed < perMinute {
		t.Errorf("only %d requests passed", passed)
	}
	refused.WantValue("code", "RATE_LIMITED")
	if wait, err := strconv.Atoi(refused.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
		t.Errorf("Retry-After: %q", refused.Header.Get("Retry-After"))
	}
	p.Anonymous(t).Get("/v1/health").WantStatus(http.StatusOK) // the limit applies to the credential
}

// TestNoRateLimit sends more requests than the limits of two minutes would allow.
func TestNoRateLimit(t *testing.T) {
	p := e2etest.Shared(t)
	root := p.Admin(t)
	statuses := testclient.Concurrently(4, func(int) int {
		for range perMinute/2 + 1 {
			if a, err := root.Send(http.MethodGet, "/v1/users?limit=1", ""); err != nil || a.Status != http.StatusOK {
				t.Errorf("%v: %d %s", err, a.Status, a.Body)
				return a.Status
			}
		}
		return http.StatusOK
	})
	if statuses[http.StatusOK] != 4 {
		t.Errorf("statuses %v", statuses)
	}
	root.Get("/v1/users?limit=1").WantHeader("RateLimit", "").WantHeader("RateLimit-Policy", "")
}
