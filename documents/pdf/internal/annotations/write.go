package annotations

import (
	"math"
	"strings"
	"unicode/utf8"

	"portside/documents/pdf/internal/content"
	"portside/documents/pdf/internal/geometry"
	"portside/documents/pdf/internal/syntax"
)

// rectangle is a rectangle in user space, with left <= right and bottom <= top.
type rectangle struct{ left, bottom, right, top float64 }

func (w *writer) rectangle(o any) rectangle {
	var c [4]float64
	if a := w.objects.Array(o); len(a) == len(c) {
		for i := range c {
			c[i] = w.objects.Number(a[i], 0)
		}
	}
	return rectangle{min(c[0], c[2]), min(c[1], c[3]), max(c[0], c[2]), max(c[1], c[3])}
}

// appearanceMatrix returns the matrix that maps the bounding box of an appearance stream to the
// rectangle of its annotation (ISO 32000-1, algorithm 8.1).
func (w *writer) appearanceMatrix(s *syntax.Stream, d syntax.Dict) geometry.Matrix {
	formMatrix := content.MatrixOf(w.objects, s.Dict["Matrix"])
	box := w.rectangle(s.Dict["BBox"])
	from := rectangle{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, corner := range [4][2]float64{
		{box.left, box.bottom}, {box.right, box.bottom}, {box.left, box.top}, {box.right, box.top},
	} {
		x, y := formMatrix.Apply(corner[0], corner[1])
		from.left, from.right = min(from.left, x), max(from.right, x)
		from.bottom, from.top = min(from.bottom, y), max(from.top, y)
	}
	to := w.rectangle(d["Rect"])
	scaleX := scale(to.right-to.left, from.right-from.left)
	scaleY := scale(to.top-to.bottom, from.top-from.bottom)
	m := geometry.Matrix{scaleX, 0, 0, scaleY, to.left - from.left*scaleX, to.bottom - from.bottom*scaleY}
	if !m.IsUsable() {
		return geometry.Identity
	}
	return m
}

// scale returns to/from, or 1 if a length is not positive.
func scale(to, from float64) float64 {
	if from <= 0 || to <= 0 {
		return 1
	}
	return to / from
}

// write sets lines of text into the rectangle of an annotation, in a size that fits its height.
func (w *writer) write(d syntax.Dict, text string) {
	const maxSize, minSize, leading = 11, 4, 1.2
	r := w.rectangle(d["Rect"])
	x1, y1 := w.frame.Matrix.Apply(r.left, r.bottom)
	x2, y2 := w.frame.Matrix.Apply(r.right, r.top)
	box := geometry.BoxOf(x1, y1, x2, y2)
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	isEmpty := len(lines) == 0 || box.Right <= box.Left || box.Bottom <= box.Top
	if isEmpty || box.Left > w.frame.Width || box.Top > w.frame.Height {
		return
	}
	size := min(max((box.Bottom-box.Top)/(leading*float64(len(lines))), minSize), maxSize)
	baseline := box.Top + 0.8*size
	if len(lines) == 1 {
		baseline = (box.Top+box.Bottom)/2 + 0.35*size
	}
	for i, line := range lines {
		first := content.Glyph{X: box.Left, Y: baseline + float64(i)*leading*size, Size: size}
		w.writeLine(line, first, box.Right-box.Left)
	}
}

// writeLine adds a glyph for each character of a line. All have the same width, so that the line fits
// into the rectangle.
func (w *writer) writeLine(line string, g content.Glyph, maxWidth float64) {
	g.DX = min(0.5*g.Size, maxWidth/float64(utf8.RuneCountInString(line)))
	for _, r := range line {
		g.Text = string(r)
		if !w.page.AddGlyph(g) {
			return
		}
		g.X += g.DX
	}
}
