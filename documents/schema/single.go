package schema

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"portside/documents/answers"
)

// single is a JSON value that is neither an array nor an object. It is comparable: 1, 1.0 and 1e0 are the same number.
type single struct {
	kind string // String, Number or Boolean; empty for null
	text string // decoded; a number is a fraction in lowest terms
}

// singleOf returns a token of JSON as a single value. It is not ok for arrays, objects, and numbers that are too large
// or too small.
func singleOf(token any) (value single, ok bool) {
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

// encoded returns a value as it is in an answer.
func encoded(found answers.Value) (value single, ok bool) {
	text, err := found.MarshalJSON()
	if err != nil {
		return single{}, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	token, err := decoder.Token()
	if err != nil {
		return single{}, false
	}
	return singleOf(token)
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

// number returns the number that a single of this kind is.
func (v single) number() *big.Rat {
	n, _ := new(big.Rat).SetString(v.text) // what RatString wrote is a number
	return n
}
