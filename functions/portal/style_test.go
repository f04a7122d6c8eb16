package main

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portside/shared/testkit/webtest"
)

// TestFocusedHeadingsHaveNoOutline: scripts move the focus to a heading so that screen readers start there, but the
// outline is meant for controls. The rule for headings must name :focus-visible too, or the general rule is more
// specific.
func TestFocusedHeadingsHaveNoOutline(t *testing.T) {
	c := webtest.New(t, handler(t))
	addresses := webtest.References(c.Get("/portal").WantStatus(http.StatusOK).Body)
	i := slices.IndexFunc(addresses, func(address string) bool { return strings.HasSuffix(address, "/style.css") })
	if i < 0 {
		t.Fatal("the shell has no style sheet")
	}
	style := c.Get(addresses[i]).WantStatus(http.StatusOK).Body
	if !regexp.MustCompile(`(?m)^h1:focus-visible, .*\{ outline: none; \}$`).Match(style) {
		t.Errorf("a focused heading has an outline:\n%s", style)
	}
}
