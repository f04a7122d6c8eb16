package main

import (
	"net/http"
	"testing"

	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "users", func(tb testing.TB) (http.Handler, map[string]string) {
		p := newFixture(tb)
		auth := credentials.NewAuthenticator(p.keys.Requests, 100, p.clock.Now)
		return routes(p.service(), auth).Handler(), map[string]string{"admin-key": p.key}
	})
}
