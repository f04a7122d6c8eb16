package content

import "portside/documents/pdf/internal/fonts"

// SetFont selects a font, as the operator Tf does.
func (in *Interpreter) SetFont(font *fonts.Font, size float64) {
	in.state.font, in.state.fontSize = font, size
}
