package main

import (
	"net/http"
	"strings"

	"portside/shared/web/server"
)

// endsInSlash reports whether a request reads a path with a slash at its end, such as /portal/. API Gateway may not
// pass it to the function that serves /portal.
func endsInSlash(r *http.Request) bool {
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	return isRead && len(r.URL.Path) > 1 && strings.HasSuffix(r.URL.Path, "/") && server.IsClean(r.URL.Path)
}

// removeSlash redirects to the path without the slash at its end.
func removeSlash(w http.ResponseWriter, r *http.Request) {
	target := strings.TrimSuffix(r.URL.EscapedPath(), "/")
	if r.URL.RawQuery != "" {
		target += "?" + r.URL.RawQuery
	}
	http.Redirect(w, r, target, http.StatusFound) //nolint:gosec // a clean path, so no host
}
