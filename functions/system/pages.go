package main

import (
	"embed"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/swaggest/swgui/v5/static"

	"portside/shared/web/assets"
)

//go:embed openapi.json
var document []byte

//go:embed docs
var docsFiles embed.FS

// contentSecurityPolicy permits the page to load its own files and the OpenAPI document, and nothing else. Images can
// also be embedded in the style sheet.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pages are the OpenAPI document and the documentation page. The files of Swagger UI come from a Go module and are
// embedded in the binary, so the page needs no other server. Its HTML page is not used, because it has inline scripts.
type pages struct {
	document assets.File
	index    []byte
	errors   []byte
	files    assets.Files // of the documentation page
}

func newPages() (*pages, error) {
	files, err := assets.Read(docsFiles, "docs/docs.js", "docs/docs.css", "docs/errors.css", "docs/favicon.svg")
	if err != nil {
		return nil, err
	}
	swaggerUI, err := assets.Read(static.FS, "swagger-ui-bundle.js", "swagger-ui.css")
	if err != nil {
		return nil, err
	}
	maps.Copy(files, swaggerUI)
	index, err := files.Page(docsFiles, "docs/index.html")
	if err != nil {
		return nil, err
	}
	errorsHTML, err := errorsPage(files)
	if err != nil {
		return nil, err
	}
	return &pages{document: assets.New("openapi.json", document), index: index, errors: errorsHTML, files: files}, nil
}

// portal redirects to the portal.
func (p *pages) portal(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/portal", http.StatusFound)
}

func (p *pages) docs(w http.ResponseWriter, _ *http.Request) {
	writePage(w, p.index, contentSecurityPolicy)
}

func (p *pages) describeErrors(w http.ResponseWriter, _ *http.Request) {
	writePage(w, p.errors, strings.Replace(contentSecurityPolicy, "script-src 'self'; ", "", 1))
}

func writePage(w http.ResponseWriter, page []byte, policy string) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(page)))
	header.Set("Content-Security-Policy", policy)
	header.Set("Cache-Control", "no-cache")
	_, _ = w.Write(page) // the client may have disconnected
}
