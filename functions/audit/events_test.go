package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "audit", func(tb testing.TB) (http.Handler, map[string]string) {
		s := newTestService(tb)
		s.story()
		return s.handler(), map[string]string{"admin-key": s.key(principal.Admin, "")}
	})
}
