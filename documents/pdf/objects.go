package pdf

import (
	"errors"
	"math"
)

// The objects of a PDF. Numbers are float64, true and false are bool, and null, like what cannot be read, is nil.
type (
	atom      string // a name
	literal   string // a string, decoded and decrypted
	array     []any
	dict      map[string]any
	reference struct{ number, generation int }

	// stream is a dictionary with data, which are a part of the file and no copy of it.
	stream struct {
		dict  dict
		raw   []byte
		owner reference // the object it is, for decryption; none for what is not encrypted on its own
		cut   bool      // the file ends within the data
	}
)

// Why an object cannot be read.
var (
	errSyntax = errors.New("broken syntax")
	errDeep   = errors.New("nested too deep")
	errLarge  = errors.New("more values than an object may have")
)

// parser reads objects. Its nesting is capped, as a stack that overflows cannot be recovered from; and so is what it builds,
// as an empty dictionary takes a hundred times the memory of its four bytes.
type parser struct {
	lex     lexer
	deepest int
	cells   int                 // that may still be built
	decrypt func([]byte) []byte // of strings; nil: they are plain
	cut     bool                // the data end within an object
}

// What values cost, in cells of some 40 bytes.
const (
	cellsOfDict  = 8
	cellsOfArray = 2
)

// next reads an object.
func (p *parser) next() (any, error) { return p.value(p.lex.next(), 0) }

func (p *parser) value(t token, depth int) (any, error) {
	p.cells -= 1 + len(t.bytes)/64
	switch {
	case p.cells < 0:
		return nil, errLarge
	case depth > p.deepest:
		return nil, errDeep
	}
	switch t.kind {
	case number:
		return p.numberOrReference(t), nil
	case text:
		if p.decrypt != nil {
			t.bytes = p.decrypt(t.bytes)
		}
		return literal(t.bytes), nil
	case name:
		return atom(t.bytes), nil
	case open:
		if t.is("<<") {
			return p.dict(depth)
		}
		return p.array(depth)
	case word:
		switch string(t.bytes) {
		case "true", "false":
			return t.is("true"), nil
		case "null", "endobj":
		default:
			if depth == 0 {
				return nil, errSyntax // what is left of an object
			}
		}
		return nil, nil //nolint:nilnil // null is an object
	}
	return nil, errSyntax
}

// numberOrReference looks ahead for the rest of "12 0 R".
func (p *parser) numberOrReference(t token) any {
	if !digits(t.bytes) {
		return t.value
	}
	ahead := p.lex
	ahead.skipBlank()
	if ahead.at >= len(ahead.data) || ahead.data[ahead.at] < '0' || ahead.data[ahead.at] > '9' {
		return t.value
	}
	generation := ahead.next()
	if !digits(generation.bytes) {
		return t.value
	}
	if r := ahead.next(); r.kind == word && r.is("R") {
		p.lex = ahead
		return reference{int(t.value), int(generation.value)}
	}
	return t.value
}

func digits(raw []byte) bool {
	for _, c := range raw {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(raw) > 0
}

func (p *parser) array(depth int) (any, error) {
	p.cells -= cellsOfArray
	a := array{}
	for {
		t := p.lex.next()
		switch {
		case t.kind == shut && t.is("]"):
			return a, nil
		case t.kind == atEnd || t.kind == shut || t.kind == word && t.is("endobj"):
			p.cut = p.cut || t.kind == atEnd
			return a, nil // cut short: what is there counts
		}
		v, err := p.value(t, depth+1)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
}

func (p *parser) dict(depth int) (any, error) {
	p.cells -= cellsOfDict
	d := dict{}
	for {
		key := p.lex.next()
		switch {
		case key.kind == shut && key.is(">>"), key.kind == atEnd:
			p.cut = p.cut || key.kind == atEnd
			return d, nil
		case key.kind == word && (key.is("endobj") || key.is("stream")):
			p.lex.at -= len(key.bytes)
			return d, nil
		case key.kind != name:
			continue // junk between the entries
		}
		before := p.lex.at
		t := p.lex.next()
		if t.kind == shut {
			p.lex.at = before
			continue
		}
		v, err := p.value(t, depth+1)
		if err != nil {
			return nil, err
		}
		p.cells -= 2
		d[string(key.bytes)] = v
	}
}

// whole is a number that counts or points at something.
func whole(v any) (int, bool) {
	n, ok := v.(float64)
	if !ok || n != math.Trunc(n) || math.Abs(n) > 1<<40 {
		return 0, false
	}
	return int(n), true
}
