package schema

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"portside/documents/answers"
)

// single is a JSON value that is neither an array nor an object. It is comparable: 1, 1.0 and 1e0 are the same number.
type single struct {
	kind string // String, Number or Boolean; empty for null
	text string // decoded; a number is a fraction in lowest terms
}

// readSingle reads a single value. It is not ok for arrays, objects, and numbers that are too large or too small.
func readSingle(text []byte) (value single, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	token, err := decoder.Token()
	if err != nil {
		return single{}, false
	}
	switch v := token.(type) {
	case nil:
		return single{}, true
	case string:
		return single{String, v}, true
	case bool:
		return single{Boolean, strconv.FormatBool(v)}, true
	case json.Number:
		number, ok := readExact(string(v))
		if !ok {
			return single{}, false
		}
		return single{Number, number.RatString()}, true
	}
	return single{}, false
}

// readExact reads a number of JSON without rounding it. It is not ok for numbers with exponents beyond ±308, because
// 1e-999999999 would need gigabytes.
func readExact(text string) (number *big.Rat, ok bool) {
	const largest = 308
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(text[i+1:])
		if err != nil || exponent > largest || exponent < -largest {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// fits reports whether a value that was found satisfies the keywords of the schema, as draft 2020-12 of JSON Schema
// defines them.
func (s *Schema) fits(found answers.Value) bool {
	text, err := found.MarshalJSON()
	if err != nil {
		return false
	}
	value, ok := readSingle(text)
	return ok && s.hasType(value) && s.hasFormat(value) && s.isWithinBounds(value) &&
		(s.Enum == nil || slices.Contains(s.Enum, value)) && (s.Const == nil || *s.Const == value)
}

func (s *Schema) hasType(value single) bool {
	switch {
	case value.kind == "":
		return s.Nullable
	case s.Type == Integer:
		return value.kind == Number && value.number().IsInt() // 3.0 is an integer
	default:
		return s.Type == value.kind
	}
}

func (s *Schema) hasFormat(value single) bool {
	if s.Format != "date" || value.kind != String {
		return true
	}
	_, err := time.Parse(time.DateOnly, value.text)
	return err == nil
}

func (s *Schema) isWithinBounds(value single) bool {
	if value.kind != Number {
		return true
	}
	n := value.number()
	return (s.Minimum == nil || n.Cmp(s.Minimum) >= 0) && (s.Maximum == nil || n.Cmp(s.Maximum) <= 0)
}

// number returns the number that a single of this kind is.
func (v single) number() *big.Rat {
	n, _ := new(big.Rat).SetString(v.text) // what RatString wrote is a number
	return n
}
