// Package checks validates fields that all resources have in common: names, longer texts, and JSON objects that callers
// store with a resource.
//
// Each rule has the same meaning and wording for every resource. All failures of an input are collected, so that the caller
// gets them at once. A failure never repeats the rejected value.
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
	MaxObjectDepth = 8        // levels of objects and arrays, including the object
)

// Failures collects the validation failures of an input. The zero value is ready to use.
type Failures struct{ fields []fault.Field }

// Fields returns the failures in the order of the checks; none if the input is valid.
func (f *Failures) Fields() []fault.Field { return f.fields }

// Say adds a failure.
func (f *Failures) Say(pointer, format string, args ...any) {
	f.fields = append(f.fields, fault.Field{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}

// Text checks a trimmed single-line text, such as a name. least and most are numbers of characters.
func (f *Failures) Text(pointer, s string, least, most int) {
	switch n := utf8.RuneCountInString(s); {
	case n < least:
		f.Say(pointer, "must not be empty")
	case n > most:
		f.Say(pointer, "must have at most %d characters", most)
	case !utf8.ValidString(s):
		f.Say(pointer, "must be valid UTF-8")
	case strings.ContainsFunc(s, unprintable):
		f.Say(pointer, "must not contain control, formatting or line-separating characters")
	case s != "" && !strings.ContainsFunc(s, visible):
		f.Say(pointer, "must contain a visible character")
	}
}

// Prose checks a longer text, which may have line breaks and tabs. Surrounding space does not count.
func (f *Failures) Prose(pointer, s string, least, most int) {
	s = strings.TrimSpace(s)
	n := utf8.RuneCountInString(s)
	if n < least || n > most || !utf8.ValidString(s) || strings.ContainsFunc(s, unreadable) ||
		n > 0 && !strings.ContainsFunc(s, visible) {
		f.Say(pointer, "must have %d to %d visible characters, and no control characters but line breaks and tabs", least, most)
	}
}

// unprintable reports whether a character may not be in a single-line text: it is invisible, changes the appearance of the
// text around it, or separates lines.
func unprintable(r rune) bool { return hidden(r) || unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }

// unreadable reports the same for a text of several lines.
func unreadable(r rune) bool {
	return hidden(r) || unicode.Is(unicode.Cc, r) && !strings.ContainsRune("\n\r\t", r)
}

// hidden reports whether a character is a direction mark or other formatting. Joiners are allowed, because Persian, Indic
// scripts and emoji need them.
func hidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.In(r, unicode.Cf, unicode.Noncharacter_Code_Point) && r != nonJoiner && r != joiner
}

// visible reports whether a character is visible.
func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Object checks that a text is a JSON object within the limits. The text must be the result of Compact.
func (f *Failures) Object(pointer string, raw json.RawMessage) {
	switch {
	case len(raw) > MaxObjectSize:
		f.Say(pointer, "must have at most %d bytes as compact JSON", MaxObjectSize)
	case !utf8.Valid(raw):
		f.Say(pointer, "must be valid UTF-8")
	default:
		f.structure(pointer, json.NewDecoder(bytes.NewReader(raw)))
	}
}

// structure checks the nesting depth and the strings of an object.
func (f *Failures) structure(pointer string, decoder *json.Decoder) {
	depth, hasEnded := 0, false
	for isFirst := true; ; isFirst = false {
		token, err := decoder.Token()
		switch {
		case hasEnded && errors.Is(err, io.EOF):
			return
		case err != nil, hasEnded, isFirst && token != json.Delim('{'):
			f.Say(pointer, "must be a JSON object")
			return
		case hasNUL(token):
			f.Say(pointer, "must not contain NUL characters")
			return
		}
		depth += depthChange(token)
		if hasEnded = depth == 0; depth > MaxObjectDepth {
			f.Say(pointer, "must not nest deeper than %d levels", MaxObjectDepth)
			return
		}
	}
}

func hasNUL(token json.Token) bool {
	text, isText := token.(string)
	return isText && strings.ContainsRune(text, 0)
}

// depthChange returns by how much a token changes the nesting depth.
func depthChange(token json.Token) int {
	switch token {
	case json.Delim('{'), json.Delim('['):
		return 1
	case json.Delim('}'), json.Delim(']'):
		return -1
	default:
		return 0
	}
}

// Compact removes insignificant space. An empty text becomes an empty object. Invalid JSON is returned unchanged, for
// Object to reject.
func Compact(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw
	}
	return b.Bytes()
}
