package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// Handler returns the API as a handler, observed: unknown paths and methods get problem details.
func (a *API) Handler() http.Handler {
	return Observe(http.HandlerFunc(a.route), func(w http.ResponseWriter, r *http.Request) {
		problemOf(errors.New("panic")).write(w, r)
	})
}

// Observe returns next with what the handler of every function has: each request is logged in one record, each answer
// carries its X-Request-Id, and a panic before the answer is answered by broken.
func Observe(next http.Handler, broken http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		rec := &record{requestID: requestID(r)}
		r = r.WithContext(context.WithValue(r.Context(), recordKey{}, rec))
		out := &statusWriter{ResponseWriter: w}
		out.Header().Set("X-Request-Id", requestID(r))
		out.Header().Set("X-Content-Type-Options", "nosniff")
		out.Header().Set("Cache-Control", "no-store")
		defer func() {
			if cause := recover(); cause != nil {
				rec.panicked, rec.stack = cause, debug.Stack()
				if out.status == 0 {
					broken(out, r)
				}
			}
			rec.log(r, out.status, time.Since(started))
		}()
		next.ServeHTTP(out, r)
	})
}

// Note adds to the record of an observed request which route it took and what went wrong, if anything.
func Note(r *http.Request, route string, err error) {
	rec := recordOf(r)
	rec.route, rec.err = route, err
}

func (a *API) route(w http.ResponseWriter, r *http.Request) {
	rec := recordOf(r)
	if r.URL.Path != path.Clean("/"+r.URL.Path) {
		notFound().write(w, r) // else the mux would redirect to the clean path, and lose what a POST carries
		return
	}
	_, rec.route = a.mux.Handler(r)
	if rec.route != "" {
		a.mux.ServeHTTP(w, r)
		return
	}
	// The mux knows which methods a path takes, but says so in plain text.
	probe := &discard{header: http.Header{}}
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

func notFound() *Problem {
	return newProblem(http.StatusNotFound, "NOT_FOUND", "There is nothing at this path; /docs lists what there is.")
}

// requestID is API Gateway's id of the request, which lambdahttp puts into this header.
func requestID(r *http.Request) string { return r.Header.Get("X-Request-Id") }

// record is what is logged of one request, filled on the way and written once.
type record struct {
	requestID string
	request   *http.Request // of an operation with a body
	unread    []fault.Field // what is wrong with parameters and huma does not see, told with the rest
	route     string
	caller    principal.Principal
	err       error
	panicked  any
	stack     []byte
}

type recordKey struct{}

// recordOf returns the record of a request that came through Handler, or one that nobody logs.
func recordOf(r *http.Request) *record { return recordFrom(r.Context()) }

func recordFrom(ctx context.Context) *record {
	if rec, ok := ctx.Value(recordKey{}).(*record); ok {
		return rec
	}
	return &record{}
}

// log writes the record. It names the route and not the path or query, which may hold what people typed by mistake.
func (rec *record) log(r *http.Request, status int, took time.Duration) {
	level := slog.LevelInfo
	fields := []any{
		"requestId", requestID(r), "method", r.Method, "route", rec.route, "status", status,
		"ms", float64(took.Microseconds()) / 1000,
	}
	if rec.caller.UserID != "" {
		fields = append(fields, "user", rec.caller.UserID, "credential", rec.caller.CredentialID)
	}
	if rec.err != nil {
		fields = append(fields, "error", rec.err.Error())
	}
	if rec.panicked != nil {
		fields = append(fields, "panic", rec.panicked, "stack", string(rec.stack))
	}
	if status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	slog.Log(r.Context(), level, "request", fields...)
}

// statusWriter remembers the status that was sent.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController the writer underneath.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// discard takes a response for its status and header alone.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }
