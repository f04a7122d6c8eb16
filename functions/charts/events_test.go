package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "charts", func(tb testing.TB) (http.Handler, map[string]string) {
		h := newFixture(tb)
		packed := archive(tb, "product-db/values.yaml", "replicas: 1\n", "product-db/README.md", "# Product\n")
		h.publish("product", "1.0.0", "one")
		h.publish("product-db", "1.0.0", packed)
		return h.handler(), map[string]string{
			"admin-key":    h.issue(credentials.APIKey, func(c *credentials.Credential) { c.Owner.Role, c.Scopes = principal.Admin, nil }).Reveal(),
			"charts-token": h.token("read:helm-charts").Reveal(), "product-token": h.token("read:helm-charts:product").Reveal(),
		}
	})
}
