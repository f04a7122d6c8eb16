package main

import (
	"testing"

	"portside/shared/testkit/webtest"
)

// TestDocument keeps this function's part of openapi.yaml; `make generate` writes it and merges the parts.
func TestDocument(t *testing.T) {
	document, err := routes(&service{}, nil).Document()
	if err != nil {
		t.Fatal(err)
	}
	webtest.GoldenJSON(t, "openapi.json", document)
}
