package main

import (
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portside/shared/testkit/webtest"
)

func TestShellIsServedForEveryPage(t *testing.T) {
	c := webtest.New(t, handler(t))
	shell := string(c.Get("/portal").WantStatus(http.StatusOK).Body)
	for _, path := range []string{"/portal/", "/portal/users", "/portal/charts/hello/1.2.0"} {
		if got := string(c.Get(path).WantStatus(http.StatusOK).WantHeader("Cache-Control", "no-store").Body); got != shell {
			t.Errorf("%s has another shell than /portal", path)
		}
	}
}

// The import map is the only inline script, and only its hash may permit it.
func TestShellPolicyPermitsOnlyItsImportMap(t *testing.T) {
	page := webtest.New(t, handler(t)).Get("/portal")
	policy := page.Header.Get("Content-Security-Policy")
	if strings.Contains(policy, "unsafe") || strings.Count(policy, "http") != 1 || strings.Count(policy, "sha256-") != 1 {
		t.Errorf("the policy permits too much: %s", policy)
	}
	if inline := regexp.MustCompile(`<script(?: type="\w+")?>`).FindAll(page.Body, -1); len(inline) != 1 {
		t.Errorf("the shell has the inline scripts %q, want one", inline)
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
	for _, module := range []string{"vendor/preact.js", "vendor/hooks.js", "vendor/htm.js", "core/shell.js", "components/page.js"} {
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
	for _, path := range []string{"/portal/assets/0000000000000000/core/main.js", "/portal/assets/core/main.js", "/portal/assets/x"} {
		c.Get(path).WantStatus(http.StatusNotFound).WantHeader("Cache-Control", "no-store")
	}
}

// TestStaticImportsFindsAll compares the fast search with a regular expression over the whole module.
func TestStaticImportsFindsAll(t *testing.T) {
	statement := regexp.MustCompile(`(?m)^import [^;"]*"([^"]+)";`)
	modules, err := fs.Glob(webFiles, "web/*/*.js")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := fs.Glob(webFiles, "web/pages/*/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range append(modules, pages...) {
		content, err := webFiles.ReadFile(module)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, match := range statement.FindAllSubmatch(content, -1) {
			want = append(want, string(match[1]))
		}
		if got := slices.Collect(staticImports(content)); !slices.Equal(got, want) {
			t.Errorf("%s imports %q, but its head %q: write imports before everything else", module, want, got)
		}
	}
}
