package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"portside/shared/core/fault"
	"portside/shared/web/server"
)

// configureHuma replaces huma's error body and messages, because huma's messages repeat rejected values. huma keeps
// them in global variables, so this happens once for the process. "%.0v" takes an argument and prints nothing.
var configureHuma = sync.OnceFunc(func() {
	huma.NewError = func(status int, _ string, errs ...error) huma.StatusError { return problemOfFailures(status, errs) }
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		rec, in := server.RecordFrom(ctx.Context()), inputFrom(ctx.Context())
		p := problemOfFailures(status, append(Failures(in.failures), in.nameKnownFields(in.locateNotPlain(errs))...))
		if status == http.StatusRequestEntityTooLarge {
			p = server.ProblemOf(tooLarge(ctx.Operation()))
		}
		p.RequestID, rec.Err = rec.RequestID, p.Unwrap()
		if status >= http.StatusInternalServerError {
			rec.Err = fmt.Errorf("%s: %w", message, errors.Join(errs...))
		}
		return p
	}
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false // handlers return empty arrays, never null
	validation.MsgUnexpectedProperty = "is not a known field"
	validation.MsgExpectedRFC4122UUID = "must be a UUID%.0v"
	validation.MsgExpectedRFC3339DateTime = "must be a time with a time zone, such as 2026-04-01T00:00:00Z"
	validation.MsgExpectedRFC5322Email = "must be an email address%.0v"
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
	validation.MsgExpectedMinItems = "must have %d or more entries"
	validation.MsgExpectedMaxItems = "must have at most %d entries"
})

// problemFor returns the problem of a handler's error, and records the error for the log.
func problemFor(ctx context.Context, err error) *server.Problem {
	rec := server.RecordFrom(ctx)
	rec.Err = err
	p := server.ProblemOf(err)
	p.RequestID = rec.RequestID
	return p
}

// Failures converts the failures that a domain found to the result of a huma.Resolver. They are then reported together
// with those of the schema.
func Failures(fields []fault.Field) []error {
	all := make([]error, len(fields))
	for i, f := range fields {
		all[i] = failure{f}
	}
	return all
}

// OneOf returns the value of a field that has two names, of which one is documented. Both together are a failure.
func OneOf[T any](documented, alias *T, pointer, name string) (*T, []fault.Field) {
	switch {
	case alias == nil:
		return documented, nil
	case documented != nil:
		return documented, []fault.Field{{Pointer: pointer, Detail: "must not be sent together with " + name}}
	default:
		return alias, nil
	}
}

// failure is a validation failure that a domain found.
type failure struct{ fault.Field }

func (f failure) Error() string { return f.Pointer + ": " + f.Detail }

// problemOfFailures returns the problem of a request that huma rejects before the handler runs.
func problemOfFailures(status int, errs []error) *server.Problem {
	switch status {
	case http.StatusUnsupportedMediaType:
		return server.ProblemOf(errNotJSON)
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return server.ProblemOf(fault.Invalid(fieldsOf(errs)...))
	default:
		return server.ProblemOf(errors.Join(errs...))
	}
}

// fieldsOf returns one failure for each pointer. A missing field and a wrong type take precedence over a failure that a
// domain found, which takes precedence over any other failure of the schema. If the whole body is invalid, fieldsOf
// also reports its unknown fields, because a misspelled name is often the reason, and no other failures. If a value is
// not the object or array that it should be, fieldsOf leaves out the failures inside it.
func fieldsOf(errs []error) []fault.Field {
	if len(errs) == 0 {
		return []fault.Field{{Pointer: "", Detail: "a JSON body is required"}}
	}
	var fields []fault.Field
	indexOf, wrongType := map[string]int{}, map[string]bool{}
	for _, err := range errs {
		field, isStrong := fieldOf(err)
		if field.Detail == validation.MsgExpectedObject || field.Detail == validation.MsgExpectedArray {
			wrongType[field.Pointer] = true
		}
		at, isKnown := indexOf[field.Pointer]
		switch {
		case !isKnown:
			indexOf[field.Pointer] = len(fields)
			fields = append(fields, field)
		case isWrongType(field), isStrong && fields[at].Detail != detailRequired && !isWrongType(fields[at]):
			fields[at] = field
		}
	}
	if _, isWhole := indexOf[""]; isWhole {
		return slices.DeleteFunc(fields, func(f fault.Field) bool {
			return f.Pointer != "" && !strings.HasPrefix(f.Detail, validation.MsgUnexpectedProperty)
		})
	}
	return slices.DeleteFunc(fields, func(f fault.Field) bool { return isInside(f.Pointer, wrongType) })
}

