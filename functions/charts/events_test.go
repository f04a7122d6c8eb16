package main

import (
	"net/http"
	"testing"

	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "charts", func(tb testing.TB) (http.Handler, map[string]string) {
		h := newFixture(tb)
		h.publish("product", "1.0.0", "one")
		return h.handler(), map[string]string{
			"charts-token": h.token("read:helm-charts").Reveal(), "product-token": h.token("read:helm-charts:product").Reveal(),
		}
	})
}
