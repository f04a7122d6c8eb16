package kind

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"

	"portside/documents/charset"
)

// plainText returns the head as text if it is UTF-8, has one byte per letter, or begins with a byte order mark. Which
// character set of one byte it is does not matter for the format.
func plainText(h head) (string, bool) {
	if text, hasMark := bytes.CutPrefix(h.data, []byte("\xef\xbb\xbf")); hasMark {
		return string(text), isEightBit(text)
	}
	if wide := charset.ByMark(h.data); wide != nil {
		return wideText(h.data, wide)
	}
	return string(h.data), isEightBit(h.data) || charset.ByScript(h.data) != nil
}

// isEightBit reports whether the data may be text with one byte per letter or UTF-8. At most one byte in a hundred may
// be a control character; random bytes have one in nine. Unless it is UTF-8, most bytes must be ASCII.
func isEightBit(data []byte) bool {
	control, high := 0, 0
	for _, c := range data {
		switch {
		case c >= utf8.RuneSelf:
			high++
		case c < ' ' && !isTextControl(c), c == 0x7f:
			control++
		}
	}
	return control <= len(data)/100 && (high*5 < len(data)*2 || isUTF8(data))
}

// isTextControl reports whether a control character is usual in texts: ends of lines and pages, escape, backspace, end
// of file.
func isTextControl(c byte) bool {
	return c >= '\b' && c <= '\r' || c == 0x1a || c == 0x1b
}

// isUTF8 reports whether the data is UTF-8. The end may cut a character.
func isUTF8(data []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut <= len(data); cut++ {
		if utf8.Valid(data[:len(data)-cut]) {
			return true
		}
	}
	return false
}

// wideText decodes UTF-16. It is false for data with more than a few control characters or invalid ones.
func wideText(data []byte, from encoding.Encoding) (string, bool) {
	text := charset.Convert(data[:len(data)&^1], from) // the end of the head may cut a letter
	bad := 0
	for _, r := range text {
		if r == utf8.RuneError || r == 0 || unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Co, r) {
			bad++
		}
	}
	return text, text != "" && bad <= utf8.RuneCountInString(text)/100
}
