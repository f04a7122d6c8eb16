package web

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/core/versions"
)

// mergePatch is the media type of a JSON Merge Patch (RFC 7396).
const mergePatch = "application/merge-patch+json"

// ReadOnly is the JSON of a field that responses have and that a PUT or PATCH cannot change. A client may send it back
// with its current value; see [CheckReadOnly].
type ReadOnly json.RawMessage

// Schema implements huma.SchemaProvider.
func (ReadOnly) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// UnmarshalJSON implements json.Unmarshaler.
func (r *ReadOnly) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0], b...)
	return nil
}

// isChange reports whether a request has a body that changes a resource.
func isChange(r *http.Request) bool {
	return r.Method == http.MethodPut || r.Method == http.MethodPatch
}

// keepBody reads the body of a change, at most limit bytes, so that ApplyNulls can see which fields are null.
func keepBody(r *http.Request, limit int64) []byte {
	kept, _ := io.ReadAll(io.LimitReader(r.Body, limit)) // huma reads the body again, gets the same error and reports it
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(kept), r.Body), r.Body}
	return kept
}

// ApplyNulls handles the fields that the client sent as null. body points to the decoded body of a PUT or PATCH. A
// field with the tag nullable:"true" becomes empty but present. An [Object] becomes the text null, because {} changes
// nothing in a merge patch. Null in any other field is a failure. The same holds for the fields of a pointer to a
// struct.
func ApplyNulls(ctx huma.Context, body any) []fault.Field {
	return applyNulls(inputFrom(ctx.Context()).body, reflect.ValueOf(body).Elem(), "/")
}

// applyNulls is ApplyNulls for the fields of an object, whose pointers begin with a text.
func applyNulls(object []byte, fields reflect.Value, at string) []fault.Field {
	var sent map[string]json.RawMessage
	if json.Unmarshal(object, &sent) != nil {
		return nil // huma reports the invalid JSON
	}
	var failures []fault.Field
	for _, f := range reflect.VisibleFields(fields.Type()) {
		name := jsonName(f)
		if name == "" || sent[name] == nil || f.Type == reflect.TypeFor[ReadOnly]() {
			continue
		}
		field := fields.FieldByIndex(f.Index)
		switch isNull := string(sent[name]) == "null"; {
		case !isNull && field.Kind() == reflect.Pointer && !field.IsNil() && field.Elem().Kind() == reflect.Struct:
			failures = append(failures, applyNulls(sent[name], field.Elem(), at+name+"/")...)
		case !isNull:
		case f.Tag.Get("nullable") != "true":
			failures = append(failures, fault.Field{Pointer: at + name, Detail: "must not be null; leave the field out to keep its value"})
		default:
			clearField(field)
		}
	}
	return failures
}

// clearField sets a field to a value that is empty but present.
func clearField(field reflect.Value) {
	switch field.Kind() {
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
	case reflect.Slice:
		if field.Type() == reflect.TypeFor[Object]() {
			field.SetBytes([]byte("null"))
			return
		}
		field.Set(reflect.MakeSlice(field.Type(), 0, 0))
	default:
		panic("web: a nullable field of a change must be a pointer or a slice, not " + field.Type().String())
	}
}

// CheckReadOnly returns a validation error that lists the [ReadOnly] fields of body whose values differ from those of
// the stored resource. read returns the resource as responses show it, and its version. CheckReadOnly calls it only if
// the client sent such a field. If the version does not match If-Match, CheckReadOnly returns nil, because the update
// reports that.
func CheckReadOnly(body any, target versions.Target, read func() (stored any, version int64, err error)) error {
	sent := readOnly(body)
	if len(sent) == 0 {
		return nil
	}
	stored, version, err := read()
	if err != nil || !target.Accepts(version) {
		return err
	}
	return differences(sent, stored)
}

// differences returns a validation error that lists the fields whose values differ from those of stored, or nil.
func differences(sent []readOnlyField, stored any) error {
	text, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	var current map[string]any
	if err := decodeExactly(text, &current); err != nil {
		return err
	}
	var failures []fault.Field
	for _, f := range sent {
		var value any
		if err := decodeExactly(f.text, &value); err != nil || !isSame(value, current[f.name]) {
			failures = append(failures, fault.Field{
				Pointer: "/" + f.name, Detail: "is read-only, and differs from the stored value; leave the field out, or read the resource again",
			})
		}
	}
	if len(failures) == 0 {
		return nil
	}
	return fault.Invalid(failures...)
}

// isSame reports whether two JSON values are equal. Two timestamps are equal if they mean the same instant, because
// clients may drop trailing zeros or write +00:00 for Z.
func isSame(a, b any) bool {
	first, isTime := asTime(a)
	second, isOtherTime := asTime(b)
	if isTime && isOtherTime {
		return first.Equal(second)
	}
	return reflect.DeepEqual(a, b)
}

func asTime(value any) (at time.Time, isTime bool) {
	text, _ := value.(string)
	at, err := time.Parse(time.RFC3339, text)
	return at, err == nil
}

// readOnlyField is a field of the type ReadOnly that a client has sent.
type readOnlyField struct {
	name string
	text ReadOnly
}

// readOnly returns the fields of the type ReadOnly that a client has sent, in the order of the type.
func readOnly(body any) (sent []readOnlyField) {
	fields := reflect.ValueOf(body)
	for _, f := range reflect.VisibleFields(fields.Type()) {
		if text, isReadOnly := reflect.TypeAssert[ReadOnly](fields.FieldByIndex(f.Index)); isReadOnly && text != nil {
			sent = append(sent, readOnlyField{jsonName(f), text})
		}
	}
	return sent
}

// decodeExactly decodes JSON with all digits of its numbers.
func decodeExactly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}
