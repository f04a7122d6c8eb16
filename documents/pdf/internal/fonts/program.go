package fonts

import (
	"bytes"

	"portside/documents/pdf/internal/syntax"
)

// builtInEncoding returns the encoding in the font program of a Type 1 font, in one of its two forms, or nil without
// one. Damage of the program is no loss of text.
func (l *Loader) builtInEncoding(descriptor syntax.Dict) *encodingTable {
	damage := *l.file.Damage
	defer func() { *l.file.Damage = damage }()
	parse := l.parseType1
	program := l.file.Objects.Stream(descriptor["FontFile"])
	if program == nil {
		parse, program = l.parseCompact, l.file.Objects.Stream(descriptor["FontFile3"])
	}
	if program == nil {
		return nil
	}
	data, err := l.file.Decoder.Decode(program)
	if err != nil {
		return nil
	}
	return parse(data)
}

// parseType1 reads the encoding in the clear text at the beginning of a Type 1 font program: the name of the standard
// encoding, or "dup 65 /A put" for each code.
func (l *Loader) parseType1(data []byte) *encodingTable {
	const maxTokens = 4096
	_, rest, found := bytes.Cut(data, []byte("/Encoding"))
	if !found {
		return nil
	}
	table := &encodingTable{}
	lex := &syntax.Lexer{Data: rest}
	var code float64
	for i := range maxTokens {
		l.file.Budget.SpendWork(1)
		switch t := lex.Next(); {
		case i == 0 && t.Is("StandardEncoding"):
			*table = namedEncoding("StandardEncoding")
			return table
		case t.Kind == syntax.EndToken, t.Is("def"), t.Is("readonly"):
			return table
		case t.Kind == syntax.NumberToken:
			code = t.Value
		case t.Kind == syntax.NameToken && code >= 0 && code < 256:
			table[int(code)] = l.glyphNames.text(string(t.Bytes))
		}
	}
	return table
}
