package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is a refusal of a call by the service or by the gateway in front of it.
type Error struct {
	Method, Path string // the call

	Status    int         // HTTP status
	Code      ProblemCode // kind of problem, for programs; empty if the gateway answered
	Title     string      // reason phrase of the status
	Detail    string      // explains the problem and how to fix it, for people
	Fields    []ProblemField
	RequestID string // to quote when you ask for help

	RetryAfter time.Duration // after which a repetition can succeed; 0 if the service does not say
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "portside: %s %s: %d %s", e.Method, e.Path, e.Status, e.Title)
	if e.Code != "" {
		fmt.Fprintf(&b, " (%s)", e.Code)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	for _, field := range e.Fields {
		fmt.Fprintf(&b, "; %s: %s", strings.TrimPrefix(field.Pointer, "/"), field.Detail)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " [request %s]", e.RequestID)
	}
	return b.String()
}

// newError reads a problem document of the service, or {"message": …} of the gateway. Other bodies, such as those of
// proxies, are left out.
func newError(r *call, a *answer) *Error {
	var body struct {
		Code    ProblemCode    `json:"code"`
		Detail  string         `json:"detail"`
		Errors  []ProblemField `json:"errors"`
		Message string         `json:"message"`
	}
	_ = json.Unmarshal(a.text, &body) // an error leaves the fields empty
	e := &Error{
		Method: r.method, Path: r.path, Status: a.status, Code: body.Code, Title: http.StatusText(a.status),
		Detail: body.Detail,
		Fields: body.Errors, RequestID: a.header.Get("X-Request-Id"), RetryAfter: retryAfter(a.header),
	}
	if e.Detail == "" && body.Message != e.Title {
		e.Detail = body.Message
	}
	if e.RequestID == "" {
		e.RequestID = a.header.Get("Apigw-Requestid")
	}
	return e
}

// ErrUnreadable means that an answer is not one of Portside, although its status says that the call succeeded.
var ErrUnreadable = errors.New("the answer cannot be read")

// JobStartedError means that the service could not answer in time and continues the work as a job. [Client.GetJob] has
// the answer later. The methods Start… always start a job.
type JobStartedError struct {
	JobID string
}

// Error implements error.
func (e *JobStartedError) Error() string {
	return fmt.Sprintf("portside: the work takes longer and goes on as job %s", e.JobID)
}
