package main

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portside/shared/testkit/webtest"
)

func TestShellIsServedForEveryPage(t *testing.T) {
	c := webtest.New(t, handler(t))
	shell := func(path string) string {
		return string(c.Get(path).WantStatus(http.StatusOK).WantHeader("Cache-Control", "no-store").Body)
	}
	for path, same := range map[string]string{
		"/portal/": "/portal", "/portal/charts/hello/1.2.0": "/portal/charts/x/y", "/portal/unknown": "/portal/charts/x/y/z",
	} {
		if shell(path) != shell(same) {
			t.Errorf("%s and %s have different shells", path, same)
		}
	}
	if !strings.Contains(shell("/portal/users/new"), "/pages/users/create.js") ||
		strings.Contains(shell("/portal/users/7"), "/create.js") {
		t.Error("the shell loads the modules of another page")
	}
	for path, want := range map[string]bool{"/portal": true, "/portal/unknown": true, "/portal/sign-in": false} {
		if strings.Contains(shell(path), "menu-outline\"") != want {
			t.Errorf("%s has the wrong outline of the menu", path)
		}
	}
}

// The import map is the only inline script, and the first style the only inline style. Only their hashes may permit
// them.
//
//proves:docs/security.md
func TestShellPolicyPermitsOnlyItsOwnInlineText(t *testing.T) {
	page := webtest.New(t, handler(t)).Get("/portal")
	policy := page.Header.Get("Content-Security-Policy")
	if strings.Contains(policy, "unsafe") || strings.Count(policy, "http") != 1 || strings.Count(policy, "sha256-") != 2 {
		t.Errorf("the policy permits too much: %s", policy)
	}
	inline := regexp.MustCompile(`(?s)<(?:script type="importmap"|style)>(.*?)</`).FindAllSubmatch(page.Body, -1)
	if tags := regexp.MustCompile(`<script(?: type="\w+")?>|<style`).FindAll(page.Body, -1); len(inline) != 2 ||
		len(tags) != 2 {
		t.Errorf("the shell has the inline texts %q, want two", tags)
	}
	for _, text := range inline {
		if !strings.Contains(policy, sourceOf(string(text[1]))) {
			t.Errorf("the policy forbids %s", text[1])
		}
	}
}

// Every module that another imports statically must be preloaded, or the first view takes more round trips.
func TestShellLoadsAndPreloadsItsModules(t *testing.T) {
	c := webtest.New(t, handler(t))
	shell := c.Get("/portal").WantStatus(http.StatusOK).Body
	if left := regexp.MustCompile(`\{\{\w+\}\}`).Find(shell); left != nil {
		t.Errorf("the shell contains %s", left)
	}
	preloads := 0
	for _, address := range webtest.References(shell) {
		if !strings.HasPrefix(address, "/portal/assets/") {
			continue
		}
		c.Get(address).WantStatus(http.StatusOK).WantHeader("Cache-Control", "public, max-age=31536000, immutable")
		preloads++
	}
	for _, module := range []string{"vendor/preact.js", "vendor/hooks.js", "vendor/htm.js", "core/shell.js",
		"pages/home/home.js"} {
		if !strings.Contains(string(shell), module+`">`) {
			t.Errorf("the shell does not preload %s", module)
		}
	}
	if preloads < 15 {
		t.Errorf("the shell refers to %d files, want its modules, the style sheet and the icon", preloads)
	}
}

func TestAssetsOfAnotherVersionAreMissing(t *testing.T) {
	c := webtest.New(t, handler(t))
	for _, path := range []string{"/portal/assets/0000000000000000/core/main.js", "/portal/assets/core/main.js",
		"/portal/assets/x"} {
		c.Get(path).WantStatus(http.StatusNotFound).WantHeader("Cache-Control", "no-store")
	}
}

// TestModulesWriteNoHTML also checks that only the settings of the media page are stored in the browser, until the user
// signs out.
//
//proves:docs/security.md
func TestModulesWriteNoHTML(t *testing.T) {
	html := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTML|srcdoc|document\.write|DOMParser`)
	stored := regexp.MustCompile(`localStorage|sessionStorage\.?\w*|indexedDB|document\.cookie`)
	found := map[string][]string{}
	for name, module := range modules(t) {
		if text := html.FindString(module); text != "" {
			t.Errorf("%s calls %s", name, text)
		}
		if all := stored.FindAllString(module, -1); len(all) > 0 {
			found[name] = all
		}
	}
	want := map[string][]string{
		"core/session.js": {"sessionStorage.clear"}, "pages/media/settings.js": {"sessionStorage.getItem", "sessionStorage.setItem"},
	}
	if !maps.EqualFunc(found, want, slices.Equal) {
		t.Errorf("stored in the browser: %q, want %q", found, want)
	}
}
