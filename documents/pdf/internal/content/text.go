package content

import (
	"math"

	"portside/documents"
	"portside/documents/pdf/internal/geometry"
	"portside/documents/pdf/internal/syntax"
)

// showText executes an operator that shows text.
func (in *Interpreter) showText(operator string) error {
	s := &in.state
	switch operator {
	case "\"":
		s.wordSpacing, s.charSpacing = in.operands.number(0), in.operands.number(1)
		s.nextLine()
	case "'":
		s.nextLine()
	}
	shown := in.operands.last()
	if !shown.isContainer {
		return in.showString(shown.Bytes)
	}
	for _, item := range shown.items {
		if item.Kind != syntax.StringToken {
			s.advance(-item.Value / 1000 * s.fontSize * s.scaling)
			continue
		}
		if err := in.showString(item.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// showString shows the glyphs of a string.
func (in *Interpreter) showString(raw []byte) error {
	const workPerGlyph = 2
	s := &in.state
	if s.font == nil {
		return nil
	}
	for len(raw) > 0 {
		code, length := s.font.NextCode(raw)
		raw = raw[length:]
		width := s.font.Width(code)*s.fontSize + s.charSpacing
		if length == 1 && code == ' ' {
			width += s.wordSpacing
		}
		width *= s.scaling
		text := s.font.Text(code)
		in.doc.count(text)
		in.addGlyph(text, width)
		s.advance(width)
		if !in.doc.file.Budget.SpendWork(workPerGlyph) || len(in.Glyphs) > maxGlyphs {
			return documents.ErrTooMuch
		}
	}
	return nil
}

// addGlyph adds a glyph at the text position. It ignores glyphs outside the page and illegible sizes.
func (in *Interpreter) addGlyph(text string, width float64) {
	const (
		slack            = 2 // points
		minSize, maxSize = 0.1, 5000
	)
	if text == "" {
		return
	}
	s := &in.state
	m := geometry.Translate(0, s.rise).Times(s.textMatrix).Times(s.ctm)
	x, y := m.Apply(0, 0)
	dx, dy := width*m[0], width*m[1]
	size := math.Abs(s.fontSize) * math.Hypot(m[2], m[3])
	isOutside := x < -slack || y < -slack || x > in.frame.Width+slack || y > in.frame.Height+size
	if isOutside || size < minSize || size > maxSize {
		return
	}
	if s.fontSize < 0 {
		dx, dy = -dx, -dy
	}
	in.Glyphs = append(in.Glyphs, Glyph{Text: text, X: x, Y: y, DX: dx, DY: dy, Size: size, IsBold: s.font.IsBold})
}

// AddGlyph adds a glyph that no content stream shows. It reports false once the page is full.
func (in *Interpreter) AddGlyph(g Glyph) bool {
	const workPerGlyph = 2
	if len(in.Glyphs) > maxGlyphs || !in.doc.file.Budget.HasWork() {
		in.doc.file.Damage.TooLarge = true
		return false
	}
	in.doc.file.Budget.SpendWork(workPerGlyph)
	in.Glyphs = append(in.Glyphs, g)
	return true
}
