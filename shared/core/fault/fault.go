// Package fault defines the errors that a caller can act on.
//
// A domain declares sentinel errors, each with a [Kind]. Each protocol maps kinds to its own form
// in exactly one place; shared/web maps them to problem details. An error without a kind is
// internal: its text goes to the log and never to a client. The text of a fault is written for the
// person who made the request, and contains no secret and no rejected value.
package fault

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"portside/shared/core/errorcode"
)

// Kind classifies a fault in terms that every protocol can map.
type Kind int

// The kinds. The zero Kind is Internal, so that an unclassified error stays hidden.
const (
	Internal        Kind = iota // a defect or outage in Portside; the text stays in the log
	Validation                  // the input breaks a documented rule
	Unauthorized                // no credential, or one that is not accepted; never says which
	Forbidden                   // the credential is accepted but lacks the permission
	NotFound                    // no such resource, or none that the caller may know about
	Conflict                    // the state of the resource does not allow it
	Precondition                // If-Match named another version
	TooLarge                    // more bytes than allowed
	UnsupportedType             // a media type that is not supported
	Unprocessable               // the request is well-formed, but its content cannot be processed
	RateLimited                 // too many requests in the current window
	Unavailable                 // a dependency is busy or unreachable; the same request may succeed later
	QuotaExceeded               // the caller has used up an allowance that is renewed later
	SignInRequired              // the session is accepted but too old for the operation; the person must sign in again
)

// Error is a fault with its kind and a sentence for the caller.
type Error struct {
	Kind   Kind
	Detail string         // one or two sentences: what happened and how to fix it
	Fields []Field        // for Validation: all failures
	Final  bool           // repeating the same request cannot succeed, whatever else changes
	Code   errorcode.Code // for programs that act differently than on other faults of the kind; "" is the code of the kind

	// RetryAfter says, for Unavailable, RateLimited and QuotaExceeded, when a retry makes sense. 0 means soon for
	// Unavailable; for RateLimited, another part of the program knows it. Responses report at
	// most a minute for Unavailable and a day for the other kinds.
	RetryAfter time.Duration

	// OAuthCode is the error code of RFC 6749, for operations of OAuth clients; "" for others.
	OAuthCode string

	original *Error // see With and After
}

// Field is one validation failure.
type Field struct {
	Pointer string // RFC 6901 pointer into the body ("/email"), or "query/limit", "path/userId", "header/If-Match"
	Detail  string // the expected value, without the rejected one
}

// New returns a sentinel of the given kind; compare it with errors.Is.
func New(kind Kind, detail string) *Error {
	return &Error{Kind: kind, Detail: detail}
}

// NewFinal is New for a conflict that the same request can never resolve.
func NewFinal(kind Kind, detail string) *Error {
	return &Error{Kind: kind, Detail: detail, Final: true}
}

// Coded returns the fault with the given code.
func (e *Error) Coded(code errorcode.Code) *Error {
	e.Code = code
	return e
}

// OAuth returns the fault with an error code of RFC 6749.
func (e *Error) OAuth(code string) *Error {
	e.OAuthCode = code
	return e
}

// With returns the fault with a text added to its detail. errors.Is still finds the original.
func (e *Error) With(detail string) *Error {
	more := *e
	more.Detail += detail
	more.original = e.origin()
	return &more
}

// origin returns the sentinel from which the fault was made.
func (e *Error) origin() *Error {
	if e.original != nil {
		return e.original
	}
	return e
}

// After returns the fault with the time after which a retry makes sense. If the fault is a limit, its detail also names
// that time. errors.Is still finds the original.
func (e *Error) After(wait time.Duration) *Error {
	later := *e
	later.RetryAfter, later.original = wait, e.origin()
	if e.Kind == RateLimited || e.Kind == QuotaExceeded {
		later.Detail += fmt.Sprintf(" The limit ends in %d seconds.", int(math.Ceil(wait.Seconds())))
	}
	return &later
}

// Is implements the interface of errors.Is.
func (e *Error) Is(target error) bool { return e.original != nil && target == error(e.original) }

// Invalid reports all validation failures at once.
func Invalid(fields ...Field) *Error {
	return &Error{Kind: Validation, Detail: "The request is not valid; see errors for each failure.", Fields: fields}
}

// Limits of what a response or a log line reports about one request. They keep both below a
// megabyte.
const (
	maxReported = 100   // failures
	maxPointer  = 1_000 // a key can be as long as the client makes it
)

// Reported returns the failures to report and the number of those left out. A pointer that is too
// long is cut to the nearest enclosing value.
func (e *Error) Reported() (fields []Field, more int) {
	fields = slices.Clone(e.Fields[:min(len(e.Fields), maxReported)])
	for i, f := range fields {
		if len(f.Pointer) > maxPointer {
			around := f.Pointer[:maxPointer]
			fields[i].Pointer = around[:max(strings.LastIndexByte(around, '/'), 0)]
			fields[i].Detail = "at a key below it that is too long to repeat: " + f.Detail
		}
	}
	return fields, len(e.Fields) - len(fields)
}

// Error returns the detail, followed by the fields of a validation error.
func (e *Error) Error() string {
	if len(e.Fields) == 0 {
		return e.Detail
	}
	fields, more := e.Reported()
	all := make([]string, 0, len(fields)+1)
	for _, f := range fields {
		all = append(all, fmt.Sprintf("%s: %s", f.Pointer, f.Detail))
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return e.Detail + " (" + strings.Join(all, "; ") + ")"
}

// As returns the fault in err's chain, or nil if the chain has none.
func As(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}

// KindOf returns the kind of the fault in err's chain, or Internal if the chain has none.
func KindOf(err error) Kind {
	if e := As(err); e != nil {
		return e.Kind
	}
	return Internal
}
