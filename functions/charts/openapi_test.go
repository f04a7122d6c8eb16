package main

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portside/shared/testkit/webtest"
)

// downloads is the hand-written part of the document, for the operations whose responses are not JSON.
func downloads(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/downloads.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestDocument compares the function's part of openapi.yaml with its golden file. `make generate` updates and merges
// the parts.
func TestDocument(t *testing.T) {
	generated, err := routes(&handlers{}, nil).Document()
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	var written struct {
		Paths map[string]any `json:"paths"`
	}
	if err := errors.Join(json.Unmarshal(generated, &document), json.Unmarshal(downloads(t), &written)); err != nil {
		t.Fatal(err)
	}
	maps.Copy(document["paths"].(map[string]any), written.Paths)
	merged, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	webtest.GoldenJSON(t, "openapi.json", merged)
}

// TestDocumentMatchesResponses compares the hand-written part of the document with the responses.
func TestDocumentMatchesResponses(t *testing.T) {
	var part struct {
		Paths map[string]map[string]struct {
			Responses map[string]any `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(downloads(t), &part); err != nil || len(part.Paths) != 2 {
		t.Fatalf("the document has %d paths, want 2 (%v)", len(part.Paths), err)
	}
	h := newFixture(t)
	h.publish("product", "1.0.0", "one")
	for path, operations := range part.Paths {
		target := strings.ReplaceAll(path, "{file}", "product-1.0.0.tgz")
		for method, operation := range operations {
			for _, client := range []string{"", h.token("read:docker-images").Reveal(), h.token("read:helm-charts").Reveal()} {
				response := h.anonymous().With("Authorization", basic("x", client)).Do(strings.ToUpper(method), target, "")
				if operation.Responses[strconv.Itoa(response.Status)] == nil || response.Status == 404 {
					t.Errorf("%s %s: status %d is not documented", method, path, response.Status)
				}
			}
		}
	}
	taken := h.anonymous().Post("/charts/product-1.0.0.tgz", "").WantStatus(405).Header.Get("Allow")
	if !slices.Equal(strings.Split(taken, ", "), []string{"GET", "HEAD"}) {
		t.Errorf("the path supports %s", taken)
	}
}
