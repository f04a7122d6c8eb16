package web

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"runtime/debug"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// Observe wraps the handler of a function. It logs each request in one record, adds the X-Request-Id and the headers for
// browsers to each response, and calls onPanic if next panics before it has sent a response.
func Observe(next http.Handler, onPanic http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		rec := &record{requestID: requestID(r)}
		r = r.WithContext(context.WithValue(r.Context(), recordKey{}, rec))
		out := &statusWriter{ResponseWriter: w}
		out.Header().Set("X-Request-Id", requestID(r))
		out.Header().Set("X-Content-Type-Options", "nosniff")
		out.Header().Set("Strict-Transport-Security", "max-age=31536000") // browsers ignore it over HTTP, as on a laptop
		out.Header().Set("Cache-Control", "no-store")
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

// RecordOutcome adds the route of a request that Observe logs, and its error if there is one.
func RecordOutcome(r *http.Request, route string, err error) {
	rec := recordOf(r)
	rec.route, rec.err = route, err
}

// requestID returns API Gateway's ID of the request, which lambdahttp puts into this header.
func requestID(r *http.Request) string { return r.Header.Get("X-Request-Id") }

// record is the log record of one request, with what the middlewares of the request share. It is logged once.
type record struct {
	requestID         string
	request           *http.Request // set if the operation has a body
	bodyType          reflect.Type  // of the operation's input; nil if it has none
	parameterFailures []fault.Field // found by checkParameters; reported with those of huma
	route             string
	caller            principal.Principal
	err               error
	panicked          any
	stack             []byte
}

type recordKey struct{}

// recordOf returns the record of a request that Observe logs, or an unused record.
func recordOf(r *http.Request) *record { return recordFrom(r.Context()) }

func recordFrom(ctx context.Context) *record {
	if rec, ok := ctx.Value(recordKey{}).(*record); ok {
		return rec
	}
	return &record{}
}

// log writes the record. It has the route instead of the path and query, because those can contain secrets by mistake.
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

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
