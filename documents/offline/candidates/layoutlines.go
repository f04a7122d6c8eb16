package candidates

import (
	"cmp"
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/scan"
)

// piece is a run of words on one line without a wide gap between them.
type piece struct {
	words []documents.Word
	at    scan.Span
	box   documents.Box
}

// pieceOf returns the piece of consecutive words.
func pieceOf(words []documents.Word) piece {
	p := piece{words: words, at: scan.Between(words[0].Start, words[len(words)-1].End())}
	for _, w := range words {
		p.box = p.box.Union(w.Box)
	}
	return p
}

// layoutLine is a line of a page, with its pieces from left to right.
type layoutLine struct {
	pieces []piece
	box    documents.Box
}

func (l layoutLine) height() float64 { return l.box.Bottom - l.box.Top }

// layoutLines returns the lines of a page from top to bottom. A line crosses the whole page, so it can have pieces of
// several blocks.
func layoutLines(doc *index.Index, blocks []documents.Block) []layoutLine {
	var pieces []piece
	for i := range blocks {
		if doc.Watch.Stopped() {
			return nil
		}
		pieces = append(pieces, piecesOf(&blocks[i])...)
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.box.Top+a.box.Bottom, b.box.Top+b.box.Bottom) })
	var lines []layoutLine
	for _, p := range pieces {
		last := len(lines) - 1
		if last < 0 || !isLevel(lines[last].box, p.box) {
			lines = append(lines, layoutLine{})
			last++
		}
		lines[last].pieces = append(lines[last].pieces, p)
		lines[last].box = lines[last].box.Union(p.box)
	}
	for _, l := range lines {
		slices.SortStableFunc(l.pieces, func(a, b piece) int { return cmp.Compare(a.box.Left, b.box.Left) })
	}
	return lines
}

// isLevel reports whether two boxes are on the same line: they overlap vertically by more than half the height of the
// smaller box.
func isLevel(a, b documents.Box) bool {
	return min(a.Bottom, b.Bottom)-max(a.Top, b.Top) > min(a.Bottom-a.Top, b.Bottom-b.Top)/2
}

// piecesOf divides the words of a block into pieces: at the ends of cells and lines, and at gaps wider than a space.
func piecesOf(b *documents.Block) (pieces []piece) {
	const wideGap = 0.75 // heights of a line
	from, cell := 0, 0
	for to := 1; to <= len(b.Words); to++ {
		endsCell := false
		for cell < len(b.Cells) && to < len(b.Words) && b.Words[to].Start >= b.Cells[cell].Start+len(b.Cells[cell].Text) {
			cell++
			endsCell = true
		}
		if to < len(b.Words) && !endsCell {
			last, next := b.Words[to-1].Box, b.Words[to].Box
			if isLevel(last, next) && next.Left-last.Right < wideGap*(last.Bottom-last.Top) {
				continue
			}
		}
		pieces = append(pieces, pieceOf(b.Words[from:to]))
		from = to
	}
	return pieces
}
