package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "media", func(tb testing.TB) (http.Handler, map[string]string) {
		a := newTestAPI(tb)
		a.limit = 0
		return a.handler(), map[string]string{"admin-key": a.newKey(ada, principal.Admin).Reveal()}
	})
}
