package main

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDocumentMatchesResponses compares this function's part of openapi.yaml with its responses. The part is written by hand,
// because the responses are not JSON.
func TestDocumentMatchesResponses(t *testing.T) {
	text, err := os.ReadFile("testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var part struct {
		Paths map[string]map[string]struct {
			Responses map[string]any `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(text, &part); err != nil || len(part.Paths) != 2 {
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
