package syntax

import (
	"bytes"
	"strconv"
)

// TokenKind classifies a token.
type TokenKind uint8

// The kinds of tokens.
const (
	EndToken     TokenKind = iota // the end of the data
	NumberToken                   // an integer or a real number
	StringToken                   // a literal or hexadecimal string, decoded
	NameToken                     // a name without its slash, decoded
	KeywordToken                  // an operator, or true, false, null, obj, R and the like
	OpenToken                     // "[", "{" or "<<"
	CloseToken                    // "]", "}" or ">>"
)

// Token is a lexical token.
type Token struct {
	Kind  TokenKind
	Value float64 // of a number
	Bytes []byte  // the decoded string or name; for other tokens the bytes of the file
}

// Is reports whether the bytes of the token equal text.
func (t Token) Is(text string) bool { return string(t.Bytes) == text }

// Lexer splits data into tokens. Every call of Next advances, whatever the bytes are, so that a loop
// over tokens always ends.
type Lexer struct {
	Data []byte
	Pos  int // of the next byte to read
}

// Next returns the next token, or a token of kind EndToken at the end of the data.
func (l *Lexer) Next() Token {
	l.SkipSpace()
	if l.Pos >= len(l.Data) {
		return Token{}
	}
	switch c := l.Data[l.Pos]; c {
	case '(':
		return Token{Kind: StringToken, Bytes: l.literalString()}
	case '/':
		return Token{Kind: NameToken, Bytes: l.name()}
	case '[', '{':
		return l.delimiter(OpenToken, 1)
	case ']', '}':
		return l.delimiter(CloseToken, 1)
	case ')':
		return l.delimiter(KeywordToken, 1)
	case '<':
		if l.HasPrefix("<<") {
			return l.delimiter(OpenToken, 2)
		}
		return Token{Kind: StringToken, Bytes: l.HexString()}
	case '>':
		if l.HasPrefix(">>") {
			return l.delimiter(CloseToken, 2)
		}
		return l.delimiter(KeywordToken, 1)
	}
	return l.regular()
}

// HasPrefix reports whether the unread data begins with prefix.
func (l *Lexer) HasPrefix(prefix string) bool {
	return bytes.HasPrefix(l.Data[l.Pos:], []byte(prefix))
}

// SkipSpace skips white space and comments.
func (l *Lexer) SkipSpace() {
	for l.Pos < len(l.Data) {
		switch c := l.Data[l.Pos]; {
		case IsSpace(c):
			l.Pos++
		case c == '%':
			for l.Pos < len(l.Data) && l.Data[l.Pos] != '\n' && l.Data[l.Pos] != '\r' {
				l.Pos++
			}
		default:
			return
		}
	}
}

func (l *Lexer) delimiter(kind TokenKind, length int) Token {
	l.Pos += length
	return Token{Kind: kind, Bytes: l.Data[l.Pos-length : l.Pos]}
}

// regular reads a run of regular characters, which is a number or a keyword.
func (l *Lexer) regular() Token {
	start := l.Pos
	for l.Pos < len(l.Data) && !IsSpace(l.Data[l.Pos]) && !isDelimiter(l.Data[l.Pos]) {
		l.Pos++
	}
	raw := l.Data[start:l.Pos]
	if value, ok := ParseNumber(raw); ok {
		return Token{Kind: NumberToken, Value: value, Bytes: raw}
	}
	return Token{Kind: KeywordToken, Bytes: raw}
}

func (l *Lexer) name() []byte {
	l.Pos++
	start := l.Pos
	escaped := false
	for l.Pos < len(l.Data) && !IsSpace(l.Data[l.Pos]) && !isDelimiter(l.Data[l.Pos]) {
		escaped = escaped || l.Data[l.Pos] == '#'
		l.Pos++
	}
	raw := l.Data[start:l.Pos]
	if !escaped {
		return raw
	}
	return unescapeName(raw)
}

// unescapeName decodes "#20" and the like.
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

// IsSpace reports whether c is a white-space character.
func IsSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}
