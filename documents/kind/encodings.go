package kind

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// plainText returns the head as text when it is text in one byte per letter or in UTF-8, or says in a mark what it is. Other
// letters than those of ASCII are only right in UTF-8; for telling the kind the rest does not matter.
func plainText(h head) (string, bool) {
	switch {
	case bytes.HasPrefix(h.data, []byte("\xef\xbb\xbf")):
		return string(h.data[3:]), isEightBit(h.data[3:])
	case bytes.HasPrefix(h.data, []byte("\xff\xfe")):
		return wide(h.data[2:], binary.LittleEndian)
	case bytes.HasPrefix(h.data, []byte("\xfe\xff")):
		return wide(h.data[2:], binary.BigEndian)
	}
	return string(h.data), isEightBit(h.data)
}

// isEightBit wants hardly any control characters, of which bytes at random have one in nine, and, where it is no UTF-8, more
// ASCII than other bytes, as is so in the Latin encodings.
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

// isTextControl knows the ends of lines and pages, and what old systems leave in texts: escape, backspace and end of file.
func isTextControl(c byte) bool {
	return c >= '\b' && c <= '\r' || c == 0x1a || c == 0x1b
}

// isUTF8 does not mind a letter cut by the end of the head.
func isUTF8(data []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut <= len(data); cut++ {
		if utf8.Valid(data[:len(data)-cut]) {
			return true
		}
	}
	return false
}

// wideText returns text in UTF-16 that has no mark: in Latin letters every other byte is zero.
func wideText(h head) (string, bool) {
	var zeros [2]int
	for i, c := range h.data {
		if c == 0 {
			zeros[i%2]++
		}
	}
	few, many := len(h.data)/20, (len(h.data)*7+19)/20
	switch {
	case len(h.data) < 4:
		return "", false
	case zeros[1] >= many && zeros[0] <= few:
		return wide(h.data, binary.LittleEndian)
	case zeros[0] >= many && zeros[1] <= few:
		return wide(h.data, binary.BigEndian)
	}
	return "", false
}

// wide decodes UTF-16; it is false for what has control characters or halves of letters in it.
func wide(data []byte, order binary.ByteOrder) (string, bool) {
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	runes := utf16.Decode(units)
	bad := 0
	for _, r := range runes {
		if r == utf8.RuneError || r == 0 || unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Co, r) {
			bad++
		}
	}
	return string(runes), len(runes) > 0 && bad <= len(runes)/100
}
