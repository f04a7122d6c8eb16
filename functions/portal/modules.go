package main

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"
)

// pageEntry has the data of a page in the table of pages that the shell needs.
type pageEntry struct {
	path     string // with {parameters}
	module   string // "" for an address without a page
	isPublic bool
}

// pageTable is the module with the table of pages.
const pageTable = "core/pages.js"

// findPage returns the page that the portal's router shows for a path.
func (s *site) findPage(address string) pageEntry {
	table, _ := s.tree.Content(pageTable)
	for entry := range pageEntries(string(table)) {
		if matchesPath(entry.path, strings.TrimRight(address, "/")) {
			return entry
		}
	}
	return pageEntry{}
}

// pageEntries returns the entries of the table of pages. It searches in the text instead of parsing JavaScript; a test
// compares the result with the table that the browser reads.
func pageEntries(table string) iter.Seq[pageEntry] {
	return func(yield func(pageEntry) bool) {
		parts := strings.Split(table, `path: "`)
		for _, part := range parts[1:] {
			address, rest, _ := strings.Cut(part, `"`)
			_, rest, _ = strings.Cut(rest, `import("`)
			module, rest, _ := strings.Cut(rest, `"`)
			entry := pageEntry{address, path.Join(path.Dir(pageTable), module), strings.Contains(rest, "isPublic: true")}
			if !yield(entry) {
				return
			}
		}
	}
}

// matchesPath reports whether a path matches a pattern. A {parameter} matches one segment that is not empty.
func matchesPath(pattern, address string) bool {
	wanted, given := strings.Split(pattern, "/"), strings.Split(address, "/")
	return len(wanted) == len(given) && !slices.ContainsFunc(wanted, func(part string) bool {
		value := given[0]
		given = given[1:]
		if strings.HasPrefix(part, "{") {
			return value == ""
		}
		return part != value
	})
}

// preloads returns the links with which the browser loads all modules of the page at once. Without them, the browser
// would find each module only after the one that imports it, a round trip later.
func (s *site) preloads(page pageEntry) string {
	modules := s.imported(firstModule, nil)
	if page.module != "" {
		modules = s.imported(page.module, modules)
	}
	links := make([]string, 0, len(modules))
	for _, name := range modules {
		links = append(links, `<link rel="modulepreload" href="`+s.base+"/"+name+`">`)
	}
	return strings.Join(links, "\n")
}

// imported appends a module and all modules that it imports statically to found.
func (s *site) imported(module string, found []string) []string {
	if slices.Contains(found, module) {
		return found
	}
	found = append(found, module)
	content, _ := s.tree.Content(module)
	for name := range staticImports(content) {
		if library, isLibrary := libraries[name]; isLibrary {
			found = s.imported(library, found)
		} else if strings.HasPrefix(name, ".") {
			found = s.imported(path.Join(path.Dir(module), name), found)
		}
	}
	return found
}

// staticImports returns the modules that a module names in the import statements at its beginning. A regular expression
// over whole files would take a quarter of the startup time.
func staticImports(module []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range bytes.Lines(module) {
			line := string(line)
			isHead := line == "\n" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "import ") ||
				strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "} from ")
			if !isHead {
				return
			}
			_, quoted, _ := strings.Cut(line, `"`)
			name, rest, _ := strings.Cut(quoted, `"`)
			if strings.HasPrefix(rest, ";") && !yield(name) {
				return
			}
		}
	}
}
