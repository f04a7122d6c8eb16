package gateway_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"portside/local/gateway"
	"portside/local/template"
)

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
