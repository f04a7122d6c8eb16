package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "media", func(tb testing.TB) (http.Handler, map[string]string) {
		s := newStudio(tb)
		s.limit = 0
		return s.handler(), map[string]string{"admin-key": s.key(ada, principal.Admin).Reveal()}
	})
}
