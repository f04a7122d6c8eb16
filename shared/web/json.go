package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// Limits of any JSON body. A decoded object takes far more memory than its text, and so do the failures of its keys. No
// valid body has more than a few thousand keys.
const (
	maxDepth = 64
	maxKeys  = 10_000 // in all objects together
)

// jsonChecker is a body that is being checked.
type jsonChecker struct {
	*json.Decoder
	keys int
}

// strictJSON decodes only unambiguous JSON: valid UTF-8, no duplicate key in an object, limited depth. encoding/json
// alone would replace invalid UTF-8 and take the last of duplicate keys.
var strictJSON = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(data []byte, v any) error {
		if _, isFirst := v.(*any); isFirst { // huma decodes twice: into any to validate, then into the handler's type
			if err := checkJSON(data); err != nil {
				return err
			}
		}
		return hideValues(json.Unmarshal(data, v))
	},
}

var (
	errNotReadable = errors.New("must be readable as JSON")
	// errNotPlain refuses a number such as 12.0, which is a whole number to JSON Schema but not to encoding/json.
	errNotPlain = errors.New("must be written plainly, as 12 and not as 12.0")
)

// hideValues replaces an error of encoding/json, whose message repeats values of the body.
func hideValues(err error) error {
	if _, isType := errors.AsType[*json.UnmarshalTypeError](err); isType {
		return errNotPlain
	}
	if err != nil {
		return errNotReadable
	}
	return nil
}

// notPlainAt returns a pointer to the first value of the body for which decoding into the type fails with errNotPlain.
func notPlainAt(body string, bodyType reflect.Type) (pointer string, found bool) {
	err := json.Unmarshal([]byte(body), reflect.New(bodyType).Interface())
	wrong, found := errors.AsType[*json.UnmarshalTypeError](err)
	if !found {
		return "", false
	}
	return "/" + strings.ReplaceAll(strings.Trim(wrong.Field, "."), ".", "/"), true
}

// checkJSON returns an error that describes the first mistake in a document and its position, but not its content.
func checkJSON(data []byte) error {
	// API Gateway replaces invalid UTF-8 by U+FFFD, so that is all that can be seen here.
	if bytes.ContainsRune(data, utf8.RuneError) {
		return errors.New("must be valid UTF-8, without U+FFFD")
	}
	d := &jsonChecker{Decoder: json.NewDecoder(bytes.NewReader(data))}
	d.UseNumber()
	if err := checkValue(d, 0); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("must be one JSON document, but has more text at byte %d", d.InputOffset())
	}
	return nil
}

func checkValue(d *jsonChecker, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("must not nest deeper than %d levels", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return notJSON(d)
	}
	switch token {
	case json.Delim('{'):
		return checkObject(d, depth)
	case json.Delim('['):
		return checkItems(d, depth)
	}
	if number, isNumber := token.(json.Number); isNumber {
		return checkNumber(number, d)
	}
	return checkText(token, d)
}

// checkNumber rejects a number that does not fit into a float64, because most clients could not read it.
func checkNumber(number json.Number, d *jsonChecker) error {
	if _, err := number.Float64(); err != nil {
		return fmt.Errorf("must not have a number beyond 1.8e308, as before byte %d", d.InputOffset())
	}
	return nil
}

// checkText rejects half of a surrogate pair ("\ud800"), because it decodes to U+FFFD, so another text would be stored.
func checkText(token json.Token, d *jsonChecker) error {
	if text, isText := token.(string); isText && strings.ContainsRune(text, utf8.RuneError) {
		return fmt.Errorf("must not have half a surrogate pair, as before byte %d", d.InputOffset())
	}
	return nil
}

func checkObject(d *jsonChecker, depth int) error {
	keys := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		key, isText := token.(string)
		if err != nil || !isText {
			return notJSON(d)
		}
		if err := checkText(token, d); err != nil {
			return err
		}
		if d.keys++; d.keys > maxKeys {
			return fmt.Errorf("must not have more than %d keys, as before byte %d", maxKeys, d.InputOffset())
		}
		if keys[key] {
			return fmt.Errorf("must not repeat a key of an object, as before byte %d", d.InputOffset())
		}
		keys[key] = true
		if err := checkValue(d, depth+1); err != nil {
			return err
		}
	}
	return readEnd(d)
}

func checkItems(d *jsonChecker, depth int) error {
	for d.More() {
		if err := checkValue(d, depth+1); err != nil {
			return err
		}
	}
	return readEnd(d)
}

// readEnd reads the end of an object or array.
func readEnd(d *jsonChecker) error {
	if _, err := d.Token(); err != nil {
		return notJSON(d)
	}
	return nil
}

func notJSON(d *jsonChecker) error {
	return fmt.Errorf("is not JSON; reading stopped near byte %d", d.InputOffset())
}

// Object is a JSON object that is passed on in its original text, so that no number loses precision.
type Object json.RawMessage

// Schema implements huma.SchemaProvider.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) { return o, nil }

// UnmarshalJSON implements json.Unmarshaler. As for any other optional field, null is the same as no value;
// ApplyNulls gives it a meaning in changes.
func (o *Object) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	*o = append((*o)[:0], b...)
	return nil
}

// NullIfZero returns nil, which JSON shows as null, for a zero value, and otherwise a pointer to the value.
func NullIfZero[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}
