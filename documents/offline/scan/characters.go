package scan

import (
	"unicode"
	"unicode/utf8"
)

// IsDigit reports an ASCII digit.
func IsDigit(b byte) bool { return b >= '0' && b <= '9' }

// IsUpper reports an ASCII capital.
func IsUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

// IsLower reports an ASCII lower-case letter.
func IsLower(b byte) bool { return b >= 'a' && b <= 'z' }

// IsLetterOrDigit reports an ASCII letter or digit.
func IsLetterOrDigit(b byte) bool { return IsDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'z' }

// IsWordRune reports a character that belongs to a word.
func IsWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '°' || r == '№'
}

// LastRune returns the last character of a text.
func LastRune(text string) rune {
	last, _ := utf8.DecodeLastRuneInString(text)
	return last
}

// RuneStart returns the first offset from i on, and before end, at which a character begins.
func RuneStart(text string, i, end int) int {
	for i < end && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

// SkipDigits returns the offset after the digits that begin at offset i.
func SkipDigits(text string, i int) int {
	for i < len(text) && IsDigit(text[i]) {
		i++
	}
	return i
}
