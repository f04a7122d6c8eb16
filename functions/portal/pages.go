package main

import (
	"embed"
	"net/http"
	"strconv"

	"portside/shared/web/assets"
)

//go:embed pages
var embedded embed.FS

// contentSecurityPolicy permits a page to load its own files and to call this API. A page handles a one-time token and then a
// credential, so it must not load code from other servers, and other sites must not embed it.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

type pages struct {
	byPath map[string]page
	files  assets.Files
}

func newPages() (*pages, error) {
	files, err := assets.Read(embedded,
		"pages/portal.js", "pages/activate.js", "pages/collect.js", "pages/portal.css", "pages/favicon.svg")
	if err != nil {
		return nil, err
	}
	p := &pages{byPath: map[string]page{}, files: files}
	for _, name := range []string{"activate", "collect"} {
		if p.byPath["/portal/"+name], err = files.Page(embedded, "pages/"+name+".html"); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// page is a page that mails link to. The link has a token after its #. Browsers do not send this part, so it reaches neither
// this function nor a log. The page is the same for everybody, and opening it does not use the token up.
type page []byte

// ServeHTTP implements http.Handler.
func (p page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	setPageHeaders(header, contentSecurityPolicy)
	header.Set("Content-Length", strconv.Itoa(len(p)))
	_, _ = w.Write(p) // the client may have disconnected
}
