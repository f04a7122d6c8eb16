// Package fault is the one vocabulary of errors that a caller can do something about.
//
// A domain says what went wrong with a sentinel that carries a [Kind]; each protocol maps kinds to its wire in exactly
// one place (shared/web to problem details). What carries no kind is internal: its text goes to the log and never to a
// client. So the text of a fault is written for the person who made the request, and holds no secret and no rejected value.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind tells what sort of thing went wrong, in terms that every protocol can map.
type Kind int

// The kinds. The zero Kind is Internal, so that an error which nobody classified stays hidden.
const (
	Internal        Kind = iota // a defect or an outage of ours; the text stays in the log
	Validation                  // the input breaks a rule that its document states
	Unauthorized                // no credential, or one that does not work; never says which
	Forbidden                   // a working credential without the permission
	NotFound                    // no such resource, or none that the caller may know of
	Conflict                    // the state of the resource forbids it
	Precondition                // If-Match named another version
	TooLarge                    // more bytes than are taken
	UnsupportedType             // a media type that is not taken
	Unprocessable               // understood, but cannot be done with this content
	RateLimited                 // too many requests in the current window
	Unavailable                 // a part that we need is busy or away; the same request may succeed later
)

// Error is a fault with its kind and a sentence for the caller.
type Error struct {
	Kind   Kind
	Detail string  // one or two sentences: what is wrong, and how to mend it
	Fields []Field // for Validation: every failure at once
	Final  bool    // repeating the same request cannot succeed, whatever else changes

	// RetryAfter is, for Unavailable, when trying again makes sense; 0 where nothing is known, which means soon. Callers are
	// told a minute at most.
	RetryAfter time.Duration
}

// Field is one failure of validation.
type Field struct {
	Pointer string // RFC 6901 pointer into the body ("/email"), or "query/limit", "path/userId", "header/If-Match"
	Detail  string // what is expected there, without the value that was sent
}

// New returns a sentinel of the given kind; compare it with errors.Is.
func New(kind Kind, detail string) *Error {
	return &Error{Kind: kind, Detail: detail}
}

// NewFinal is New for a conflict that the same request can never overcome.
func NewFinal(kind Kind, detail string) *Error {
	return &Error{Kind: kind, Detail: detail, Final: true}
}

// Invalid reports all failures of validation at once.
func Invalid(fields ...Field) *Error {
	return &Error{Kind: Validation, Detail: "The request is not valid; see errors for each failure.", Fields: fields}
}

// Bounds of what is told of one request: nobody reads on, and neither an answer nor a record of the log takes more than megabytes.
const (
	maxTold    = 100   // failures
	maxPointer = 1_000 // bytes; keys are as long as a client makes them
)

// Told returns the failures that are told, and how many there are besides. A pointer that is too long leads to the nearest place
// around the failure instead.
func (e *Error) Told() (fields []Field, more int) {
	fields = slices.Clone(e.Fields[:min(len(e.Fields), maxTold)])
	for i, f := range fields {
		if len(f.Pointer) > maxPointer {
			around := f.Pointer[:maxPointer]
			fields[i].Pointer = around[:max(strings.LastIndexByte(around, '/'), 0)]
			fields[i].Detail = "at a key in it that is too long to repeat: " + f.Detail
		}
	}
	return fields, len(e.Fields) - len(fields)
}

// Error returns the detail and, for validation, the fields behind it.
func (e *Error) Error() string {
	if len(e.Fields) == 0 {
		return e.Detail
	}
	fields, more := e.Told()
	all := make([]string, 0, len(fields)+1)
	for _, f := range fields {
		all = append(all, fmt.Sprintf("%s: %s", f.Pointer, f.Detail))
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return e.Detail + " (" + strings.Join(all, "; ") + ")"
}

// As returns the fault in err's chain, or nil where there is none.
func As(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}

// KindOf returns the kind of the fault in err's chain, or Internal where there is none.
func KindOf(err error) Kind {
	if e := As(err); e != nil {
		return e.Kind
	}
	return Internal
}
