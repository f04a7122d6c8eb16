package pdf

import (
	"context"
	"fmt"

	"portside/documents"
)

// What a content stream may pile up.
const (
	maxOperands = 64
	maxItems    = 20_000 // of an array, as TJ has
	maxStates   = 512    // q
	maxForms    = 12     // forms within forms
	maxMarks    = 512    // marked content
	maxGlyphs   = 120_000
)

// state is the part of the graphics state that text needs.
type state struct {
	ctm, text, line matrix
	font            *face
	size            float64
	charSpace       float64
	wordSpace       float64
	scale           float64
	leading         float64
	rise            float64
}

func newState(ctm matrix) state {
	unit := matrix{1, 0, 0, 1, 0, 0}
	return state{ctm: ctm, text: unit, line: unit, scale: 1}
}

// operand is a number, a string, a name, or the items of an array.
type operand struct {
	token
	items []token
	list  bool
}

// machine runs the content of one page and collects its glyphs and images.
type machine struct {
	ctx           context.Context
	f             *file
	state         state
	saved         []state
	operands      []operand
	marks         []mark
	glyphs        []glyph
	images        []placed
	depth, steps  int
	running       map[int]bool
	width, height float64
}

// form is a form XObject, unpacked once.
type form struct {
	data      []byte
	matrix    matrix
	resources dict
}

// run runs a content stream with its resources.
func (m *machine) run(data []byte, resources dict) error {
	lex := &lexer{data: data}
	m.operands = m.operands[:0]
	for {
		t := lex.next()
		if m.f.work--; m.f.work < 0 {
			return documents.ErrTooMuch
		}
		if m.steps++; m.steps%2048 == 0 && m.ctx.Err() != nil {
			return fmt.Errorf("run a page: %w", m.ctx.Err())
		}
		switch t.kind {
		case atEnd:
			return nil
		case word:
			if err := m.operator(t, lex, resources); err != nil {
				return err
			}
			m.operands = m.operands[:0]
		case open:
			m.push(m.list(lex, t))
		case shut:
		default:
			m.push(operand{token: t})
		}
	}
}

func (m *machine) push(o operand) {
	if len(m.operands) < maxOperands {
		m.operands = append(m.operands, o)
	}
}

// list reads an array, or a dictionary as a flat list of keys and values. What is nested in it is flattened.
func (m *machine) list(lex *lexer, opened token) operand {
	o := operand{token: opened, list: true}
	for depth := 1; depth > 0; {
		t := lex.next()
		m.f.work--
		switch {
		case t.kind == atEnd:
			return o
		case t.kind == open:
			depth++
		case t.kind == shut:
			depth--
		case len(o.items) < maxItems:
			o.items = append(o.items, t)
		}
	}
	return o
}

// num is the operand at the place, counted from the first.
func (m *machine) num(i int) float64 {
	if i < len(m.operands) {
		return m.operands[i].value
	}
	return 0
}

func (m *machine) last() operand {
	if len(m.operands) == 0 {
		return operand{}
	}
	return m.operands[len(m.operands)-1]
}

func (m *machine) matrix() matrix {
	return matrix{m.num(0), m.num(1), m.num(2), m.num(3), m.num(4), m.num(5)}
}

func (m *machine) operator(t token, lex *lexer, resources dict) error {
	switch string(t.bytes) {
	case "q":
		if len(m.saved) < maxStates {
			m.saved = append(m.saved, m.state)
		}
	case "Q":
		if n := len(m.saved); n > 0 {
			m.state, m.saved = m.saved[n-1], m.saved[:n-1]
		}
	case "cm":
		if next := m.matrix().times(m.state.ctm); next.sane() {
			m.state.ctm = next
		}
	case "Do":
		return m.do(resources)
	case "BI":
		skipInlineImage(lex)
	case "BDC", "BMC":
		m.beginMark(resources)
	case "EMC":
		m.endMark()
	case "Tf":
		m.setFont(resources)
	case "Tj", "'", "\"", "TJ":
		return m.showOperator(string(t.bytes))
	default:
		m.textOperator(string(t.bytes))
	}
	return nil
}

// do notes an image, or runs a form. A form that is already running is a cycle.
func (m *machine) do(resources dict) error {
	object := m.f.dict(resources["XObject"])[string(m.last().bytes)]
	number := id(object)
	if m.depth >= maxForms || m.running[number] {
		return nil
	}
	sd := m.f.stream(object)
	switch {
	case sd == nil:
		m.f.need(object)
		return nil
	case m.f.name(sd.dict["Subtype"]) == "Image":
		if len(m.images) < maxImages {
			m.images = append(m.images, placed{sd, m.state.ctm})
		}
		return nil
	}
	return m.paint(number, sd, resources)
}

// paint runs a form, and leaves the state as it was.
func (m *machine) paint(number int, sd *stream, resources dict) error {
	f, err := m.f.form(number, sd)
	if err != nil {
		return err
	}
	before, saved := m.state, m.saved
	if next := f.matrix.times(m.state.ctm); next.sane() {
		m.state.ctm = next
	}
	if m.running == nil {
		m.running = map[int]bool{}
	}
	m.depth, m.running[number], m.saved = m.depth+1, number != 0, nil
	own := f.resources
	if own == nil {
		own = resources
	}
	err = m.run(f.data, own)
	m.depth, m.running[number], m.saved, m.state = m.depth-1, false, saved, before
	return err
}

func (f *file) form(number int, sd *stream) (*form, error) {
	if known, ok := f.forms[number]; ok && number != 0 {
		return known, nil
	}
	data, err := f.decode(sd)
	if err != nil {
		return nil, err
	}
	made := &form{data: data, matrix: f.matrixOf(sd.dict["Matrix"]), resources: f.dict(sd.dict["Resources"])}
	f.need(sd.dict["Resources"])
	if f.formed += len(data); f.formed > maxPacked {
		clear(f.forms)
		f.formed = len(data)
	}
	f.forms[number] = made
	return made, nil
}

func (f *file) matrixOf(o any) matrix {
	own := f.array(o)
	if len(own) != 6 {
		return matrix{1, 0, 0, 1, 0, 0}
	}
	var made matrix
	for i := range own {
		made[i] = f.number(own[i], 0)
	}
	return made
}

// skipInlineImage goes on behind the EI of an image whose data may hold anything.
func skipInlineImage(lex *lexer) {
	for t := lex.next(); t.kind != atEnd && (t.kind != word || !t.is("ID")); t = lex.next() {
	}
	for at := lex.at + 1; at+1 < len(lex.data); at++ {
		ends := lex.data[at] == 'E' && lex.data[at+1] == 'I' && blank(lex.data[at-1])
		if ends && (at+2 == len(lex.data) || blank(lex.data[at+2])) && looksLikeText(lex.data[at+2:]) {
			lex.at = at + 2
			return
		}
	}
	lex.at = len(lex.data)
}

// looksLikeText tells an EI among image data from the real one.
func looksLikeText(data []byte) bool {
	for _, c := range data[:min(len(data), 16)] {
		if c > 126 || c < ' ' && !blank(c) {
			return false
		}
	}
	return true
}
