// Package layout turns the glyphs of a page into blocks of text in reading order.
//
// A PDF says where glyphs are, and not in which order people read them. Glyphs become words, and words
// become rows on a common baseline. A page is cut into columns before its lines are put in order,
// because sorting lines by height alone would mix the columns. Then rows of cells become tables, and
// lines become headings, list items and paragraphs.
//
// Coordinates are points in the frame of the page, with y pointing down. Lengths that depend on the size of
// the text are in em, the size of the font.
package layout

import (
	"context"
	"fmt"
	"math"
	"slices"

	"portside/documents"
	"portside/documents/pdf/internal/content"
	"portside/documents/pdf/internal/geometry"
)

// Block is a block of a page. Its kind is final once an [Outline] of the whole document is known,
// because headings are larger than most of the text.
type Block struct {
	kind       documents.BlockKind
	text       string
	cells      []documents.Cell
	words      []documents.Word // in the order of the text
	box        documents.Box
	size       float64 // of the font, in points
	isBold     bool
	lines      int
	isFirstRow bool // the block is the first row of a table
}

// TextBytes returns the length of the block's text, cells included.
func (b *Block) TextBytes() int {
	n := len(b.text)
	for _, c := range b.cells {
		n += len(c.Text) + 1
	}
	return n
}

// Parts returns the number that the block adds to documents.Limits.Blocks.
func (b *Block) Parts() int { return 1 + len(b.cells) }

// Blocks returns the blocks of a page. The direction with the most glyphs comes first. If the context
// ends, it returns the blocks so far and the error of the context.
func Blocks(ctx context.Context, glyphs []content.Glyph) ([]Block, error) {
	groups := map[direction][]content.Glyph{}
	for _, g := range glyphs {
		d := directionOf(g)
		groups[d] = append(groups[d], g)
	}
	var blocks []Block
	for _, d := range byFrequency(groups) {
		words := joinWords(groups[d], d)
		frame := newReadingFrame(words)
		frame.enter(words)
		regions, err := segment(ctx, words, 0)
		if err != nil {
			return blocks, err
		}
		for _, region := range regions {
			if err := ctx.Err(); err != nil {
				return blocks, fmt.Errorf("lay out a page: %w", err)
			}
			for _, b := range regionBlocks(regionLines(region)) {
				b.box = d.restore(frame.leave(b.box))
				for i := range b.words {
					b.words[i].Box = d.restore(frame.leave(b.words[i].Box))
				}
				blocks = append(blocks, b)
			}
		}
	}
	return blocks, nil
}

// byFrequency returns the directions, the most frequent first.
func byFrequency(groups map[direction][]content.Glyph) []direction {
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
	return order
}

// direction is the direction of text, clockwise in degrees from the x axis.
type direction int

// directionOf returns the direction of a glyph. Directions near an axis count as that axis, because
// scanned pages are skewed.
func directionOf(g content.Glyph) direction {
	const maxSkew = 4 // degrees
	if g.DY == 0 && g.DX >= 0 {
		return 0
	}
	degrees := int(math.Round(math.Atan2(g.DY, g.DX) * 180 / math.Pi))
	nearestAxis := (degrees + 360 + 45) / 90 * 90
	if max(nearestAxis-degrees-360, degrees+360-nearestAxis) <= maxSkew {
		return direction(nearestAxis % 360)
	}
	return direction((degrees + 360) % 360)
}

// rotate rotates a point so that text of this direction is horizontal.
func (d direction) rotate(x, y float64) (float64, float64) {
	sin, cos := math.Sincos(float64(d) * math.Pi / 180)
	return x*cos + y*sin, y*cos - x*sin
}

// restore rotates a box back to the coordinates of the page.
func (d direction) restore(b documents.Box) documents.Box {
	if d == 0 {
		return b
	}
	x1, y1 := (-d).rotate(b.Left, b.Top)
	x2, y2 := (-d).rotate(b.Right, b.Bottom)
	return geometry.BoxOf(x1, y1, x2, y2)
}
