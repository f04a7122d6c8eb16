package main

import (
	"net/http"
	"testing"

	"portside/shared/credentials"
	"portside/shared/principal"
	"portside/shared/tokens"
	"portside/shared/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "tokens", func(tb testing.TB) (http.Handler, map[string]string) {
		d := newDepot(tb)
		_, key := d.user("admin@example.com", principal.Admin)
		auth := credentials.NewAuthenticator(d.table, 100, d.clock)
		return routes(tokens.NewService(d.store, d.clock), auth, d.clock).Handler(), map[string]string{"admin-key": key}
	})
}
