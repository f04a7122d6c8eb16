// Package server has what every HTTP function needs: routes, one log record for each request, and problem details for
// errors, panics, and unknown paths and methods. It does not import huma, so that a function without operations, such
// as the portal, starts faster.
package server

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"portside/shared/core/errorcode"
)

// Mux routes requests to handlers. Unknown paths and methods get problem details.
type Mux struct {
	mux   *http.ServeMux
	fixed map[string][]string // the methods of paths without parameters
}

// NewMux returns a mux without routes.
func NewMux() *Mux { return &Mux{http.NewServeMux(), map[string][]string{}} }

// HandleFunc adds a route. The pattern is one of http.ServeMux.
func (m *Mux) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	m.mux.HandleFunc(pattern, handler)
	if method, at, hasMethod := strings.Cut(pattern, " "); hasMethod && !strings.Contains(at, "{") {
		m.fixed[at] = append(m.fixed[at], method)
		if method == http.MethodGet {
			m.fixed[at] = append(m.fixed[at], http.MethodHead)
		}
	}
}

// ServeHTTP implements http.Handler. It adds the route to the record of the request.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !IsClean(r.URL.Path) {
		NotFound(w, r) // http.ServeMux would redirect to the clean path, which loses the body of a POST
		return
	}
	_, route := m.mux.Handler(r)
	if allowed := m.fixed[r.URL.Path]; len(allowed) > 0 && (route == "" || hasParameter(route)) {
		// A fixed path such as /v1/users/activate does not take the methods of /v1/users/{userId}.
		methodNotAllowed(w, r, strings.Join(slices.Sorted(slices.Values(allowed)), ", "))
		return
	}
	RecordFrom(r.Context()).Route = route
	if route != "" {
		m.mux.ServeHTTP(w, r)
		return
	}
	// http.ServeMux knows which methods a path takes, but reports them in plain text.
	probe := &discardWriter{header: http.Header{}}
	m.mux.ServeHTTP(probe, r)
	if probe.status != http.StatusMethodNotAllowed {
		NotFound(w, r)
		return
	}
	methodNotAllowed(w, r, probe.header.Get("Allow"))
}

// hasParameter reports whether a route has a method and a parameter.
func hasParameter(route string) bool {
	_, at, hasMethod := strings.Cut(route, " ")
	return hasMethod && strings.Contains(at, "{")
}

func methodNotAllowed(w http.ResponseWriter, r *http.Request, allowed string) {
	p := newProblem(errorcode.MethodNotAllowed, "This path takes "+allowed+".")
	p.Header.Set("Allow", allowed)
	p.Write(w, r)
}

// IsClean reports whether a path has no empty, "." or ".." segments. A slash at its end is allowed.
func IsClean(p string) bool {
	clean := path.Clean("/" + p)
	return p == clean || clean != "/" && p == clean+"/"
}

// NotFound sends the problem details of a path that does not exist.
func NotFound(w http.ResponseWriter, r *http.Request) {
	newProblem(errorcode.NotFound, "There is nothing at this path. /docs lists all operations.").Write(w, r)
}

// discardWriter keeps the status and header of a response and discards its body.
type discardWriter struct {
	header http.Header
	status int
}

func (d *discardWriter) Header() http.Header         { return d.header }
func (d *discardWriter) Write(b []byte) (int, error) { return len(b), nil }
func (d *discardWriter) WriteHeader(status int)      { d.status = status }