// isWrongType reports whether a value has another JSON type than the schema. A domain's error about such a value, such
// as that a number is an empty name, would mislead.
func isWrongType(f fault.Field) bool {
	switch f.Detail {
	case validation.MsgExpectedString, validation.MsgExpectedNumber, validation.MsgExpectedInteger, validation.MsgExpectedBoolean,
		validation.MsgExpectedObject, validation.MsgExpectedArray:
		return true
	}
	return false
}

// isInside reports whether a pointer leads to a place inside one of others.
func isInside(pointer string, others map[string]bool) bool {
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

const detailRequired = "is required"

// Messages of huma that cannot be configured.
var (
	missing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^expected required property (.+) to be present$`)
	})
	missingParameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^required \w+ parameter is missing$`) })
)

const invalidInteger = "invalid integer"

// recordBodyType records the type of the request body, which locateNotPlain needs.
func recordBodyType[I any](ctx huma.Context, next func(huma.Context)) {
	if body, hasBody := reflect.TypeFor[I]().FieldByName("Body"); hasBody {
		inputFrom(ctx.Context()).bodyType = body.Type
	}
	next(ctx)
}

// locateNotPlain replaces errNotPlain, of which huma passes on only the text and the body, by a failure that points to
// the value.
func (in *input) locateNotPlain(errs []error) []error {
	located := slices.Clone(errs)
	for i, err := range errs {
		var detail *huma.ErrorDetail
		if in.bodyType == nil || !errors.As(err, &detail) || detail.Message != errNotPlain.Error() {
			continue
		}
		body, _ := detail.Value.(string)
		if pointer, found := notPlainAt(body, in.bodyType); found {
			located[i] = failure{fault.Field{Pointer: pointer, Detail: errNotPlain.Error()}}
		}
	}
	return located
}

// fieldOf converts one failure. Failures that a domain found and missing fields are strong; see fieldsOf.
func fieldOf(err error) (field fault.Field, isStrong bool) {
	if f := (failure{}); errors.As(err, &f) {
		return f.Field, true
	}
	var detail *huma.ErrorDetail
	if !errors.As(err, &detail) {
		return fault.Field{Pointer: "", Detail: errNotReadable.Error()}, false
	}
	pointer := pointerOf(detail.Location)
	if m := missing().FindStringSubmatch(detail.Message); m != nil {
		return fault.Field{Pointer: pointer + "/" + escapePointer(m[1]), Detail: detailRequired}, true
	}
	if missingParameter().MatchString(detail.Message) {
		return fault.Field{Pointer: pointer, Detail: detailRequired}, true
	}
	message := detail.Message
	if message == invalidInteger {
		message = validation.MsgExpectedInteger
	}
	return fault.Field{Pointer: pointer, Detail: exponents().ReplaceAllStringFunc(message, withoutExponent)}, false
}

// exponents matches large numbers as fmt prints them: 2.097152e+08.
var exponents = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d(\.\d+)?e\+\d+`) })

func withoutExponent(number string) string {
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return number
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// pointerOf converts huma's location ("body.metadata.tags[2]", "query.limit") to a pointer.
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
