package e2e

import (
	"net/http"
	"strconv"
	"testing"
)

// perMinute is the template's RateLimitPerMinute.
const perMinute = 100

// TestRateLimit has the stack as `make run` starts it. The limit is a calendar minute's: a test that crosses the end of
// one gets a second hundred, and would have to be slower than a minute to get a third.
func TestRateLimit(t *testing.T) {
	p := newPortal(t)
	p.start(t, nil)
	root := p.root(t)
	root.get("/v1/users").is(http.StatusOK).hasHeader("RateLimit-Policy", `"credential";q=100;w=60`)

	passed := 1
	var refused answer
	for refused = root.get("/v1/users"); refused.status != http.StatusTooManyRequests; refused = root.get("/v1/users") {
		refused.is(http.StatusOK)
		if passed++; passed > 2*perMinute {
			t.Fatalf("%d requests passed", passed)
		}
	}
	if passed < perMinute {
		t.Errorf("only %d requests passed", passed)
	}
	refused.has("code", "RATE_LIMITED")
	if wait, err := strconv.Atoi(refused.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
		t.Errorf("Retry-After: %q", refused.header.Get("Retry-After"))
	}
	p.visitor(t).get("/v1/health").is(http.StatusOK) // the limit is the credential's
	p.secretsAreNowhere(t)
}

// unlimited makes more requests than two minutes' limits would allow.
func unlimited(t *testing.T, p *portal) {
	root := p.root(t)
	statuses := atOnce(4, func(int) int {
		for range perMinute/2 + 1 {
			if a, err := root.try(http.MethodGet, "/v1/users?limit=1", ""); err != nil || a.status != http.StatusOK {
				t.Errorf("%v: %d %s", err, a.status, a.body)
				return a.status
			}
		}
		return http.StatusOK
	})
	if statuses[http.StatusOK] != 4 {
		t.Errorf("statuses %v", statuses)
	}
	root.get("/v1/users?limit=1").hasHeader("RateLimit", "").hasHeader("RateLimit-Policy", "")
}
