package syntax

import "unicode/utf16"

// HexString reads a hexadecimal string that begins at the current byte, and ignores other characters
// in it. A missing last digit counts as 0.
func (l *Lexer) HexString() []byte {
	l.Pos++
	out := make([]byte, 0, 16)
	high, odd := byte(0), false
	for ; l.Pos < len(l.Data) && l.Data[l.Pos] != '>'; l.Pos++ {
		v, ok := hexDigit(l.Data[l.Pos])
		if !ok {
			continue
		}
		if odd {
			out = append(out, high<<4|v)
		}
		high, odd = v, !odd
	}
	l.Pos++
	if odd {
		out = append(out, high<<4)
	}
	return out
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// literalString reads a string in balanced parentheses. It counts the parentheses instead of
// recursing.
func (l *Lexer) literalString() []byte {
	l.Pos++
	out := make([]byte, 0, 16)
	for depth := 1; l.Pos < len(l.Data); l.Pos++ {
		c := l.Data[l.Pos]
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case '\\':
			out = l.escape(out)
			continue
		}
		if depth == 0 {
			l.Pos++
			return out
		}
		out = append(out, c)
	}
	return out
}

// escape appends the character that the escape sequence at the current byte stands for. It stays on
// the last byte of the sequence.
func (l *Lexer) escape(out []byte) []byte {
	l.Pos++
	if l.Pos >= len(l.Data) {
		return out
	}
	c := l.Data[l.Pos]
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\n':
		return out
	case '\r':
		if l.Pos+1 < len(l.Data) && l.Data[l.Pos+1] == '\n' {
			l.Pos++
		}
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	value := 0
	for n := 0; n < 3 && l.Pos < len(l.Data) && l.Data[l.Pos] >= '0' && l.Data[l.Pos] <= '7'; n++ {
		value = value*8 + int(l.Data[l.Pos]-'0')
		l.Pos++
	}
	l.Pos--
	return append(out, byte(value)) // ISO 32000 says to ignore the overflow of \400 and above
}

// DecodeText decodes a text string, which is a string for people: UTF-16 or UTF-8 with a byte order
// mark, otherwise PDFDocEncoding. It reads PDFDocEncoding as Latin-1, which differs in a few signs only.
func DecodeText(raw []byte) string {
	switch {
	case len(raw) >= 2 && raw[0] == 0xfe && raw[1] == 0xff:
		units := make([]uint16, 0, len(raw)/2)
		for i := 2; i+1 < len(raw); i += 2 {
			units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
		}
		return string(utf16.Decode(units))
	case len(raw) >= 3 && raw[0] == 0xef && raw[1] == 0xbb && raw[2] == 0xbf:
		return string(raw[3:])
	}
	runes := make([]rune, len(raw))
	for i, c := range raw {
		runes[i] = rune(c)
	}
	return string(runes)
}
