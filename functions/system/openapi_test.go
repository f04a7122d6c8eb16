package main

import (
	"testing"

	"portside/shared/testkit/webtest"
)

// TestDocument compares the function's part of openapi.yaml with its golden file. `make generate` updates and merges
// the parts.
func TestDocument(t *testing.T) {
	document, err := routes(&pages{}, "").Document()
	if err != nil {
		t.Fatal(err)
	}
	webtest.GoldenJSON(t, "openapi.json", document)
}
