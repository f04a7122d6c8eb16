package main

import (
	"net/http"
	"testing"

	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "images", func(tb testing.TB) (http.Handler, map[string]string) {
		q := newFixture(tb)
		q.image("acme/api", "1.2.0")
		return routes(q.gateway), map[string]string{"login": basic(q.issue(credentials.AccessToken, "read:docker-images").Reveal())}
	})
}
