package pdf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"portside/documents"
)

// Distances in em.
const (
	spaceGap   = 0.16 // between words
	cellGap    = 1.5  // between cells
	alignedGap = 0.4  // between cells that stand in columns
)

// piece is a word, or a part of one, in the coordinates of its own direction: x along the text, y down.
type piece struct {
	text        string
	left, right float64
	base        float64
	size        float64
	bold        bool
	letters     bool // there are some in the text
}

// direction is the angle of text, clockwise in degrees.
type direction int

// layOut makes blocks of the glyphs of a page: those of upright text, then those of text in other directions. When the time is
// over, what is done is returned with the context's error.
func layOut(ctx context.Context, glyphs []glyph) ([]block, error) {
	groups := map[direction][]glyph{}
	for _, g := range glyphs {
		d := directionOf(g)
		groups[d] = append(groups[d], g)
	}
	order := make([]direction, 0, len(groups))
	for d := range groups {
		order = append(order, d)
	}
	slices.SortFunc(order, func(a, b direction) int {
		if n := len(groups[b]) - len(groups[a]); n != 0 {
			return n
		}
		return int(a - b)
	})
	var blocks []block
	for _, d := range order {
		regions, err := segment(ctx, words(groups[d], d), 0)
		if err != nil {
			return blocks, err
		}
		for _, region := range regions {
			if err := ctx.Err(); err != nil {
				return blocks, fmt.Errorf("lay out a page: %w", err)
			}
			for _, b := range blocksOf(linesOf(region)) {
				b.box = d.back(b.box)
				blocks = append(blocks, b)
			}
		}
	}
	return blocks, nil
}

// directionOf snaps to the axes, as scans are askew.
func directionOf(g glyph) direction {
	if g.dy == 0 && g.dx >= 0 {
		return 0
	}
	degrees := int(math.Round(math.Atan2(g.dy, g.dx) * 180 / math.Pi))
	const slack = 4
	if near := (degrees + 360 + 45) / 90 * 90; max(near-degrees-360, degrees+360-near) <= slack {
		return direction(near % 360)
	}
	return direction((degrees + 360) % 360)
}

func (d direction) turn(x, y float64) (float64, float64) {
	sin, cos := math.Sincos(float64(d) * math.Pi / 180)
	return x*cos + y*sin, y*cos - x*sin
}

// back turns a box to the page's own coordinates.
func (d direction) back(b documents.Box) documents.Box {
	if d == 0 {
		return b
	}
	x1, y1 := (-d).turn(b.Left, b.Top)
	x2, y2 := (-d).turn(b.Right, b.Bottom)
	return documents.Box{Left: min(x1, x2), Top: min(y1, y2), Right: max(x1, x2), Bottom: max(y1, y2)}
}

// words joins glyphs that follow each other without a gap.
func words(glyphs []glyph, d direction) []piece {
	w := wordMaker{seen: map[string][]piece{}}
	for _, g := range glyphs {
		x, y := d.turn(g.x, g.y)
		dx, _ := d.turn(g.dx, g.dy)
		if strings.TrimSpace(g.text) == "" {
			w.end()
			continue
		}
		w.add(piece{text: g.text, left: x, right: x + max(dx, 0), base: y, size: g.size, bold: g.bold})
	}
	w.end()
	return w.done
}

type wordMaker struct {
	text strings.Builder
	open piece
	done []piece
	seen map[string][]piece
}

func (w *wordMaker) add(p piece) {
	if w.text.Len() > 0 && !follows(w.open, p) {
		w.end()
	}
	if w.text.Len() == 0 {
		w.open = p
	}
	w.text.WriteString(p.text)
	w.open.right = max(w.open.right, p.right)
	w.open.size = max(w.open.size, p.size)
	w.open.bold = w.open.bold && p.bold
}

func follows(before, next piece) bool {
	em := max(before.size, next.size)
	gap := next.left - before.right
	return math.Abs(next.base-before.base) < 0.25*em && gap < spaceGap*em && gap > -0.4*em
}

// end puts the word among the others, unless it was there before: some programs print twice to make text bold.
func (w *wordMaker) end() {
	if w.text.Len() == 0 {
		return
	}
	w.open.text = composed(w.text.String())
	w.open.letters = strings.ContainsFunc(w.open.text, unicode.IsLetter)
	w.text.Reset()
	const compared = 16
	same := w.seen[w.open.text]
	for _, p := range same[max(0, len(same)-compared):] {
		if math.Abs(p.left-w.open.left) < 0.1*p.size && math.Abs(p.base-w.open.base) < 0.1*p.size {
			return
		}
	}
	w.seen[w.open.text] = append(same, w.open)
	w.done = append(w.done, w.open)
}

// composed puts accents and letters together, and takes ligatures apart.
func composed(text string) string {
	ascii := true
	for i := range len(text) {
		ascii = ascii && text[i] < 0x80
	}
	if ascii {
		return text
	}
	return norm.NFC.String(strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl").Replace(text))
}
