// Package recognized lays out the words that optical character recognition (OCR) found in a picture, with the same
// rules as the words of a PDF. So a scanned page gets the same columns, tables, headings and paragraphs as a PDF page
// with text.
package recognized

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"portside/documents"
	"portside/documents/pdf/internal/content"
	"portside/documents/pdf/internal/layout"
)

// Point is a position in a picture, as fractions of its width and height from the top left corner.
type Point struct{ X, Y float64 }

// Word is a word in a picture.
type Word struct {
	Text    string
	Corners [4]Point // clockwise, from the top left corner of the word when it is upright
	Doubt   float32  // as in documents.Word
}

// Line has the words of a line in reading order.
type Line []Word

// Page is a picture with the lines that were recognized in it.
type Page struct {
	Width, Height float64       // of the picture, in any unit
	Place         documents.Box // of the picture on its page; the zero Box if it is unknown
	Lines         []Line
}

// pageSide is the length in points to which the layout scales the longer side of a picture. It is the height of an A4
// page, because the thresholds of the layout are for paper sizes.
const pageSide = 842

// Blocks returns the blocks of a picture in reading order. Without a Place, the blocks have no boxes. Errors:
// documents.ErrDamaged, limits of documents, and the error of the context.
func Blocks(ctx context.Context, p Page) ([]documents.Block, error) {
	if p.Width <= 0 || p.Height <= 0 {
		return nil, documents.ErrDamaged
	}
	scale := pageSide / max(p.Width, p.Height)
	f := frame{width: p.Width * scale, height: p.Height * scale, place: p.Place}
	f.angle = f.angleOf(p.Lines)
	f.sin, f.cos = math.Sincos(f.angle)
	laidOut, err := layout.Blocks(ctx, f.glyphs(p.Lines))
	if err != nil {
		return nil, fmt.Errorf("lay out a picture: %w", err)
	}
	into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	if err := layout.NewOutline([][]layout.Block{laidOut}).AddTo(into, laidOut); err != nil {
		return nil, err
	}
	blocks := into.Document().Blocks
	for i := range blocks {
		blocks[i].Turn = f.turn()
		blocks[i].Box = f.restore(blocks[i].Box)
		for j := range blocks[i].Words {
			blocks[i].Words[j].Box = f.restore(blocks[i].Words[j].Box)
		}
	}
	return blocks, nil
}

// frame converts between the coordinates of a picture and those of the layout. The layout measures in points, and
// rotates the picture so that its lines are horizontal.
type frame struct {
	width, height float64 // of the picture in points
	place         documents.Box
	angle         float64 // of the lines, clockwise
	sin, cos      float64 // of the angle
}

// scale returns a point in points, before the rotation.
func (f frame) scale(p Point) Point { return Point{p.X * f.width, p.Y * f.height} }

// deskew returns a point in the coordinates of the layout.
func (f frame) deskew(p Point) Point {
	p, center := f.scale(p), f.center()
	dx, dy := p.X-f.width/2, p.Y-f.height/2
	return Point{center.X + dx*f.cos + dy*f.sin, center.Y + dy*f.cos - dx*f.sin}
}

// center returns the center of the picture in the coordinates of the layout, in which no point is negative.
func (f frame) center() Point {
	return Point{
		(math.Abs(f.width*f.cos) + math.Abs(f.height*f.sin)) / 2, (math.Abs(f.width*f.sin) + math.Abs(f.height*f.cos)) / 2,
	}
}

// angleOf returns the angle of the lines. It is the direction in which most of the text runs, corrected by the skew:
// the median of the angles between the lines and the nearest side of the picture. Longer lines count more.
func (f frame) angleOf(lines []Line) float64 {
	type baseline struct{ skew, length float64 }
	var baselines []baseline
	total := 0.0
	var turns [4]float64 // the length of the text that runs in each direction, in quarter turns
	for _, l := range lines {
		if len(l) == 0 {
			continue
		}
		from, to := f.scale(l[0].Corners[3]), f.scale(l[len(l)-1].Corners[2])
		angle, length := math.Atan2(to.Y-from.Y, to.X-from.X), math.Hypot(to.X-from.X, to.Y-from.Y)
		quarters := math.Round(angle / quarterTurn)
		baselines, total = append(baselines, baseline{angle - quarterTurn*quarters, length}), total+length
		turns[(int(quarters)+len(turns))%len(turns)] += length
	}
	most := 0
	for i, length := range turns {
		if length > turns[most] {
			most = i
		}
	}
	slices.SortFunc(baselines, func(a, b baseline) int { return cmp.Compare(a.skew, b.skew) })
	half := total / 2
	for _, b := range baselines {
		if half -= b.length; half <= 0 {
			return quarterTurn*float64(most) + b.skew
		}
	}
	return 0
}

const quarterTurn = math.Pi / 2

// turn returns the turn of the page that makes its lines horizontal. It is around the center of the picture.
func (f frame) turn() documents.Turn {
	if f.place == (documents.Box{}) {
		return documents.Turn{}
	}
	return documents.Turn{X: (f.place.Left + f.place.Right) / 2, Y: (f.place.Top + f.place.Bottom) / 2, Angle: f.angle}
}

// restore converts a box of the layout to a box on the page when it is turned so that its lines are horizontal. It
// returns the zero Box if the place of the picture is unknown.
func (f frame) restore(b documents.Box) documents.Box {
	if f.place == (documents.Box{}) || b == (documents.Box{}) {
		return documents.Box{}
	}
	from, to := f.turned(Point{b.Left, b.Top}), f.turned(Point{b.Right, b.Bottom})
	return documents.Box{Left: min(from.X, to.X), Top: min(from.Y, to.Y), Right: max(from.X, to.X), Bottom: max(from.Y, to.Y)}
}

