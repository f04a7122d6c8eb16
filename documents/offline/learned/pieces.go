package learned

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/scan"
)

// piece is a run of words that stand close together on one line: a cell, a label, or a line of a paragraph.
type piece struct {
	at        scan.Span
	box       documents.Box
	page      int
	block     int // index of its block
	isHeading bool
	isCell    bool
	isPlaced  bool // its words have places
}

// Formats without places get boxes as if they were set in a fixed font, with a row or a line below the other.
const (
	lineHeight     = 12.0
	characterWidth = 6.0
	columnWidth    = 120.0
)

// maxPieces bounds the pieces of one document.
const maxPieces = 60_000

// findPieces returns the pieces of a document in reading order.
func findPieces(ix *index.Index) []piece {
	var all []piece
	top := 0.0
	for i := range ix.Blocks {
		if ix.Watch.Stopped() || len(all) > maxPieces {
			return all
		}
		b := &ix.Blocks[i]
		if len(b.Words) > 0 {
			all = append(all, placedPieces(ix, i)...)
			continue
		}
		own := unplacedPieces(ix, i, top)
		all = append(all, own...)
		top += lineHeight * float64(1+strings.Count(b.Text, "\n"))
	}
	return all
}

// placedPieces returns the pieces of a block whose words have places.
func placedPieces(ix *index.Index, block int) []piece {
	const maxGap, maxShift = 1.0, 0.5 // heights of a word
	b := &ix.Blocks[block]
	var all []piece
	var last documents.Box
	for _, w := range b.Words {
		if w.End() > len(ix.Text) {
			break
		}
		height := w.Box.Bottom - w.Box.Top
		n := len(all) - 1
		isNext := n >= 0 && math.Abs(w.Box.Bottom-last.Bottom) < maxShift*height && w.Box.Left-last.Right < maxGap*height &&
			w.Box.Left-last.Right > -height && !strings.ContainsAny(ix.Text[all[n].at.End:w.Start], "\t\n")
		if isNext {
			all[n].at.End = w.End()
			all[n].box = all[n].box.Union(w.Box)
		} else {
			all = append(all, piece{
				at: scan.Between(w.Start, w.End()), box: w.Box, page: b.Page, block: block,
				isHeading: b.Kind == documents.Heading, isCell: b.Kind == documents.Row, isPlaced: true,
			})
		}
		last = w.Box
	}
	return all
}

// unplacedPieces returns the cells or lines of a block without places.
func unplacedPieces(ix *index.Index, block int, top float64) []piece {
	b := &ix.Blocks[block]
	page := max(b.Page, 1)
	var all []piece
	add := func(at scan.Span, left, top float64) {
		if at = scan.TrimSpace(ix.Text, at); at.IsEmpty() {
			return
		}
		width := min(characterWidth*float64(at.Len()), columnWidth-1)
		all = append(all, piece{
			at: at, page: page, block: block, isHeading: b.Kind == documents.Heading, isCell: b.Kind == documents.Row,
			box: documents.Box{Left: left, Top: top, Right: left + width, Bottom: top + lineHeight - 2},
		})
	}
	if len(b.Cells) > 0 {
		for _, c := range b.Cells {
			add(scan.CellSpan(c), columnWidth*float64(c.Column), top)
		}
		return all
	}
	for i, line := range scan.LineSpans(b) {
		add(line, 0, top+lineHeight*float64(i))
	}
	return all
}

// layout finds the neighbors of pieces.
type layout struct {
	pieces []piece
	byTop  []int              // indexes of pieces, by page and top
	rank   []int              // place of each piece in byTop
	height float64            // median of the heights of the pieces, in points
	edges  map[int][2]float64 // left and right edge of the text of each page, in points
}

func newLayout(pieces []piece) *layout {
	l := &layout{pieces: pieces, byTop: make([]int, len(pieces)), rank: make([]int, len(pieces))}
	for i := range pieces {
		l.byTop[i] = i
	}
	slices.SortStableFunc(l.byTop, func(a, b int) int {
		return cmp.Or(cmp.Compare(pieces[a].page, pieces[b].page), cmp.Compare(pieces[a].box.Top, pieces[b].box.Top))
	})
	for place, i := range l.byTop {
		l.rank[i] = place
	}
	l.measure()
	return l
}

// measure sets the height of a line and the edges of the pages.
func (l *layout) measure() {
	l.height, l.edges = lineHeight, map[int][2]float64{}
	heights := make([]float64, 0, len(l.pieces))
	for i := range l.pieces {
		p := &l.pieces[i]
		heights = append(heights, p.box.Bottom-p.box.Top)
		edge, isKnown := l.edges[p.page]
		if !isKnown {
			edge = [2]float64{p.box.Left, p.box.Right}
		}
		l.edges[p.page] = [2]float64{math.Min(edge[0], p.box.Left), math.Max(edge[1], p.box.Right)}
	}
	if slices.Sort(heights); len(heights) > 0 && heights[len(heights)/2] > 0 {
		l.height = heights[len(heights)/2]
	}
}

// isCentered reports whether a piece has as much space to its left as to its right.
func (l *layout) isCentered(i int) bool {
	const tolerance, least = 0.08, 0.05 // shares of the width of the text
	p := &l.pieces[i]
	edge := l.edges[p.page]
	left, right, width := p.box.Left-edge[0], edge[1]-p.box.Right, edge[1]-edge[0]
	return left > least*width && math.Abs(left-right) < tolerance*width
}

// maxCompared bounds the neighbors that a piece is compared with, in each direction.
const maxCompared = 150

// left returns the pieces to the left on the same line, the nearest first.
func (l *layout) left(i int) []int {
	own := l.pieces[i]
	var found []int
	for place := max(0, l.rank[i]-maxCompared); place < min(len(l.byTop), l.rank[i]+maxCompared); place++ {
		j := l.byTop[place]
		p := &l.pieces[j]
		level := math.Min(own.box.Bottom, p.box.Bottom) - math.Max(own.box.Top, p.box.Top)
		if j != i && p.page == own.page && p.box.Right <= own.box.Left+2 &&
			2*level > min(own.box.Bottom-own.box.Top, p.box.Bottom-p.box.Top) {
			found = append(found, j)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(l.pieces[b].box.Right, l.pieces[a].box.Right) })
	return found
}

// above returns the pieces above that share a part of the width, the nearest first.
func (l *layout) above(i int) []int {
	const maxFound = 12
	own := l.pieces[i]
	var found []int
	for place := l.rank[i] - 1; place >= max(0, l.rank[i]-maxCompared) && len(found) < maxFound; place-- {
		p := &l.pieces[l.byTop[place]]
		if p.page != own.page {
			break
		}
		overlap := math.Min(own.box.Right, p.box.Right) - math.Max(own.box.Left, p.box.Left)
		if p.box.Bottom <= own.box.Top+3 && overlap > 0 {
			found = append(found, l.byTop[place])
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(l.pieces[b].box.Bottom, l.pieces[a].box.Bottom) })
	return found
}

// pieceAt returns the index of the piece that contains an offset, or -1. Pieces are in the order of the text within a
// block.
func (l *layout) pieceAt(at int) int {
	i := sort.Search(len(l.pieces), func(i int) bool { return l.pieces[i].at.End > at })
	if i < len(l.pieces) && l.pieces[i].at.Start <= at {
		return i
	}
	return -1
}
