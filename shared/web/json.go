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

// maxDepth bounds the nesting of any JSON body.
const maxDepth = 64

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
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := checkValue(decoder, 0); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("must be one JSON document, but goes on at byte %d", decoder.InputOffset())
	}
	return nil
}

func checkValue(decoder *json.Decoder, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("must not nest deeper than %d levels", maxDepth)
	}
	token, err := decoder.Token()
	if err != nil {
		return notJSON(decoder)
	}
	switch token {
	case json.Delim('{'):
		return checkObject(decoder, depth)
	case json.Delim('['):
		return checkItems(decoder, depth)
	}
	if number, isNumber := token.(json.Number); isNumber {
		return checkNumber(number, decoder)
	}
	return checkText(token, decoder)
}

// checkNumber refuses what does not fit into a float64: nobody could read it back.
func checkNumber(number json.Number, decoder *json.Decoder) error {
	if _, err := number.Float64(); err != nil {
		return fmt.Errorf("must not hold a number beyond 1.8e308, as before byte %d", decoder.InputOffset())
	}
	return nil
}

// checkText refuses half of a surrogate pair ("\ud800"), which decodes to U+FFFD: nobody means it, and it would be stored
// as something else than was sent.
func checkText(token json.Token, decoder *json.Decoder) error {
	if text, isText := token.(string); isText && strings.ContainsRune(text, utf8.RuneError) {
		return fmt.Errorf("must not hold half a surrogate pair, as before byte %d", decoder.InputOffset())
	}
	return nil
}

func checkObject(decoder *json.Decoder, depth int) error {
	keys := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		key, isText := token.(string)
		if err != nil || !isText {
			return notJSON(decoder)
		}
		if err := checkText(token, decoder); err != nil {
			return err
		}
		if keys[key] {
			return fmt.Errorf("must not give a key of an object twice, as before byte %d", decoder.InputOffset())
		}
		keys[key] = true
		if err := checkValue(decoder, depth+1); err != nil {
			return err
		}
	}
	return closing(decoder)
}

func checkItems(decoder *json.Decoder, depth int) error {
	for decoder.More() {
		if err := checkValue(decoder, depth+1); err != nil {
			return err
		}
	}
	return closing(decoder)
}

func closing(decoder *json.Decoder) error {
	if _, err := decoder.Token(); err != nil {
		return notJSON(decoder)
	}
	return nil
}

func notJSON(decoder *json.Decoder) error {
	return fmt.Errorf("is not JSON; reading stopped near byte %d", decoder.InputOffset())
}
