package scan

import (
	"unicode"
	"unicode/utf8"
)

func SkipDigits(text string, i int) int {
	for i < len(text) && IsDigit(text[i]) {
		i++
	}
	return i
}

func IsLower(b byte) bool { return b >= 'a' && b <= 'z' }

func IsWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '°' || r == '№'
}

func IsLetterOrDigit(b byte) bool { return IsDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'z' }

func LastRune(text string) rune {
	last, _ := utf8.DecodeLastRuneInString(text)
	return last
}

func IsDigit(b byte) bool { return b >= '0' && b <= '9' }

func IsUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
