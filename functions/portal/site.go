package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"portside/shared/web"
	"portside/shared/web/assets"
)

// shellTemplate is the HTML document of every page. It loads the modules.
//
//go:embed web/index.html
var shellTemplate string

// The modules, the style sheet and the icon. The .d.ts files, which have types only, stay out of the binary.
//
//go:embed web/style.css web/favicon.svg web/*/*.js web/pages/*/*.js
var webFiles embed.FS

// site is the web application.
type site struct {
	tree   *assets.Tree
	shell  []byte
	policy string // the Content-Security-Policy of the shell
}

// libraries are the vendored modules that other modules import by a bare name.
var libraries = map[string]string{"preact": "vendor/preact.js", "preact/hooks": "vendor/hooks.js", "htm": "vendor/htm.js"}

// firstModule is the module that the shell starts.
const firstModule = "core/main.js"

// newSite returns the application. Its pages may post files to the origin of the uploads.
func newSite(uploadsOrigin string) (*site, error) {
	root, err := fs.Sub(webFiles, "web")
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	known, err := vendoredHashes()
	if err != nil {
		return nil, err
	}
	tree, err := assets.ReadTree(root, known)
	if err != nil {
		return nil, err
	}
	s := &site{tree: tree}
	base := "/portal/assets/" + tree.Version()
	importMap, err := newImportMap(base)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(importMap)
	// The import map is the only inline script. Its hash permits it, and no other.
	s.policy = "default-src 'none'; script-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; style-src 'self'; " +
		"img-src 'self' data: blob:; connect-src 'self' " + uploadsOrigin + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types portside-pdf"
	s.shell = []byte(strings.NewReplacer(
		"{{assets}}", base, "{{importmap}}", string(importMap), "{{preloads}}", s.preloads(base)).Replace(shellTemplate))
	return s, nil
}

// vendorManifest lists the vendored files with their hashes. A test compares both.
//
//go:embed web/vendor/vendor.json
var vendorManifest []byte

// vendoredHashes returns the hashes of the vendored files, which are larger than all others together.
func vendoredHashes() (map[string]string, error) {
	var files []struct {
		File   string `json:"file"`
		SHA256 string `json:"sha256"`
	}
	if err := json.Unmarshal(vendorManifest, &files); err != nil {
		return nil, fmt.Errorf("vendor.json: %w", err)
	}
	hashes := make(map[string]string, len(files))
	for _, file := range files {
		hashes["vendor/"+file.File] = file.SHA256
	}
	return hashes, nil
}

func newImportMap(base string) ([]byte, error) {
	imports := make(map[string]string, len(libraries))
	for name, file := range libraries {
		imports[name] = base + "/" + file
	}
	return json.Marshal(map[string]any{"imports": imports})
}

// preloads returns the links with which the browser loads all modules of the first view at once. Otherwise it would find
// them one after the other, each a round trip later.
func (s *site) preloads(base string) string {
	modules := s.imported(firstModule, nil)
	links := make([]string, 0, len(modules))
	for _, name := range modules {
		links = append(links, `<link rel="modulepreload" href="`+base+"/"+name+`">`)
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

// staticImports returns the modules that a module names in the import statements at its beginning. A regular expression over
// all modules would take a quarter of the function's start.
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

// ServeHTTP sends the shell. It is the same for every page and every user: the modules read the address and call the API.
func (s *site) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	setPageHeaders(header, s.policy)
	header.Set("Content-Length", strconv.Itoa(len(s.shell)))
	_, _ = w.Write(s.shell) // the client may have disconnected
}

// asset sends a module, the style sheet or the icon.
func (s *site) asset(w http.ResponseWriter, r *http.Request) {
	file, found := s.tree.File(r.PathValue("version"), r.PathValue("file"))
	if !found {
		web.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", assetPolicy)
	file.ServeHTTP(w, r)
}

// assetPolicy applies to a worker, which takes the policy of its script instead of the page's. The worker of pdf.js parses
// files of strangers and needs no network. Other files are not documents, so it does not affect them.
const assetPolicy = "default-src 'none'"

// setPageHeaders sets the headers of a page. Pages handle credentials, so other sites must not embed them, and caches must not
// keep them.
func setPageHeaders(header http.Header, policy string) {
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", policy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Frame-Options", "DENY")
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Cache-Control", "no-store")
}
