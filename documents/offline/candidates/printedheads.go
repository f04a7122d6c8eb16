package candidates

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/offline/index"
)

// printedHead is a head with its place.
type printedHead struct {
	words       []documents.Word
	left, right float64
}

// text returns the lines of a head, without a hyphen between parts of a word.
func (h printedHead) text() (text string) {
	for i, w := range h.words {
		first, _ := utf8.DecodeRuneInString(w.Text)
		switch {
		case i == 0:
		case strings.HasSuffix(text, "-") && unicode.IsLower(first) && !isLevel(h.words[i-1].Box, w.Box):
			text = strings.TrimSuffix(text, "-")
		default:
			text += " "
		}
		text += w.Text
	}
	return text
}

// headsIn returns the heads of a table, if they begin on line i, and the number of their last line. They are words without values on
// several lines, of which one has at least three pieces, over a line with values.
func headsIn(doc *index.Index, lines []printedLine, i int) (heads []printedHead, last int) {
	const minHeads, maxHeads, maxLines = 3, 100, 5
	last = i
	for last+1 < len(lines) && last+1 < i+maxLines && mayBeHeads(doc, lines[last+1]) && isClose(lines[last], lines[last+1]) {
		last++
	}
	if !mayBeHeads(doc, lines[i]) || last+1 >= len(lines) || !hasValues(doc, lines[last+1:min(len(lines), last+4)]) {
		return nil, 0
	}
	band := lines[i : last+1]
	base := slices.MaxFunc(band, func(a, b printedLine) int { return len(a.pieces) - len(b.pieces) })
	known := 0
	for _, p := range base.pieces {
		if isHead(doc, p.at) {
			known++
		}
	}
	if len(base.pieces) < minHeads || len(base.pieces) > maxHeads || 2*known < len(base.pieces) {
		return nil, 0
	}
	return stackHeads(band, base), last
}

// mayBeHeads reports whether a line has only short texts without values.
func mayBeHeads(doc *index.Index, line printedLine) bool {
	return !slices.ContainsFunc(line.pieces, func(p piece) bool { return p.at.Len() > maxLabelBytes || isValue(doc, p.at) })
}

// isClose reports whether two lines may belong to one row of heads.
func isClose(above, below printedLine) bool {
	return below.box.Top-above.box.Bottom < min(above.height(), below.height())
}

// hasValues reports whether one of the lines has two values.
func hasValues(doc *index.Index, lines []printedLine) bool {
	return slices.ContainsFunc(lines, func(line printedLine) bool {
		values := 0
		for _, p := range line.pieces {
			if isValue(doc, p.at) {
				values++
			}
		}
		return values > 1
	})
}

// stackHeads joins the pieces of a band that stand one below the other. A piece over several heads of the base line belongs to none of
// them.
func stackHeads(band []printedLine, base printedLine) []printedHead {
	heads := make([]printedHead, 0, len(base.pieces))
	for _, p := range base.pieces {
		heads = append(heads, printedHead{left: p.box.Left, right: p.box.Right})
	}
	for _, line := range band {
		for _, p := range line.pieces {
			under := 0
			for _, b := range base.pieces {
				if overlap(p.box, b.box.Left, b.box.Right) > 0 {
					under++
				}
			}
			if under > 1 {
				continue
			}
			i := slices.IndexFunc(heads, func(h printedHead) bool { return overlap(p.box, h.left, h.right) > 0 })
			if i < 0 {
				heads = append(heads, printedHead{left: p.box.Left, right: p.box.Right})
				i = len(heads) - 1
			}
			h := &heads[i]
			h.words = append(h.words, p.words...)
			h.left, h.right = min(h.left, p.box.Left), max(h.right, p.box.Right)
		}
	}
	slices.SortStableFunc(heads, func(a, b printedHead) int { return cmp.Compare(a.left, b.left) })
	return heads
}

// overlap returns the width that a box has in common with a column; negative if they are apart.
func overlap(box documents.Box, left, right float64) float64 {
	return min(box.Right, right) - max(box.Left, left)
}

// dividedHeads divides heads that stand as close together as the words of one. A row below shows it: it has several pieces below the head.
func dividedHeads(doc *index.Index, heads []printedHead, below []printedLine) (divided []printedHead) {
	const maxLines = 4
	g := newPrintedGrid(doc, heads)
	var row printedLine
	for _, line := range below[:min(len(below), maxLines)] {
		if len(line.pieces) > len(row.pieces) && hasValues(doc, []printedLine{line}) {
			row = line
		}
	}
	ends := make([][]float64, len(heads)) // of the parts of each head, except the last one
	last := make([]*piece, len(heads))
	for n := range row.pieces {
		p := &row.pieces[n]
		i := g.columnOf(p.box)
		if i < 0 {
			continue
		}
		if last[i] != nil {
			ends[i] = append(ends[i], (last[i].box.Right+p.box.Left)/2)
		}
		last[i] = p
	}
	for i, h := range heads {
		divided = append(divided, h.divide(ends[i])...)
	}
	return divided
}

// divide divides a head at places between its words. It returns the whole head if a part would have no words.
func (h printedHead) divide(ends []float64) []printedHead {
	parts := make([]printedHead, len(ends)+1)
	for _, w := range h.words {
		center := (w.Box.Left + w.Box.Right) / 2
		i, _ := slices.BinarySearch(ends, center)
		part := &parts[i]
		if part.words == nil {
			part.left, part.right = w.Box.Left, w.Box.Right
		}
		part.words = append(part.words, w)
		part.left, part.right = min(part.left, w.Box.Left), max(part.right, w.Box.Right)
	}
	if slices.ContainsFunc(parts, func(p printedHead) bool { return p.words == nil }) {
		return []printedHead{h}
	}
	return parts
}
