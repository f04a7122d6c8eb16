package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/core/text"
)

// Observe wraps the handler of a function. It logs each request in one record, adds the X-Request-Id and the headers
// for browsers to each response, and calls onPanic if next panics before it has sent a response.
func Observe(next http.Handler, onPanic http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		rec := &Record{RequestID: RequestID(r)}
		ctx := audit.WithSource(r.Context(), audit.Source{RequestID: rec.RequestID, Address: Address(r)})
		r = r.WithContext(context.WithValue(ctx, recordKey{}, rec))
		out := &statusWriter{ResponseWriter: w}
		out.Header().Set("X-Request-Id", RequestID(r))
		setBrowserHeaders(out.Header())
		defer func() {
			if cause := recover(); cause != nil {
				rec.panicked, rec.stack = cause, debug.Stack()
				if out.status == 0 {
					onPanic(out, r)
				}
			}
			rec.log(r, out.status, time.Since(started))
		}()
		next.ServeHTTP(out, r)
	})
}

// setBrowserHeaders sets the headers for browsers, which pages and files replace where they need more. A browser that
// opens a response of the API as a document loads nothing for it, runs nothing, and shows it in no frame.
func setBrowserHeaders(header http.Header) {
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains") // browsers ignore it over HTTP, as on a laptop
	header.Set("X-Content-Type-Options", "nosniff")
}

// Address returns the IP address of the client, which lambdahttp puts into RemoteAddr, or "" if it is unknown.
func Address(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	return at.Addr().Unmap().String()
}

// RequestID returns API Gateway's ID of the request, which lambdahttp puts into this header.
func RequestID(r *http.Request) string { return r.Header.Get("X-Request-Id") }

// Record is the log record of one request. Handlers complete it, and Observe logs it once.
type Record struct {
	RequestID string
	Route     string              // "" for an unknown path
	Caller    principal.Principal // zero without a valid credential
	Err       error               // nil if the request succeeded
	// Brief lowers the level of a success to DEBUG, for requests that come in large numbers. The access log has them,
	// too.
	Brief bool

	panicked any
	stack    []byte
}

type recordKey struct{}

// RecordFrom returns the record of the request that ctx belongs to, or an unused record if Observe does not log the
// request.
func RecordFrom(ctx context.Context) *Record {
	if rec, ok := ctx.Value(recordKey{}).(*Record); ok {
		return rec
	}
	return &Record{}
}

// log writes the record. It has the route instead of the path and query, because those can contain secrets by mistake.
func (rec *Record) log(r *http.Request, status int, took time.Duration) {
	level := slog.LevelInfo
	fields := []any{
		"requestId", RequestID(r), "method", r.Method, "route", rec.Route, "status", status,
		"ms", float64(took.Microseconds()) / 1000,
	}
	if rec.Caller.UserID != "" {
		fields = append(fields, "user", rec.Caller.UserID, "credential", rec.Caller.CredentialID)
	}
	if rec.Err != nil {
		fields = append(fields, "error", text.Shorten(rec.Err.Error(), maxErrorCharacters))
	}
	if rec.panicked != nil {
		fields = append(fields, "panic", rec.panicked, "stack", string(rec.stack))
	}
	switch {
	case status >= http.StatusInternalServerError:
		level = slog.LevelError
	case rec.Brief && status < http.StatusBadRequest:
		level = slog.LevelDebug
	}
	slog.Log(r.Context(), level, "request", fields...)
}

// maxErrorCharacters is how much of an error is logged. The names of unknown fields, which a client chooses, are a part
// of it.
const maxErrorCharacters = 4000

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

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
