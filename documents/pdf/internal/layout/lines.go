package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/pdf/internal/geometry"
)

// Gaps between cells, in em. A narrower gap separates cells only if the next word is aligned with a
// cell above.
const (
	minCellGap        = 1.5
	minAlignedCellGap = 0.4
	minLineGap        = 0.6 // in front of a recognized line
)

// maxColumns bounds the lines that are compared cell by cell. A line with more cells is not in a table
// that people read.
const maxColumns = 256

// cell is a part of a line without wide gaps.
type cell struct {
	text   string
	box    documents.Box
	isBold bool
	words  []documents.Word // in the order of the text
}

// line is a row whose words are joined to cells.
type line struct {
	cells    []cell
	baseline float64
	size     float64
}

func (l *line) box() documents.Box {
	b := l.cells[0].box
	for _, c := range l.cells[1:] {
		b = b.Union(c.box)
	}
	return b
}

// isComparable reports whether the line is compared with others cell by cell.
func (l line) isComparable() bool { return len(l.cells) <= maxColumns }

// regionLines returns the lines of a region.
func regionLines(region []word) []line {
	var lines []line
	for _, r := range joinRows(region) {
		lines = append(lines, r.line(columnsAbove(lines, r)))
	}
	return joinSideBySide(lines)
}

// columnsAbove returns the cells of the line above a row, without the first one. It returns nil if that
// line is far away.
func columnsAbove(lines []line, r row) []cell {
	const maxDistance = 2.5 // em
	n := len(lines) - 1
	if n < 0 || r.baseline-lines[n].baseline > maxDistance*r.size || !lines[n].isComparable() {
		return nil
	}
	return lines[n].cells[1:]
}

// line joins the words of a row to cells. above has the cells of the line above.
func (r *row) line(above []cell) line {
	l := line{baseline: r.baseline, size: r.size}
	isJustified := r.isJustified()
	var pieces []piece // of the last cell
	for i, w := range r.words {
		var gap float64 // em
		if i > 0 {
			gap = (w.left - rightEdge(r.words[:i])) / max(w.size, 0.75*r.size)
		}
		isCellGap := gap > minCellGap || gap > minAlignedCellGap && w.isAlignedWith(above)
		isNewLine := w.startsLine && gap > minLineGap
		if i > 0 && (isNewLine || !isJustified && isCellGap) {
			l.cells = append(l.cells, newCell(pieces))
			pieces = pieces[:0]
		}
		pieces = append(pieces, piece{w, len(pieces) > 0 && gap > minSpace})
	}
	l.cells = append(l.cells, newCell(pieces))
	return l
}

// newCell joins words to a cell.
func newCell(pieces []piece) cell {
	reverseOpposite(pieces)
	c := cell{isBold: true, words: make([]documents.Word, len(pieces))}
	var text strings.Builder
	for i, p := range pieces {
		if p.isSpaced {
			text.WriteByte(' ')
		}
		text.WriteString(p.text)
		c.box, c.isBold = c.box.Union(p.box()), c.isBold && p.isBold
		c.words[i] = documents.Word{Text: p.text, Box: p.box(), Doubt: p.doubt}
	}
	c.text = text.String()
	return c
}

// isAlignedWith reports whether the word begins where one of the cells begins.
func (w word) isAlignedWith(cells []cell) bool {
	const slack = 0.06 // em
	return slices.ContainsFunc(cells, func(c cell) bool { return math.Abs(c.box.Left-w.left) < slack*w.size })
}

// rightEdge returns the right edge of a row. It compares a few words only, because overlaps are rare
// and close.
func rightEdge(words []word) float64 {
	const maxCompared = 4
	right := math.Inf(-1)
	for _, w := range words[max(0, len(words)-maxCompared):] {
		right = max(right, w.right)
	}
	return right
}

// joinSideBySide joins lines that are half a line apart and do not overlap: a cell of one line is often
// centered beside a cell of two lines.
func joinSideBySide(lines []line) []line {
	var joined []line
	for i, l := range lines {
		n := len(joined) - 1
		if n >= 0 && l.isComparable() && joined[n].isComparable() && isHalfLine(l.baseline-lines[i-1].baseline, l, joined[n]) &&
			isBeside(joined[n], l, lines[i-1].baseline) && !startsRow(joined[n], lines[i:]) {
			joined[n] = joined[n].merge(l)
		} else {
			joined = append(joined, l)
		}
	}
	return joined
}

// isHalfLine reports whether a distance is shorter than that between two lines of a text.
func isHalfLine(distance float64, a, b line) bool {
	const maxDistance = 0.85 // em
	return distance < maxDistance*min(a.size, b.size)
}

// startsRow reports whether the first line, or the one half a line below it, has a number below a number of the row
// above.
func startsRow(above line, lines []line) bool {
	return above.isAboveNumbers(lines[0]) || len(lines) > 1 && lines[1].isComparable() &&
		isHalfLine(lines[1].baseline-lines[0].baseline, lines[0], lines[1]) && above.isAboveNumbers(lines[1])
}

// isAboveNumbers reports whether a number of the next line is below a number of this one. Text may continue in the line
// below, a number does not, so the next line belongs to another row.
func (l line) isAboveNumbers(next line) bool {
	return slices.ContainsFunc(next.cells, func(c cell) bool {
		return isNumber(c.text) && slices.ContainsFunc(l.cells, func(own cell) bool {
			return geometry.OverlapX(own.box, c.box) > 0 && isNumber(own.text)
		})
	})
}

// isNumber reports whether a text is an amount, a quantity, a date, or a sign in place of one. It may have a currency. A
// text that ends with a small letter or a mark, such as "1 to", continues in the line below.
func isNumber(text string) bool {
	const maxLetters = 3
	letters, digits := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	return (digits > 0 || letters == 0) && letters <= maxLetters && !unicode.IsLower(last) && !strings.ContainsRune("-/,:(", last)
}

// isBeside reports whether no cell of next is below a cell that reaches down to the baseline.
func isBeside(above, next line, baseline float64) bool {
	for _, a := range above.cells {
		for _, c := range next.cells {
			if geometry.OverlapX(a.box, c.box) > 0 && a.box.Bottom > baseline {
				return false
			}
		}
	}
	return true
}

// merge adds the cells of a line below. A cell that is below another one continues its text.
func (l line) merge(below line) line {
	for _, c := range below.cells {
		i := slices.IndexFunc(l.cells, func(own cell) bool { return geometry.OverlapX(own.box, c.box) > 0 })
		if i < 0 {
			l.cells = append(l.cells, c)
			continue
		}
		l.cells[i].text = joinText(l.cells[i].text, c.text)
		l.cells[i].box = l.cells[i].box.Union(c.box)
		l.cells[i].words = slices.Concat(l.cells[i].words, c.words)
	}
	slices.SortStableFunc(l.cells, func(a, b cell) int { return cmp.Compare(a.box.Left, b.box.Left) })
	return l
}
