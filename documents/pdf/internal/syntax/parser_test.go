package syntax

import (
	"errors"
	"strings"
	"testing"
)

func TestParserBoundsNesting(t *testing.T) {
	for _, opening := range []string{"[", "<</A"} {
		p := NewParser([]byte(strings.Repeat(opening, 34)), 0, 32)
		if _, err := p.Object(); !errors.Is(err, ErrTooDeep) {
			t.Errorf("34 times %q: got %v, want ErrTooDeep", opening, err)
		}
	}
}

func TestParserBoundsObjectSize(t *testing.T) {
	p := NewParser([]byte("["+strings.Repeat("<<>>", 1000)), 0, 32)
	p.cellsLeft = 100
	if _, err := p.Object(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a thousand dictionaries: got %v, want ErrTooLarge", err)
	}
}

func TestDecodeText(t *testing.T) {
	for raw, want := range map[string]string{
		"\xfe\xff\x00a\x01\x03": "aă",
		"\xef\xbb\xbfa\xc4\x83": "aă",
		"caf\xe9":               "café",
		"":                      "",
	} {
		if got := DecodeText([]byte(raw)); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

func TestLexerTokens(t *testing.T) {
	for data, want := range map[string]Token{
		"12.5":           {Kind: NumberToken, Value: 12.5},
		"--5":            {Kind: NumberToken, Value: -5},
		"1.2.3":          {Kind: NumberToken, Value: 1.2},
		"5-3":            {Kind: NumberToken, Value: 5},
		"/A#20B":         {Kind: NameToken, Bytes: []byte("A B")},
		"<4142 4>":       {Kind: StringToken, Bytes: []byte("AB@")},
		`(a\(\101\n(b))`: {Kind: StringToken, Bytes: []byte("a(A\n(b)")},
		"% note\nendobj": {Kind: KeywordToken, Bytes: []byte("endobj")},
		"<<":             {Kind: OpenToken, Bytes: []byte("<<")},
		">>":             {Kind: CloseToken, Bytes: []byte(">>")},
		"":               {Kind: EndToken},
	} {
		t.Run(data, func(t *testing.T) {
			got := (&Lexer{Data: []byte(data)}).Next()
			equal := got.Kind == want.Kind && got.Value == want.Value
			if !equal || want.Kind != NumberToken && !got.Is(string(want.Bytes)) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// FuzzParser checks that no input makes the parser panic or stop advancing.
func FuzzParser(f *testing.F) {
	f.Add([]byte("1 0 obj <</A [1 0 R (b\\) <41>)] /B true>> endobj"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := NewParser(data, 0, 32)
		for p.Pos < len(data) {
			before := p.Pos
			if _, err := p.Object(); errors.Is(err, ErrTooLarge) {
				return
			}
			if p.Pos == before {
				t.Fatalf("the parser stays at byte %d", before)
			}
		}
	})
}
