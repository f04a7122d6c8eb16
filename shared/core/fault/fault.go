// Package fault defines the errors that callers of the service see.
//
// A domain returns an error that carries a [Kind], and each protocol maps kinds to its own statuses in one place; shared/web
// maps them to problem details. An error without a kind is internal: its text is logged and never sent to a client. The
// text of a fault is written for the caller, so it contains no secret and no rejected value.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind classifies an error in terms that every protocol can map.
type Kind int

// The kinds. The zero Kind is Internal, so that an unclassified error stays hidden.
const (
	Internal        Kind = iota // a defect or an outage; the text stays in the log
	Validation                  // the input breaks a documented rule
	Unauthorized                // no credential or an invalid one; the text never says which
	Forbidden                   // a valid credential without the permission
	NotFound                    // the resource does not exist, or the caller may not know that it does
	Conflict                    // the state of the resource does not permit the operation
	Precondition                // If-Match named another version
	TooLarge                    // the input is larger than the limit
	UnsupportedType             // the media type is not supported
	Unprocessable               // the input is valid, but its content cannot be processed
	RateLimited                 // too many requests in the current window
	Unavailable                 // a dependency is busy or down; the same request may succeed later
)

// Error is a fault with its kind and a sentence for the caller.
type Error struct {
	Kind   Kind
	Detail string  // one or two sentences: the problem, and how to fix it
	Fields []Field // for Validation: every failure at once
	Final  bool    // repeating the same request cannot succeed, whatever else changes

	// RetryAfter is the time to wait before a retry, for Unavailable. 0 means that it is unknown. The
	// Retry-After header is limited to between a second and a minute.
	RetryAfter time.Duration
}

// Field is one validation failure.
type Field struct {
	Pointer string // RFC 6901 pointer into the body ("/email"), or "query/limit", "path/userId", "header/If-Match"
	Detail  string // what is expected there, without the value that was sent
}

// New returns a sentinel of the given kind; compare it with errors.Is.
func New(kind Kind, detail string) *Error {
	return &Error{Kind: kind, Detail: detail}
}

// NewFinal is New for an error that every repetition of the same request gets.
func NewFinal(kind Kind, detail string) *Error {
	return &Error{Kind: kind, Detail: detail, Final: true}
}

// Invalid returns an error with all validation failures of a request.
func Invalid(fields ...Field) *Error {
	return &Error{Kind: Validation, Detail: "The request is not valid; see errors for each failure.", Fields: fields}
}

// Limits of the failures that are reported for one request. They keep responses and log records small.
const (
	maxReportedFields = 100
	maxPointerBytes   = 1_000 // clients choose the length of keys
)

// ReportedFields returns the failures to report, and the number of failures left out. A pointer that is too long is
// replaced by one to the nearest enclosing value.
func (e *Error) ReportedFields() (fields []Field, more int) {
	fields = slices.Clone(e.Fields[:min(len(e.Fields), maxReportedFields)])
	for i, f := range fields {
		if len(f.Pointer) > maxPointerBytes {
			enclosing := f.Pointer[:maxPointerBytes]
			fields[i].Pointer = enclosing[:max(strings.LastIndexByte(enclosing, '/'), 0)]
			fields[i].Detail = "at a key in it that is too long to repeat: " + f.Detail
		}
	}
	return fields, len(e.Fields) - len(fields)
}

// Error returns the detail, followed by the fields.
func (e *Error) Error() string {
	if len(e.Fields) == 0 {
		return e.Detail
	}
	fields, more := e.ReportedFields()
	all := make([]string, 0, len(fields)+1)
	for _, f := range fields {
		all = append(all, fmt.Sprintf("%s: %s", f.Pointer, f.Detail))
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return e.Detail + " (" + strings.Join(all, "; ") + ")"
}

// As returns the fault in err's chain, or nil.
func As(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}

// KindOf returns the kind of the fault in err's chain, or Internal if it has none.
func KindOf(err error) Kind {
	if e := As(err); e != nil {
		return e.Kind
	}
	return Internal
}
