package pdf

import (
	"math"
	"unicode/utf16"

	"portside/documents"
)

// glyph is a character, or what one glyph stands for, in points from the top left corner of the page as it is shown.
type glyph struct {
	text   string
	x, y   float64 // where it begins, on the baseline
	dx, dy float64 // to where the next one would begin
	size   float64
	bold   bool
}

// mark is marked content that may replace what its glyphs say.
type mark struct {
	actual string
	has    bool
	first  int // glyphs before it
}

func (m *machine) textOperator(op string) {
	s := &m.state
	switch op {
	case "BT":
		s.text = matrix{1, 0, 0, 1, 0, 0}
		s.line = s.text
	case "Td":
		m.moveLine(m.num(0), m.num(1))
	case "TD":
		s.leading = -m.num(1)
		m.moveLine(m.num(0), m.num(1))
	case "Tm":
		if next := m.matrix(); next.sane() {
			s.text, s.line = next, next
		}
	case "T*":
		m.moveLine(0, -s.leading)
	case "Tc":
		s.charSpace = m.num(0)
	case "Tw":
		s.wordSpace = m.num(0)
	case "Tz":
		s.scale = m.num(0) / 100
	case "TL":
		s.leading = m.num(0)
	case "Ts":
		s.rise = m.num(0)
	}
}

func (m *machine) moveLine(x, y float64) {
	next := matrix{1, 0, 0, 1, x, y}.times(m.state.line)
	if next.sane() {
		m.state.line, m.state.text = next, next
	}
}

func (m *machine) setFont(resources dict) {
	if len(m.operands) < 2 {
		return
	}
	m.f.need(resources["Font"])
	m.state.font = m.f.font(m.f.dict(resources["Font"])[string(m.operands[0].bytes)])
	m.state.size = m.num(1)
}

func (m *machine) showOperator(op string) error {
	switch op {
	case "\"":
		m.state.wordSpace, m.state.charSpace = m.num(0), m.num(1)
		m.moveLine(0, -m.state.leading)
	case "'":
		m.moveLine(0, -m.state.leading)
	}
	shown := m.last()
	if !shown.list {
		return m.show(shown.bytes)
	}
	for _, item := range shown.items {
		if item.kind == text {
			if err := m.show(item.bytes); err != nil {
				return err
			}
		} else {
			m.advance(-item.value / 1000 * m.state.size * m.state.scale)
		}
	}
	return nil
}

func (m *machine) advance(x float64) {
	next := matrix{1, 0, 0, 1, x, 0}.times(m.state.text)
	if next.sane() {
		m.state.text = next
	}
}

// show sets the glyphs of a string.
func (m *machine) show(raw []byte) error {
	s := &m.state
	if s.font == nil {
		return nil
	}
	for len(raw) > 0 {
		c, length := s.font.cut(raw)
		raw = raw[length:]
		width := s.font.width(c)*s.size + s.charSpace
		if length == 1 && c == ' ' {
			width += s.wordSpace
		}
		width *= s.scale
		m.place(s.font.text(c), width)
		m.advance(width)
		if m.f.work -= 2; m.f.work < 0 || len(m.glyphs) > maxGlyphs {
			return documents.ErrTooMuch
		}
	}
	return nil
}

// place adds a glyph unless it is off the page.
func (m *machine) place(text string, width float64) {
	s := &m.state
	if text == "" {
		return
	}
	full := matrix{1, 0, 0, 1, 0, s.rise}.times(s.text).times(s.ctm)
	x, y := full.apply(0, 0)
	dx, dy := width*full[0], width*full[1]
	size := math.Abs(s.size) * math.Hypot(full[2], full[3])
	const slack = 2
	if x < -slack || y < -slack || x > m.width+slack || y > m.height+size || size < 0.1 || size > 5000 {
		return
	}
	if s.size < 0 && s.font != nil {
		dx, dy = -dx, -dy
	}
	m.glyphs = append(m.glyphs, glyph{text, x, y, dx, dy, size, s.font.bold})
}

// beginMark notes marked content; its properties are written out or named.
func (m *machine) beginMark(resources dict) {
	if len(m.marks) >= maxMarks {
		return
	}
	next := mark{first: len(m.glyphs)}
	properties := m.last()
	if properties.list {
		for i := 0; i+1 < len(properties.items); i++ {
			if properties.items[i].kind == name && properties.items[i].is("ActualText") && properties.items[i+1].kind == text {
				next.actual, next.has = textString(properties.items[i+1].bytes), true
			}
		}
	}
	if properties.kind == name {
		named := m.f.dict(m.f.dict(resources["Properties"])[string(properties.bytes)])
		if named["ActualText"] != nil {
			next.actual, next.has = m.f.words(named["ActualText"]), true
		}
	}
	m.marks = append(m.marks, next)
}

// endMark puts the words of ActualText in the place of the glyphs that it marks.
func (m *machine) endMark() {
	if len(m.marks) == 0 {
		return
	}
	done := m.marks[len(m.marks)-1]
	m.marks = m.marks[:len(m.marks)-1]
	if !done.has || done.first >= len(m.glyphs) {
		return
	}
	first, last := m.glyphs[done.first], m.glyphs[len(m.glyphs)-1]
	m.glyphs = m.glyphs[:done.first]
	if done.actual == "" {
		return
	}
	first.text = done.actual
	first.dx, first.dy = last.x+last.dx-first.x, last.y+last.dy-first.y
	m.glyphs = append(m.glyphs, first)
}

// textString decodes a string that people read: UTF-16 or UTF-8 with their marks, or PDFDocEncoding, here taken as Latin 1.
func textString(raw []byte) string {
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
