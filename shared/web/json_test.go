package web

import (
	"encoding/json"
	"strings"
	"testing"
)

//proves:docs/security.md
func TestCheckJSONRejectsAmbiguousJSON(t *testing.T) {
	for text, isValid := range map[string]bool{
		`{}`: true, ` {"a":[1,2,{"b":null}],"c":"\u00e9"} `: true, `5`: true, `"x"`: true, `[]`: true,
		strings.Repeat("[", 64) + strings.Repeat("]", 64): true,
		``: false, `{`: false, `{"a"}`: false, `{"a":1,}`: false, `[1,]`: false, `{} {}`: false, `{"a":1,"a":2}`: false,
		`{"a":{"b":1,"b":1}}`: false, "\"\xff\"": false, "\"\ufffd\"": false, `nul`: false, `01`: false, `{a:1}`: false,
		`"\ud800"`: false, `{"\udc00":1}`: false, `"\ud83d\ude00"`: true, "\ufeff{}": false,
		"[" + strings.Repeat(`{"a":1},`, maxKeys) + "1]": true, "[" + strings.Repeat(`{"a":1},`, maxKeys) + `{"a":1}]`: false,
		strings.Repeat("[", 66) + strings.Repeat("]", 66): false, strings.Repeat("[", 100000): false,
	} {
		if err := checkJSON([]byte(text)); (err == nil) != isValid {
			t.Errorf("%.40q: error %v, want valid %v", text, err, isValid)
		}
	}
}

// FuzzCheckJSON checks that encoding/json can read every document that checkJSON accepts.
func FuzzCheckJSON(f *testing.F) {
	f.Add(`{"a":[1,2,{"b":null}],"c":"\u00e9"}`)
	f.Add(`{"a":1,"a":2}`)
	f.Add(`[[[[`)
	f.Fuzz(func(t *testing.T, text string) {
		if err := checkJSON([]byte(text)); err == nil && !json.Valid([]byte(text)) {
			t.Errorf("accepted %q, which is not JSON", text)
		}
	})
}
