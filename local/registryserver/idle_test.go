package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhenIdleRunsAfterLastRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		handler := whenIdle(http.NotFoundHandler(), func() { calls++ })
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		for _, step := range []struct {
			wait time.Duration // after a request
			want int
		}{
			{idleTimeout - 1, 0},
			{idleTimeout - 1, 0},
			{idleTimeout, 1},
			{idleTimeout - 1, 1},
			{10 * idleTimeout, 2},
		} {
			handler.ServeHTTP(httptest.NewRecorder(), request)
			<-time.After(step.wait) // on synctest's fake clock
			synctest.Wait()
			if calls != step.want {
				t.Errorf("%d calls, want %d", calls, step.want)
			}
		}
	})
}
