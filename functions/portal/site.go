package main

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"portside/shared/web/assets"
	"portside/shared/web/server"
)

// shellTemplate is the HTML document of every page. It loads the modules.
//
//go:embed web/index.html
var shellTemplate string

// webFiles has the modules, the style sheet and the icon. The patterns leave out types.d.ts, which browsers do not
// load.
//
//go:embed web/style.css web/favicon.svg web/*/*.js web/pages/*/*.js
var webFiles embed.FS

// firstStyle is the style of the shell. The shell contains it inline, so the browser can draw before it has loaded
// style.css.
//
//go:embed web/first.css
var firstStyle string

// site is the web application.
type site struct {
	tree   *assets.Tree
	base   string // path of the tree, which the paths of its files begin with
	shell  string // the shell with placeholders for the parts that differ between pages
	policy string // the Content-Security-Policy of the shell
}

// libraries are the vendored modules that other modules import by a bare name.
var libraries = map[string]string{"preact": "vendor/preact.js", "preact/hooks": "vendor/hooks.js",
	"htm": "vendor/htm.js"}

// firstModule is the module that the shell starts.
const firstModule = "core/main.js"

// newSite returns the application. Its pages may post files to uploadsOrigin; hasSpeech says whether
// the service reads recordings without subtitles.
func newSite(uploadsOrigin string, hasSpeech bool) (*site, error) {
	root, err := fs.Sub(webFiles, "web")
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	version := assets.BuildID()
	if version == "" {
		if version, err = assets.HashFiles(root); err != nil {
			return nil, err
		}
	}
	tree := assets.NewTree(root, version)
	s := &site{tree: tree, base: "/portal/assets/" + tree.Version()}
	importMap, err := newImportMap(s.base)
	if err != nil {
		return nil, err
	}
	s.policy = newPolicy(importMap, uploadsOrigin)
	s.shell = strings.NewReplacer("{{assets}}", s.base, "{{importmap}}", importMap, "{{first.css}}", firstStyle,
		"{{hasSpeech}}", strconv.FormatBool(hasSpeech)).
		Replace(shellTemplate)
	return s, nil
}

// newPolicy returns the Content-Security-Policy of the shell. It permits one inline script, the import map, and one
// inline style, firstStyle, each by its hash.
func newPolicy(importMap, uploadsOrigin string) string {
	return "default-src 'none'; script-src 'self' " + sourceOf(importMap) + "; style-src 'self' " + sourceOf(firstStyle) + "; " +
		"img-src 'self' data: blob:; connect-src 'self' " + uploadsOrigin + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types portside-pdf"
}

// sourceOf returns the source with which a Content-Security-Policy permits an inline script or style.
func sourceOf(inline string) string {
	sum := sha256.Sum256([]byte(inline))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func newImportMap(base string) (string, error) {
	imports := make(map[string]string, len(libraries))
	for name, file := range libraries {
		imports[name] = base + "/" + file
	}
	encoded, err := json.Marshal(map[string]any{"imports": imports})
	return string(encoded), err
}

// ServeHTTP sends the shell, which is the same for every user. Pages differ only in the modules that the browser
// preloads and in the outline of the menu. The modules read the address and call the API.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page := s.findPage(r.URL.Path)
	menu := menuOutline
	if page.isPublic {
		menu = ""
	}
	shell := strings.NewReplacer("{{preloads}}", s.preloads(page), "{{menu}}", menu).Replace(s.shell)
	header := w.Header()
	setPageHeaders(header, s.policy)
	header.Set("Content-Length", strconv.Itoa(len(shell)))
	_, _ = io.WriteString(w, shell) // the client may have disconnected
}

// menuOutline shows where the menu will be. It has no entries, because the shell does not depend on the user's
// permissions.
const menuOutline = `<div class="menu menu-outline" aria-hidden="true"><i></i><i></i><i></i><i></i><i></i><i></i></div>`

// asset sends a module, the style sheet or the icon.
func (s *site) asset(w http.ResponseWriter, r *http.Request) {
	file, found := s.tree.File(r.PathValue("version"), r.PathValue("file"))
	if !found {
		server.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", assetPolicy)
	file.ServeHTTP(w, r)
}

// assetPolicy restricts the pdf.js worker, which parses untrusted files and needs no network. A worker gets the policy
// from the response that contains its script, not from the page. The policy does not affect other files, because they
// are not documents.
const assetPolicy = "default-src 'none'"

// setPageHeaders sets the headers of a page. Pages handle credentials, so other sites must not embed them, and caches
// must not keep them.
func setPageHeaders(header http.Header, policy string) {
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", policy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("X-Frame-Options", "DENY")
	header.Set("X-Robots-Tag", "noindex")
}
