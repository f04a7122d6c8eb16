// Package text makes texts that other people have written safe: short enough for a response, without secrets for a log,
// and without formulas for a table.
package text

import (
	"strings"
	"unicode/utf8"
)

// Shorten returns a text of at most maxCharacters characters, which must be positive. It cuts a longer
// text and ends it with an ellipsis. It replaces bytes that are not UTF-8.
func Shorten(text string, maxCharacters int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= maxCharacters {
		return text
	}
	return string([]rune(text)[:maxCharacters-1]) + "…"
}
