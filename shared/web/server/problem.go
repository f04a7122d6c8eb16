package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
)

// Problem is the body of every error: problem details (RFC 9457) with a code for programs.
type Problem struct {
	Type      string         `json:"type" format:"uri-reference" doc:"Reference of the description of the code, which is on the page /docs/errors. It is relative to the address of the request." example:"/docs/errors#VALIDATION_ERROR"`
	Title     string         `json:"title" doc:"Reason phrase of the HTTP status." example:"Bad Request"`
	Status    int            `json:"status" doc:"HTTP status." example:"400"`
	Detail    string         `json:"detail" doc:"Explains the problem and how to fix it." example:"The request is not valid; see errors for each failure."`
	Code      errorcode.Code `json:"code" doc:"Identifies the kind of problem, for programs."`
	RequestID string         `json:"requestId" doc:"The X-Request-Id of the response. Include it when you ask for help." example:"0HN4bRs0oAMEJ1w="`
	Errors    []ProblemField `json:"errors,omitempty" doc:"All validation failures. If there are more than 100, the first 100, and detail has the number of further failures."`

	OAuthError       string `json:"error,omitempty" doc:"Error code of OAuth 2.0 (RFC 6749). Only operations for OAuth clients have it." example:"invalid_request"`
	OAuthDescription string `json:"error_description,omitempty" doc:"The same as detail, for OAuth clients. Only operations for them have it." example:"The token has expired."`

	Header http.Header `json:"-"` // of the response
	cause  error
}

// ProblemField is one validation failure.
type ProblemField struct {
	Pointer string `json:"pointer" doc:"JSON pointer (RFC 6901) into the body, empty for the whole body; or query/<name>, path/<name> or header/<name>, or query for the whole query." example:"/email"`
	Detail  string `json:"detail" doc:"What is expected there. It does not repeat the value that was sent. It may name an unknown column." example:"must be an email address such as ada@example.com"`
}

const internalDetail = "Something went wrong on our side. Try again. If it happens again, send us the requestId."

// ProblemOf converts any error to the problem that the client gets. Only errors with a kind show their text to the
// client.
func ProblemOf(err error) *Problem {
	f := fault.As(err)
	if f == nil {
		f = fault.New(fault.Internal, internalDetail)
	}
	p := newProblem(f.ProblemCode(), f.Detail)
	p.cause = err
	fields, more := f.Reported()
	for _, field := range fields {
		p.Errors = append(p.Errors, ProblemField{Pointer: field.Pointer, Detail: field.Detail})
	}
	if more > 0 {
		p.Detail += fmt.Sprintf(" %d more failures follow these %d.", more, len(fields))
	}
	if f.OAuthCode != "" {
		p.OAuthError, p.OAuthDescription = f.OAuthCode, p.Detail
	}
	switch {
	case f.Final:
		p.Header.Set("X-Should-Retry", "false")
	case f.Kind == fault.Unavailable, (f.Kind == fault.RateLimited || f.Kind == fault.QuotaExceeded) && f.RetryAfter > 0:
		p.Header.Set("Retry-After", retryAfter(f))
	case f.Kind == fault.Unauthorized:
		p.Header.Set("WWW-Authenticate", `ApiKey realm="Portside", header="X-API-Key"`)
	}
	return p
}

// retryAfter returns the wait of a fault in seconds, rounded up: at least one second, and at most a minute for an
// outage, whose end is a guess.
func retryAfter(f *fault.Error) string {
	longest := 24 * time.Hour
	if f.Kind == fault.Unavailable {
		longest = time.Minute
	}
	wait := min(max(f.RetryAfter, time.Second), longest)
	return strconv.Itoa(int((wait + time.Second - 1) / time.Second))
}

func newProblem(code errorcode.Code, detail string) *Problem {
	return &Problem{
		Type: code.Type(), Title: http.StatusText(code.Status()), Status: code.Status(), Detail: detail, Code: code, Header: http.Header{},
	}
}

// WritePanic sends the problem of a handler that panicked; see Observe.
func WritePanic(w http.ResponseWriter, r *http.Request) { ProblemOf(errPanic).Write(w, r) }

var errPanic = errors.New("panic")

// GetStatus implements huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders implements huma.HeadersError.
func (p *Problem) GetHeaders() http.Header { return p.Header }

// ContentType implements huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// Error implements error. huma passes an error of this type on unchanged.
func (p *Problem) Error() string { return p.Detail }

// Unwrap returns the error that caused the problem.
func (p *Problem) Unwrap() error { return p.cause }

// Write sends the problem as the response of the request.
func (p *Problem) Write(w http.ResponseWriter, r *http.Request) {
	p.RequestID = RequestID(r)
	body, err := json.Marshal(p)
	if err != nil {
		panic("server: cannot encode a problem: " + err.Error())
	}
	for name, values := range p.Header {
		w.Header()[name] = append(w.Header()[name], values...)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // the client may have disconnected
}
