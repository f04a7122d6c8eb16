package main

import (
	"net/http"
	"testing"

	"portside/shared/principal"
	"portside/shared/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "media", func(tb testing.TB) (http.Handler, map[string]string) {
		s := newStudio(tb)
		s.limit = 0
		return s.handler(), map[string]string{"admin-key": s.key(ada, principal.Admin).Reveal()}
	})
}

// TestDocument keeps this function's part of openapi.yaml; `make generate` writes it and merges the parts.
func TestDocument(t *testing.T) {
	document, err := routes(&handlers{}, nil).Document()
	if err != nil {
		t.Fatal(err)
	}
	webtest.GoldenJSON(t, "openapi.json", document)
}
