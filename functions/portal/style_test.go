package main

import (
	"net/http"
	"regexp"
	"testing"

	"portside/shared/testkit/webtest"
)

// TestFocusedHeadingsHaveNoOutline: scripts move the focus to a heading so that screen readers start there, but the outline
// is meant for controls. The rule for headings must name :focus-visible too, or the general rule is more specific.
func TestFocusedHeadingsHaveNoOutline(t *testing.T) {
	style := webtest.New(t, handler(t)).Get("/portal/assets/portal.css").WantStatus(http.StatusOK).Body
	if !regexp.MustCompile(`(?m)^h1:focus-visible \{ outline: none; \}$`).Match(style) {
		t.Errorf("a focused heading has an outline:\n%s", style)
	}
}
