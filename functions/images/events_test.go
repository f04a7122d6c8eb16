package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "images", func(tb testing.TB) (http.Handler, map[string]string) {
		q := newFixture(tb)
		q.image("acme/api", "1.2.0")
		return q.handler(), map[string]string{
			"login": basic(q.issue(credentials.AccessToken, "read:docker-images").Reveal()), "admin-key": q.key("admin", principal.Admin).Reveal(),
		}
	})
}
