package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"portside/shared/core/fault"
)

// tameHuma replaces huma's error body and messages, once and process-wide as huma has them: its defaults repeat rejected
// values to the client. "%.0v" takes an argument and prints nothing of it.
var tameHuma = sync.OnceFunc(func() {
	huma.NewError = func(status int, _ string, errs ...error) huma.StatusError { return refusal(status, errs) }
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		rec := recordFrom(ctx.Context())
		p := refusal(status, append(Failures(rec.unread), errs...))
		if status == http.StatusRequestEntityTooLarge {
			p = problemOf(tooLarge(ctx.Operation()))
		}
		p.RequestID = rec.requestID
		if status >= http.StatusInternalServerError {
			rec.err = fmt.Errorf("%s: %w", message, errors.Join(errs...))
		}
		return p
	}
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false // no handler answers null where it says array
	validation.MsgUnexpectedProperty = "is not a field that is known here"
	validation.MsgExpectedRFC4122UUID = "must be a UUID%.0v"
	validation.MsgExpectedRFC5322Email = "must be an e-mail address%.0v"
	validation.MsgExpectedMinLength = "must have %d or more characters"
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedMinimumNumber = "must be %v or more"
	validation.MsgExpectedMaximumNumber = "must be %v or less"
	validation.MsgExpectedOneOf = "must be one of %s"
	validation.MsgExpectedInteger = "must be a whole number"
	validation.MsgExpectedNumber = "must be a number"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedObject = "must be a JSON object"
	validation.MsgExpectedArray = "must be a JSON array"
	validation.MsgExpectedBePattern = "must be %s"
	validation.MsgExpectedMaxProperties = "must have at most %d entries"
})

// GetStatus implements huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders implements huma.HeadersError.
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType implements huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// problemFor is problemOf for a handler's error, noted for the log.
func problemFor(ctx context.Context, err error) *Problem {
	rec := recordFrom(ctx)
	rec.err = err
	p := problemOf(err)
	p.RequestID = rec.requestID
	return p
}

// Failures turns a domain's failures into what a huma.Resolver returns, so that they are told together with those of the
// schema.
func Failures(fields []fault.Field) []error {
	all := make([]error, len(fields))
	for i, f := range fields {
		all[i] = failure{f}
	}
	return all
}

// failure is a failure that a domain found.
type failure struct{ fault.Field }

func (f failure) Error() string { return f.Pointer + ": " + f.Detail }

// refusal is the problem of a request that huma refuses before the handler.
func refusal(status int, errs []error) *Problem {
	switch status {
	case http.StatusUnsupportedMediaType:
		return problemOf(errNotJSON)
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return problemOf(fault.Invalid(fieldsOf(errs)...))
	default:
		return problemOf(errors.Join(errs...))
	}
}

// fieldsOf gathers the failures, one for each place: that a field is missing outweighs what a domain says of it, and
// that outweighs the schema. Where the body as a whole is wrong, nothing is said of its fields, and where a value should be an object or
// an array and is not, nothing of what is in it.
func fieldsOf(errs []error) []fault.Field {
	if len(errs) == 0 {
		return []fault.Field{{Pointer: "", Detail: "a JSON body is required"}}
	}
	var fields []fault.Field
	place, mistyped := map[string]int{}, map[string]bool{}
	for _, err := range errs {
		field, strong := fieldOf(err)
		if field.Detail == validation.MsgExpectedObject || field.Detail == validation.MsgExpectedArray {
			mistyped[field.Pointer] = true
		}
		at, told := place[field.Pointer]
		switch {
		case !told:
			place[field.Pointer] = len(fields)
			fields = append(fields, field)
		case strong && fields[at].Detail != isRequired:
			fields[at] = field
		}
	}
	if at, whole := place[""]; whole {
		return []fault.Field{fields[at]}
	}
	return slices.DeleteFunc(fields, func(f fault.Field) bool { return isIn(f.Pointer, mistyped) })
}

// isIn reports whether a place is in one of the others.
func isIn(pointer string, others map[string]bool) bool {
	for len(others) > 0 {
		at := strings.LastIndexByte(pointer, '/')
		if at < 0 {
			return false
		}
		if pointer = pointer[:at]; others[pointer] {
			return true
		}
	}
	return false
}

const isRequired = "is required"

// misplaced is how mistyped says where in the body something is wrong.
var misplaced = regexp.MustCompile(`^at (/\S*): (.+)$`)

var missing = regexp.MustCompile(`^expected required property (.+) to be present$`)

var missingParameter = regexp.MustCompile(`^required \w+ parameter is missing$`)

// fieldOf translates one failure; strong ones come from a domain.
func fieldOf(err error) (field fault.Field, strong bool) {
	if f := (failure{}); errors.As(err, &f) {
		return f.Field, true
	}
	var detail *huma.ErrorDetail
	if !errors.As(err, &detail) {
		return fault.Field{Pointer: "", Detail: "must be readable as JSON"}, false
	}
	pointer := pointerOf(detail.Location)
	if m := missing.FindStringSubmatch(detail.Message); m != nil {
		return fault.Field{Pointer: pointer + "/" + escapePointer(m[1]), Detail: isRequired}, true
	}
	if missingParameter.MatchString(detail.Message) {
		return fault.Field{Pointer: pointer, Detail: isRequired}, true
	}
	if m := misplaced.FindStringSubmatch(detail.Message); m != nil {
		return fault.Field{Pointer: m[1], Detail: m[2]}, true
	}
	message := detail.Message
	if message == "invalid integer" {
		message = validation.MsgExpectedInteger
	}
	return fault.Field{Pointer: pointer, Detail: message}, false
}

// pointerOf turns huma's location ("body.metadata.tags[2]", "query.limit") into a pointer.
func pointerOf(location string) string {
	location = strings.NewReplacer("[", ".", "]", "").Replace(location)
	if location == "body" {
		return ""
	}
	in, rest, _ := strings.Cut(location, ".")
	if in != "body" {
		return in + "/" + rest
	}
	parts := strings.Split(rest, ".")
	for i := range parts {
		parts[i] = escapePointer(parts[i])
	}
	return "/" + strings.Join(parts, "/")
}

func escapePointer(s string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(s) }
