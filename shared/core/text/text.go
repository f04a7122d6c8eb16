// Package text limits texts that other people have written, so that they fit into a response.
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
