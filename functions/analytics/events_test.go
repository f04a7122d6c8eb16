package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "analytics", func(tb testing.TB) (http.Handler, map[string]string) {
		b := newBoard(tb)
		b.story()
		return b.handler(), map[string]string{"admin-key": b.key(principal.Admin)}
	})
}
