// Package checks validates the fields that people fill in, whatever resource they belong to: names,
// longer texts, and JSON objects.
//
// Each rule has one meaning and one wording. All failures are collected, so that a response reports
// all of them at once. No message repeats the rejected value.
package checks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/shared/core/fault"
)

// Limits of JSON objects.
const (
	MaxObjectSize  = 16 << 10 // bytes of compact JSON
	MaxObjectDepth = 8        // levels of objects and arrays, including the object itself
)

// Failures collects the validation failures of an input. The zero value is ready to use.
type Failures struct{ fields []fault.Field }

// Fields returns the failures in the order of the checks, or nil without failures.
func (f *Failures) Fields() []fault.Field { return f.fields }

// Add adds a failure.
func (f *Failures) Add(pointer, format string, args ...any) {
	f.fields = append(f.fields, fault.Field{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}

// Text checks a text of one line, such as a name, which must be trimmed already. The limits are in
// characters. An address is refused, because names are in mails to other people, where programs show
// it as a link.
func (f *Failures) Text(pointer, s string, least, most int) {
	switch n := utf8.RuneCountInString(s); {
	case n < least:
		f.Add(pointer, "must not be empty")
	case n > most:
		f.Add(pointer, "must have at most %d characters", most)
	case !utf8.ValidString(s):
		f.Add(pointer, "must be valid UTF-8")
	case strings.ContainsFunc(s, isUnprintable):
		f.Add(pointer, "must not contain control, formatting or line-separating characters")
	case s != "" && !strings.ContainsFunc(s, isVisible):
		f.Add(pointer, "must contain a visible character")
	case strings.Contains(s, "://"):
		f.Add(pointer, "must not contain an address such as https://example.com")
	}
}

// Prose checks a longer text, which may have line breaks and tabs. It trims the text before it
// measures it.
func (f *Failures) Prose(pointer, s string, least, most int) {
	s = strings.TrimSpace(s)
	n := utf8.RuneCountInString(s)
	if n == 0 && least > 0 {
		f.Add(pointer, "must not be empty")
		return
	}
	if n < least || n > most || !utf8.ValidString(s) || strings.ContainsFunc(s, isUnreadable) ||
		n > 0 && !strings.ContainsFunc(s, isVisible) {
		f.Add(pointer, "must have %d to %d readable characters; the only control characters allowed are line breaks and tabs",
			least, most)
	}
}

// isUnprintable reports whether a rune hides, breaks the line, or changes how the text around it
// looks.
func isUnprintable(r rune) bool {
	return isHidden(r) || unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp)
}

// isUnreadable is isUnprintable for a text with several lines.
func isUnreadable(r rune) bool {
	return isHidden(r) || unicode.Is(unicode.Cc, r) && !strings.ContainsRune("\n\r\t", r)
}

// isHidden reports whether a rune is a direction mark, another formatting character, or a letter that has no shape.
// Joiners are allowed, because Persian and Indic scripts and emoji need them.
func isHidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.In(r, unicode.Cf, unicode.Noncharacter_Code_Point, unicode.Other_Default_Ignorable_Code_Point) &&
		r != nonJoiner && r != joiner
}

// isVisible reports whether a rune shows something on the screen.
func isVisible(r rune) bool {
	const emptyBraille = '\u2800' // a symbol for Unicode, and empty in every font
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !isHidden(r) && r != emptyBraille
}

// Object checks that a text is a JSON object within the limits. See Compact.
func (f *Failures) Object(pointer string, raw json.RawMessage) {
	switch {
	case len(raw) > MaxObjectSize:
		f.Add(pointer, "must have at most %d bytes as compact JSON", MaxObjectSize)
	case !utf8.Valid(raw):
		f.Add(pointer, "must be valid UTF-8")
	default:
		f.structure(pointer, json.NewDecoder(bytes.NewReader(raw)))
	}
}

func (f *Failures) structure(pointer string, decoder *json.Decoder) {
	depth, ended := 0, false
	for first := true; ; first = false {
		token, err := decoder.Token()
		switch {
		case ended && errors.Is(err, io.EOF):
			return
		case err != nil, ended, first && token != json.Delim('{'):
			f.Add(pointer, "must be a JSON object")
			return
		case hasNUL(token):
			f.Add(pointer, "must not contain NUL characters")
			return
		}
		depth += step(token)
		if ended = depth == 0; depth > MaxObjectDepth {
			f.Add(pointer, "must not nest deeper than %d levels", MaxObjectDepth)
			return
		}
	}
}

func hasNUL(token json.Token) bool {
	text, isText := token.(string)
	return isText && strings.ContainsRune(text, 0)
}

// step returns by how much a token changes the depth.
func step(token json.Token) int {
	switch token {
	case json.Delim('{'), json.Delim('['):
		return 1
	case json.Delim('}'), json.Delim(']'):
		return -1
	default:
		return 0
	}
}

// Compact removes insignificant space and turns no text and null into the empty object. It returns text that
// is not JSON unchanged; Object rejects it.
func Compact(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw
	}
	return b.Bytes()
}
