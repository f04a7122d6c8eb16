package web

import (
	"errors"
	"net/http"
	"path"
)

// Handler returns the API as a handler that logs every request and recovers from panics. Unknown paths and methods get
// problem details.
func (a *API) Handler() http.Handler {
	return Observe(http.HandlerFunc(a.route), func(w http.ResponseWriter, r *http.Request) {
		problemOf(errors.New("panic")).write(w, r)
	})
}

func (a *API) route(w http.ResponseWriter, r *http.Request) {
	rec := recordOf(r)
	if !isClean(r.URL.Path) {
		notFound().write(w, r) // the mux would redirect to the clean path, which loses the body of a POST
		return
	}
	_, rec.route = a.mux.Handler(r)
	if rec.route != "" {
		a.mux.ServeHTTP(w, r)
		return
	}
	// The mux knows which methods a path takes, but reports them in plain text.
	probe := &discardWriter{header: http.Header{}}
	a.mux.ServeHTTP(probe, r)
	if probe.status != http.StatusMethodNotAllowed {
		notFound().write(w, r)
		return
	}
	allowed := probe.header.Get("Allow")
	p := newProblem(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "This path takes "+allowed+".")
	p.header.Set("Allow", allowed)
	p.write(w, r)
}

// isClean reports whether a path has no empty, "." or ".." segments. A slash at its end is allowed.
func isClean(p string) bool {
	clean := path.Clean("/" + p)
	return p == clean || clean != "/" && p == clean+"/"
}

// NotFound sends the problem details of a path that does not exist. Page handlers use it.
func NotFound(w http.ResponseWriter, r *http.Request) { notFound().write(w, r) }

func notFound() *Problem {
	return newProblem(http.StatusNotFound, "NOT_FOUND", "There is nothing at this path. /docs lists all operations.")
}

// discardWriter keeps the status and header of a response and discards its body.
type discardWriter struct {
	header http.Header
	status int
}

func (d *discardWriter) Header() http.Header         { return d.header }
func (d *discardWriter) Write(b []byte) (int, error) { return len(b), nil }
func (d *discardWriter) WriteHeader(status int)      { d.status = status }
