package e2e

import (
	"net/http"
	"strconv"
	"testing"

	"portside/testclient"
)

// perMinute is the template's RateLimitPerMinute.
const perMinute = 100

// TestRateLimit uses the template's default limit. It applies to calendar minutes, so a test that
// crosses the end of a minute gets a second hundred requests.
func TestRateLimit(t *testing.T) {
	p := newTestStack(t)
	p.start(t, nil)
	root := p.admin(t)
	root.Get("/v1/users").WantStatus(http.StatusOK).WantHeader("RateLimit-Policy", `"credential";q=100;w=60`)

	passed := 1
	var refused response
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
	p.anonymous(t).Get("/v1/health").WantStatus(http.StatusOK) // the limit applies to the credential
	p.checkNoSecretsLeaked(t)
}

// testNoRateLimit sends more requests than the limits of two minutes would allow.
func testNoRateLimit(t *testing.T, p *testStack) {
	root := p.admin(t)
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
