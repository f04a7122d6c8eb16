package syntax

import "errors"

// Errors of a [Parser].
var (
	ErrSyntax   = errors.New("broken syntax")
	ErrTooDeep  = errors.New("object is nested too deeply")
	ErrTooLarge = errors.New("object has too many values")
)

// MaxObjectCells bounds the size of one object. A cell is about 40 bytes of memory.
const MaxObjectCells = 600_000

// The costs of containers in cells, without their elements.
const (
	cellsPerDict  = 8
	cellsPerArray = 2
)

// Parser parses objects. It bounds the nesting because a stack overflow cannot be recovered from. It
// bounds the size because an empty dictionary takes four bytes of the file and a hundred times as much
// memory.
type Parser struct {
	Lexer
	Decrypt   func([]byte) []byte // decrypts strings; nil if they are not encrypted
	Truncated bool                // the data end within an object

	maxDepth  int
	cellsLeft int
}

// NewParser returns a parser that begins at an offset of the data.
func NewParser(data []byte, offset, maxDepth int) *Parser {
	return &Parser{Lexer: Lexer{Data: data, Pos: offset}, maxDepth: maxDepth, cellsLeft: MaxObjectCells}
}

// Cells returns the size of the parsed objects in cells.
func (p *Parser) Cells() int { return MaxObjectCells - p.cellsLeft }

// Object parses the next object.
func (p *Parser) Object() (any, error) { return p.value(p.Next(), 0) }

func (p *Parser) value(t Token, depth int) (any, error) {
	p.cellsLeft -= 1 + len(t.Bytes)/64
	switch {
	case p.cellsLeft < 0:
		return nil, ErrTooLarge
	case depth > p.maxDepth:
		return nil, ErrTooDeep
	}
	switch t.Kind {
	case NumberToken:
		return p.numberOrReference(t), nil
	case StringToken:
		if p.Decrypt != nil {
			t.Bytes = p.Decrypt(t.Bytes)
		}
		return String(t.Bytes), nil
	case NameToken:
		return Name(t.Bytes), nil
	case OpenToken:
		if t.Is("<<") {
			return p.dict(depth)
		}
		return p.array(depth)
	case KeywordToken:
		return keywordValue(t, depth)
	}
	return nil, ErrSyntax
}

// keywordValue returns the object that a keyword stands for. Inside a container, an unknown keyword
// counts as null.
func keywordValue(t Token, depth int) (any, error) {
	switch string(t.Bytes) {
	case "true", "false":
		return t.Is("true"), nil
	case "null", "endobj":
	default:
		if depth == 0 {
			return nil, ErrSyntax // the rest of a damaged object
		}
	}
	return nil, nil //nolint:nilnil // null is an object
}

// numberOrReference looks ahead for the rest of "12 0 R".
func (p *Parser) numberOrReference(t Token) any {
	if !IsDigits(t.Bytes) {
		return t.Value
	}
	ahead := p.Lexer
	ahead.SkipSpace()
	if ahead.Pos >= len(ahead.Data) || ahead.Data[ahead.Pos] < '0' || ahead.Data[ahead.Pos] > '9' {
		return t.Value
	}
	generation := ahead.Next()
	if !IsDigits(generation.Bytes) {
		return t.Value
	}
	if r := ahead.Next(); r.Kind == KeywordToken && r.Is("R") {
		p.Lexer = ahead
		return Reference{int(t.Value), int(generation.Value)}
	}
	return t.Value
}

// array parses the rest of an array. An unclosed array keeps the elements before its end.
func (p *Parser) array(depth int) (any, error) {
	p.cellsLeft -= cellsPerArray
	a := Array{}
	for {
		t := p.Next()
		switch {
		case t.Kind == CloseToken && t.Is("]"):
			return a, nil
		case t.Kind == EndToken || t.Kind == CloseToken || t.Kind == KeywordToken && t.Is("endobj"):
			p.Truncated = p.Truncated || t.Kind == EndToken
			return a, nil
		}
		v, err := p.value(t, depth+1)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
}

// dict parses the rest of a dictionary. An unclosed dictionary keeps the entries before its end.
func (p *Parser) dict(depth int) (any, error) {
	p.cellsLeft -= cellsPerDict
	d := Dict{}
	for {
		key := p.Next()
		switch {
		case key.Kind == CloseToken && key.Is(">>"), key.Kind == EndToken:
			p.Truncated = p.Truncated || key.Kind == EndToken
			return d, nil
		case key.Kind == KeywordToken && (key.Is("endobj") || key.Is("stream")):
			p.Pos -= len(key.Bytes)
			return d, nil
		case key.Kind != NameToken:
			continue // skip junk between entries
		}
		valuePos := p.Pos
		t := p.Next()
		if t.Kind == CloseToken {
			p.Pos = valuePos
			continue
		}
		v, err := p.value(t, depth+1)
		if err != nil {
			return nil, err
		}
		p.cellsLeft -= 2
		d[string(key.Bytes)] = v
	}
}
