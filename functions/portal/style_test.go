package main

import (
	"net/http"
	"regexp"
	"testing"

	"portside/shared/testkit/webtest"
)

// Scripts move the focus to a heading so that screen readers begin there. The frame of what has the focus is for what one
// can act on, and its rule is the more specific one unless the heading's names the state too.
func TestHeadingsHaveNoFrame(t *testing.T) {
	style := webtest.New(t, handler(t)).Get("/portal/assets/portal.css").Is(http.StatusOK).Body
	if !regexp.MustCompile(`(?m)^h1:focus-visible \{ outline: none; \}$`).Match(style) {
		t.Errorf("the heading keeps the frame of the focus:\n%s", style)
	}
}
