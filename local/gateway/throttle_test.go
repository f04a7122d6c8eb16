package gateway_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"portside/local/gateway"
	"portside/local/template"
)

// TestRoutesHaveTheirOwnThrottle sends too many requests to one route. Other routes are not throttled, and vice versa.
func TestRoutesHaveTheirOwnThrottle(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 30, 0, 0, time.UTC)
	f := start(t, payload(`{"statusCode":200}`), func(c *gateway.Config) {
		c.Routes = append(c.Routes, template.Route{Method: "ANY", Path: "/flooded", Function: c.Routes[0].Function})
		c.Throttle = template.Throttle{Rate: 1, Burst: 3}
		c.Throttles = map[string]template.Throttle{"ANY /flooded": {Rate: 1, Burst: 2}}
		c.Now = func() time.Time { return at }
	})
	for i, want := range []int{200, 200, 429, 429} {
		if got := f.do(http.MethodPost, "/flooded", ""); got.status != want {
			t.Errorf("request %d to the flooded route: status %d, want %d", i, got.status, want)
		}
	}
	for i, want := range []int{200, 200, 200, 429} {
		if got := f.do(http.MethodGet, "/v1/users", ""); got.status != want {
			t.Errorf("request %d to another route: status %d, want %d", i, got.status, want)
		}
	}
}

func TestThrottleAnswers429(t *testing.T) {
	var elapsed atomic.Int64
	begin := time.Date(2026, 11, 21, 8, 30, 0, 0, time.UTC)
	f := start(t, payload(`{"statusCode":200}`), func(c *gateway.Config) {
		c.Throttle = template.Throttle{Rate: 2, Burst: 3}
		c.Now = func() time.Time { return begin.Add(time.Duration(elapsed.Load())) }
	})
	want := func(statuses ...int) {
		t.Helper()
		for i, status := range statuses {
			got := f.do(http.MethodGet, "/v1/users", "")
			if got.status != status {
				t.Fatalf("request %d: status %d, want %d", i, got.status, status)
			}
			if status == http.StatusTooManyRequests && got.body != `{"message":"Too Many Requests"}` {
				t.Errorf("body %s", got.body)
			}
		}
	}
	want(200, 200, 200, 429, 429)
	elapsed.Add(int64(time.Second))
	want(200, 200, 429)
	elapsed.Add(int64(time.Hour))
	want(200, 200, 200, 429)
}
