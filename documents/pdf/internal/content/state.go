package content

import (
	"portside/documents/pdf/internal/fonts"
	"portside/documents/pdf/internal/geometry"
)

// graphicsState is the part of the graphics state that text needs (ISO 32000-1, 8.4 and 9.3).
type graphicsState struct {
	ctm            geometry.Matrix // the current transformation matrix, to the frame of the page
	textMatrix     geometry.Matrix
	textLineMatrix geometry.Matrix
	font           *fonts.Font
	fontSize       float64
	charSpacing    float64
	wordSpacing    float64
	scaling        float64 // horizontal, as a factor
	leading        float64
	rise           float64
}

func newGraphicsState(ctm geometry.Matrix) graphicsState {
	return graphicsState{
		ctm: ctm, textMatrix: geometry.Identity, textLineMatrix: geometry.Identity, scaling: 1,
	}
}

// executeText executes an operator that changes the text state or the text position. It ignores
// other operators.
func (s *graphicsState) executeText(operator string, o operands) {
	switch operator {
	case "BT":
		s.textMatrix, s.textLineMatrix = geometry.Identity, geometry.Identity
	case "Td":
		s.moveLine(o.number(0), o.number(1))
	case "TD":
		s.leading = -o.number(1)
		s.moveLine(o.number(0), o.number(1))
	case "Tm":
		if next := o.matrix(); next.IsUsable() {
			s.textMatrix, s.textLineMatrix = next, next
		}
	case "T*":
		s.nextLine()
	case "Tc":
		s.charSpacing = o.number(0)
	case "Tw":
		s.wordSpacing = o.number(0)
	case "Tz":
		s.scaling = o.number(0) / 100
	case "TL":
		s.leading = o.number(0)
	case "Ts":
		s.rise = o.number(0)
	}
}

// moveLine moves to the start of a line, relative to the start of the current line.
func (s *graphicsState) moveLine(x, y float64) {
	next := geometry.Translate(x, y).Times(s.textLineMatrix)
	if next.IsUsable() {
		s.textLineMatrix, s.textMatrix = next, next
	}
}

func (s *graphicsState) nextLine() { s.moveLine(0, -s.leading) }

// advance moves the text position to the right.
func (s *graphicsState) advance(x float64) {
	next := geometry.Translate(x, 0).Times(s.textMatrix)
	if next.IsUsable() {
		s.textMatrix = next
	}
}
