package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "access", func(tb testing.TB) (http.Handler, map[string]string) {
		d := newFixture(tb)
		_, key := d.user("admin@example.com", principal.Admin)
		return d.handler(), map[string]string{"admin-key": key}
	})
}
