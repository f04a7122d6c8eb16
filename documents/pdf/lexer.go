package pdf

import (
	"bytes"
	"strconv"
)

// kind is what a token of a content stream or a CMap is.
type kind uint8

const (
	atEnd kind = iota
	number
	text // a string, decoded
	name // without its slash
	word // an operator, or true, false, null
	open // [ or <<
	shut // ] or >>
)

type token struct {
	kind  kind
	value float64
	bytes []byte
}

func (t token) is(word string) bool { return string(t.bytes) == word }

// lexer cuts the syntax that content streams and CMaps share into tokens. It always moves on, whatever the bytes are.
type lexer struct {
	data []byte
	at   int
}

func (l *lexer) next() token {
	l.skipBlank()
	if l.at >= len(l.data) {
		return token{}
	}
	switch c := l.data[l.at]; c {
	case '(':
		return token{kind: text, bytes: l.literal()}
	case '/':
		return token{kind: name, bytes: l.name()}
	case '[', '{':
		return l.single(open)
	case ']', '}':
		return l.single(shut)
	case ')':
		return l.single(word)
	case '<':
		if l.starts("<<") {
			return l.double(open)
		}
		return token{kind: text, bytes: l.hex()}
	case '>':
		if l.starts(">>") {
			return l.double(shut)
		}
		return l.single(word)
	}
	return l.regular()
}

func (l *lexer) starts(s string) bool { return bytes.HasPrefix(l.data[l.at:], []byte(s)) }

func (l *lexer) single(k kind) token {
	l.at++
	return token{kind: k, bytes: l.data[l.at-1 : l.at]}
}

func (l *lexer) double(k kind) token {
	l.at += 2
	return token{kind: k, bytes: l.data[l.at-2 : l.at]}
}

func (l *lexer) skipBlank() {
	for l.at < len(l.data) {
		switch c := l.data[l.at]; {
		case blank(c):
			l.at++
		case c == '%':
			for l.at < len(l.data) && l.data[l.at] != '\n' && l.data[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

func (l *lexer) regular() token {
	start := l.at
	for l.at < len(l.data) && !blank(l.data[l.at]) && !delimits(l.data[l.at]) {
		l.at++
	}
	raw := l.data[start:l.at]
	if value, ok := parseNumber(raw); ok {
		return token{kind: number, value: value, bytes: raw}
	}
	return token{kind: word, bytes: raw}
}

// parseNumber is lenient like all readers: "--5", "1.2.3" and "5-3" are in real files.
func parseNumber(raw []byte) (float64, bool) {
	c := raw[0]
	if c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return 0, false
	}
	value, scale, sign, digits := 0.0, 0.0, 1.0, 0
	for i, c := range raw {
		switch {
		case c >= '0' && c <= '9':
			digits++
			if scale == 0 {
				value = value*10 + float64(c-'0')
			} else {
				value += float64(c-'0') * scale
				scale /= 10
			}
		case c == '.' && scale == 0:
			scale = 0.1
		case c == '-' && digits == 0:
			sign = -1
		case c == '+' && i == 0:
		case c == '.' || c == '-':
			return sign * min(value, 1e9), digits > 0
		default:
			return 0, false
		}
	}
	return sign * min(value, 1e9), true
}

func (l *lexer) name() []byte {
	l.at++
	start := l.at
	escaped := false
	for l.at < len(l.data) && !blank(l.data[l.at]) && !delimits(l.data[l.at]) {
		escaped = escaped || l.data[l.at] == '#'
		l.at++
	}
	raw := l.data[start:l.at]
	if !escaped {
		return raw
	}
	return unescapeName(raw)
}

func unescapeName(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if v, err := strconv.ParseUint(string(raw[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(v))
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return out
}

func (l *lexer) hex() []byte {
	l.at++
	out := make([]byte, 0, 16)
	half, odd := byte(0), false
	for ; l.at < len(l.data) && l.data[l.at] != '>'; l.at++ {
		v, ok := hexDigit(l.data[l.at])
		if !ok {
			continue
		}
		if odd {
			out = append(out, half<<4|v)
		}
		half, odd = v, !odd
	}
	l.at++
	if odd {
		out = append(out, half<<4)
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

func (l *lexer) literal() []byte {
	l.at++
	out := make([]byte, 0, 16)
	for depth := 1; l.at < len(l.data); l.at++ {
		c := l.data[l.at]
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
			l.at++
			return out
		}
		out = append(out, c)
	}
	return out
}

// escape adds what the backslash at the current place stands for, and stays on its last byte.
func (l *lexer) escape(out []byte) []byte {
	l.at++
	if l.at >= len(l.data) {
		return out
	}
	c := l.data[l.at]
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
		if l.at+1 < len(l.data) && l.data[l.at+1] == '\n' {
			l.at++
		}
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	value := 0
	for n := 0; n < 3 && l.at < len(l.data) && l.data[l.at] >= '0' && l.data[l.at] <= '7'; n++ {
		value = value*8 + int(l.data[l.at]-'0')
		l.at++
	}
	l.at--
	return append(out, byte(value)) // the high bit of \4xx is ignored
}

func blank(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func delimits(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}