// turned converts a point of the layout to a point on the turned page.
func (f frame) turned(p Point) Point {
	t, center := f.turn(), f.center()
	dx, dy := p.X-center.X, p.Y-center.Y
	// A picture can have other proportions than its place, so it gets them before it is turned back.
	x := (dx*f.cos - dy*f.sin) / f.width * (f.place.Right - f.place.Left)
	y := (dy*f.cos + dx*f.sin) / f.height * (f.place.Bottom - f.place.Top)
	return Point{t.X + x*f.cos + y*f.sin, t.Y + y*f.cos - x*f.sin}
}

// glyphs returns each word as one glyph, followed by a space.
func (f frame) glyphs(lines []Line) []content.Glyph {
	measured := make([]measuredLine, 0, len(lines))
	for _, l := range lines {
		if m, ok := f.measure(l); ok {
			measured = append(measured, m)
		}
	}
	snapSizes(measured)
	var glyphs []content.Glyph
	for _, m := range measured {
		glyphs = append(glyphs, m.glyphs()...)
	}
	return glyphs
}

// measuredLine is a line with its measurements. They are coordinates along the direction of the text, and across it.
type measuredLine struct {
	words    Line
	along    Point     // the direction of the text, of length 1
	from, to []float64 // the ends of each word, along the line
	baseline float64   // across the line
	size     float64   // of the font
}

// Heights of letters above and below the baseline, in em, in common fonts.
const (
	capitalHeight   = 0.72
	smallHeight     = 0.5
	descenderHeight = 0.21
)

// measure finds the size of the font and the baseline of a line. The corners of a word are at the edges of its ink, so
// both depend on which letters the line has: a line without a descender ends at its baseline.
func (f frame) measure(l Line) (measuredLine, bool) {
	if len(l) == 0 {
		return measuredLine{}, false
	}
	from, to := f.deskew(l[0].Corners[3]), f.deskew(l[len(l)-1].Corners[2])
	length := math.Hypot(to.X-from.X, to.Y-from.Y)
	if length == 0 {
		return measuredLine{}, false
	}
	m := measuredLine{words: l, along: Point{(to.X - from.X) / length, (to.Y - from.Y) / length}}
	top, bottom := math.Inf(1), math.Inf(-1)
	above, below := smallHeight, 0.0
	for _, w := range l {
		left, right := math.Inf(1), math.Inf(-1)
		for _, corner := range w.Corners {
			x, y := m.coordinates(f.deskew(corner))
			left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
		}
		m.from, m.to = append(m.from, left), append(m.to, right)
		if strings.ContainsFunc(w.Text, isTall) {
			above = capitalHeight
		}
		if strings.ContainsAny(w.Text, "gjpqyçşţQ,;()[]{}|/@$§_") {
			below = descenderHeight
		}
	}
	m.size = (bottom - top) / (above + below)
	m.baseline = bottom - below*m.size
	return m, m.size > 0
}

// isTall reports whether a character is about as high as a capital letter.
func isTall(r rune) bool {
	return !unicode.IsSpace(r) && !strings.ContainsRune("acegmnopqrsuvwxyz.,:;-–_~+=<>«»·•", r)
}

// coordinates returns the coordinates of a point along the line and across it.
func (m measuredLine) coordinates(p Point) (along, across float64) {
	return p.X*m.along.X + p.Y*m.along.Y, p.Y*m.along.X - p.X*m.along.Y
}

// snapSizes gives each line whose size is near the median of all letters exactly that size. The measured sizes of equal
// fonts differ, so ordinary lines would otherwise become headings.
func snapSizes(lines []measuredLine) {
	const tolerance = 0.25
	letters := map[float64]int{} // by size
	sizes := make([]float64, 0, len(lines))
	total := 0
	for _, m := range lines {
		n := 0
		for _, w := range m.words {
			n += len(w.Text)
		}
		if letters[m.size] == 0 {
			sizes = append(sizes, m.size)
		}
		letters[m.size] += n
		total += n
	}
	slices.Sort(sizes)
	median, seen := 0.0, 0
	for _, size := range sizes {
		if median, seen = size, seen+letters[size]; 2*seen >= total {
			break
		}
	}
	for i := range lines {
		if m := &lines[i]; math.Abs(m.size-median) < tolerance*median {
			m.size = median
		} else {
			m.size = math.Round(m.size)
		}
	}
}

// glyphs returns each word as one glyph, followed by a space. It leaves a gap between words even if their ink nearly
// touches.
func (m measuredLine) glyphs() []content.Glyph {
	const minGap = 0.2 // em
	var glyphs []content.Glyph
	for i, w := range m.words {
		width := m.to[i] - m.from[i]
		if i+1 < len(m.words) {
			width = min(width, m.from[i+1]-minGap*m.size-m.from[i])
		}
		if text := documents.Clean(w.Text); text != "" {
			g := content.Glyph{
				Text: text, Size: m.size, Doubt: w.Doubt, StartsLine: i == 0,
				X: m.from[i]*m.along.X - m.baseline*m.along.Y, Y: m.from[i]*m.along.Y + m.baseline*m.along.X,
				DX: max(width, 0) * m.along.X, DY: max(width, 0) * m.along.Y,
			}
			glyphs = append(glyphs, g)
			g.Text = " "
			glyphs = append(glyphs, g)
		}
	}
	return glyphs
}
