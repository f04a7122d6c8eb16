package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// Bounds of any JSON body. What is kept of an object takes far more memory than its text, and so does a failure for each of its
// keys; those that a body needs are a few thousand at most.
const (
	maxDepth = 64
	maxKeys  = 10_000 // in all its objects
)

// reading is a body that is being checked.
type reading struct {
	*json.Decoder
	keys int
}

// strictJSON reads only JSON with one meaning: valid UTF-8, no key twice in an object, bounded depth. encoding/json
// alone would mend the first and let the last key win.
var strictJSON = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(data []byte, v any) error {
		if _, first := v.(*any); first { // huma decodes twice: into any to validate, then into the handler's type
			if err := checkJSON(data); err != nil {
				return err
			}
		}
		return mistyped(json.Unmarshal(data, v))
	},
}

// mistyped says where a value has the wrong type, without the value, which encoding/json's own message repeats. The schema
// lets pass what is a whole number to JSON Schema and none to Go, 12.0.
func mistyped(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		pointer := "/" + strings.ReplaceAll(strings.Trim(wrong.Field, "."), ".", "/")
		return fmt.Errorf("at %s: must be written plainly, as 12 and not as 12.0", pointer)
	}
	if err != nil {
		return errors.New("must be readable as JSON")
	}
	return nil
}

// checkJSON says what is wrong with a document, and where, but not what was found there.
func checkJSON(data []byte) error {
	// API Gateway puts U+FFFD where a body is not UTF-8, so that nothing else is left of it here.
	if bytes.ContainsRune(data, utf8.RuneError) {
		return errors.New("must be valid UTF-8, without U+FFFD")
	}
	d := &reading{Decoder: json.NewDecoder(bytes.NewReader(data))}
	d.UseNumber()
	if err := checkValue(d, 0); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("must be one JSON document, but goes on at byte %d", d.InputOffset())
	}
	return nil
}

func checkValue(d *reading, depth int) error {
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

// checkNumber refuses what does not fit into a float64: nobody could read it back.
func checkNumber(number json.Number, d *reading) error {
	if _, err := number.Float64(); err != nil {
		return fmt.Errorf("must not hold a number beyond 1.8e308, as before byte %d", d.InputOffset())
	}
	return nil
}

// checkText refuses half of a surrogate pair ("\ud800"), which decodes to U+FFFD: nobody means it, and it would be stored
// as something else than was sent.
func checkText(token json.Token, d *reading) error {
	if text, isText := token.(string); isText && strings.ContainsRune(text, utf8.RuneError) {
		return fmt.Errorf("must not hold half a surrogate pair, as before byte %d", d.InputOffset())
	}
	return nil
}

func checkObject(d *reading, depth int) error {
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
			return fmt.Errorf("must not give a key of an object twice, as before byte %d", d.InputOffset())
		}
		keys[key] = true
		if err := checkValue(d, depth+1); err != nil {
			return err
		}
	}
	return closing(d)
}

func checkItems(d *reading, depth int) error {
	for d.More() {
		if err := checkValue(d, depth+1); err != nil {
			return err
		}
	}
	return closing(d)
}

func closing(d *reading) error {
	if _, err := d.Token(); err != nil {
		return notJSON(d)
	}
	return nil
}

func notJSON(d *reading) error {
	return fmt.Errorf("is not JSON; reading stopped near byte %d", d.InputOffset())
}
