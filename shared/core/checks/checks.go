// Package checks is the rules of fields that people fill in, whichever resource they belong to: names, longer texts, and the
// JSON objects that callers keep with a resource.
//
// A rule has one meaning and one wording everywhere, and every failure is gathered, so that a caller is told all at once. A
// rejected value is never repeated.
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

// Bounds of JSON objects.
const (
	MaxObjectSize  = 16 << 10 // bytes of compact JSON
	MaxObjectDepth = 8        // levels of objects and arrays, the object itself included
)

// Failures gathers what is wrong with an input. The zero value is ready.
type Failures struct{ fields []fault.Field }

// Fields returns what was found, in the order of the checks; none where all is well.
func (f *Failures) Fields() []fault.Field { return f.fields }

// Say adds a failure.
func (f *Failures) Say(pointer, format string, args ...any) {
	f.fields = append(f.fields, fault.Field{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}

// Text checks a text of one line, trimmed, such as a name: least and most are characters.
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
		f.Say(pointer, "must contain something that can be seen")
	}
}

// Prose checks a longer text, which may have line breaks and tabs. It is trimmed before it is measured.
func (f *Failures) Prose(pointer, s string, least, most int) {
	s = strings.TrimSpace(s)
	n := utf8.RuneCountInString(s)
	if n < least || n > most || !utf8.ValidString(s) || strings.ContainsFunc(s, unreadable) ||
		n > 0 && !strings.ContainsFunc(s, visible) {
		f.Say(pointer, "must have %d to %d characters that can be read, and of control characters only line breaks and tabs", least, most)
	}
}

// unprintable finds what would change how the text around it looks, or hide: what nobody can read, and separators of lines.
func unprintable(r rune) bool { return hidden(r) || unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }

// unreadable is the same of a text that may have several lines.
func unreadable(r rune) bool {
	return hidden(r) || unicode.Is(unicode.Cc, r) && !strings.ContainsRune("\n\r\t", r)
}

// hidden finds marks of direction and other formatting. The joiners of Persian and of Indic scripts, and of emoji, are letters
// to those who need them.
func hidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.In(r, unicode.Cf, unicode.Noncharacter_Code_Point) && r != nonJoiner && r != joiner
}

// visible finds what leaves ink on paper.
func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Object checks that a text is a JSON object within the bounds; see Compact.
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

func (f *Failures) structure(pointer string, decoder *json.Decoder) {
	depth, ended := 0, false
	for first := true; ; first = false {
		token, err := decoder.Token()
		switch {
		case ended && errors.Is(err, io.EOF):
			return
		case err != nil, ended, first && token != json.Delim('{'):
			f.Say(pointer, "must be a JSON object")
			return
		case hasNUL(token):
			f.Say(pointer, "must not contain NUL characters")
			return
		}
		depth += step(token)
		if ended = depth == 0; depth > MaxObjectDepth {
			f.Say(pointer, "must not nest deeper than %d levels", MaxObjectDepth)
			return
		}
	}
}

func hasNUL(token json.Token) bool {
	text, isText := token.(string)
	return isText && strings.ContainsRune(text, 0)
}

// step is by how much a token changes the depth.
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

// Compact removes insignificant space; nothing becomes the empty object. What is not JSON stays as it is, for Object to refuse.
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
