package main

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

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

// TestPageEntriesFindsAll compares the fast search in the table of pages with its imports.
func TestPageEntriesFindsAll(t *testing.T) {
	table, err := webFiles.ReadFile("web/" + pageTable)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for entry := range pageEntries(string(table)) {
		found++
		if _, err := fs.Stat(webFiles, "web/"+entry.module); err != nil || !strings.HasPrefix(entry.path, "/portal") {
			t.Errorf("%+v: %v", entry, err)
		}
	}
	if want := strings.Count(string(table), "=> import(\""); found != want || found < 20 {
		t.Errorf("found %d pages, want %d", found, want)
	}
}

func TestMatchesPath(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"/portal", "/portal", true},
		{"/portal/users/{userId}", "/portal/users/7", true},
		{"/portal/users/{userId}", "/portal/users/", false},
		{"/portal/users/{userId}", "/portal/users/7/8", false},
		{"/portal/users/new", "/portal/users/7", false},
	} {
		t.Run(test.pattern+" "+test.path, func(t *testing.T) {
			if got := matchesPath(test.pattern, test.path); got != test.want {
				t.Errorf("matchesPath(%q, %q) = %v", test.pattern, test.path, got)
			}
		})
	}
}
