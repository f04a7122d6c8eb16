package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

func TestRestComesAfterTheLastRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rests := 0
		handler := whenIdle(http.NotFoundHandler(), func() { rests++ })
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
			<-time.After(step.wait) // by the clock of the bubble
			synctest.Wait()
			if rests != step.want {
				t.Errorf("%d rests, want %d", rests, step.want)
			}
		}
	})
}
