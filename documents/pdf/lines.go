package pdf

import (
	"math"
	"slices"
	"strings"

	"portside/documents"
)

// row is the words on one baseline, from left to right.
type row struct {
	pieces []piece
	base   float64
	size   float64
}

// rowsOf puts words on baselines, from top to bottom. A raised or lowered smaller word belongs to the line beside it.
func rowsOf(pieces []piece) []row {
	sorted := slices.Clone(pieces)
	slices.SortStableFunc(sorted, func(a, b piece) int { return compare(a.base, b.base) })
	var rows []row
	for _, p := range sorted {
		if n := len(rows) - 1; n >= 0 && rows[n].takes(p) {
			rows[n].add(p)
			continue
		}
		rows = append(rows, row{[]piece{p}, p.base, p.size})
	}
	rows = joinRaised(rows)
	for i := range rows {
		slices.SortStableFunc(rows[i].pieces, func(a, b piece) int { return compare(a.left, b.left) })
	}
	return rows
}

// joinRaised puts small words that stand a little above the end of a word, like exponents, on its baseline.
func joinRaised(rows []row) []row {
	joined := rows[:0:0]
	for i, r := range rows {
		raised := i+1 < len(rows) && r.size < 0.8*rows[i+1].size && rows[i+1].base-r.base <= 0.5*rows[i+1].size &&
			!slices.ContainsFunc(r.pieces, func(p piece) bool { return !rows[i+1].touches(p) })
		if raised {
			rows[i+1].pieces = append(rows[i+1].pieces, r.pieces...)
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (r *row) takes(p piece) bool {
	small, large := min(p.size, r.size), max(p.size, r.size)
	off := p.base - r.base
	if small >= 0.8*large {
		return off <= 0.35*small
	}
	return off <= 0.1*small || off <= min(0.5*large, 0.9*small) && r.touches(p)
}

// touches reports whether the word is close beside one of the last of the row.
func (r *row) touches(p piece) bool {
	const looked = 64
	for _, own := range r.pieces[max(0, len(r.pieces)-looked):] {
		em := min(p.size, own.size)
		after, before := p.left-own.right, own.left-p.right
		if after > -0.3*em && after < 0.5*em || before > -0.3*em && before < 0.5*em {
			return true
		}
	}
	return false
}

func (r *row) add(p piece) {
	if p.size > r.size {
		r.base, r.size = p.base, p.size
	}
	r.pieces = append(r.pieces, p)
}

// cell is a stretch of a line without wide gaps.
type cell struct {
	text string
	box  documents.Box
	bold bool
}

// line is a row whose words are joined to cells.
type line struct {
	cells []cell
	base  float64
	size  float64
}

func (l *line) box() documents.Box {
	b := l.cells[0].box
	for _, c := range l.cells[1:] {
		b = union(b, c.box)
	}
	return b
}

func union(a, b documents.Box) documents.Box {
	return documents.Box{Left: min(a.Left, b.Left), Top: min(a.Top, b.Top), Right: max(a.Right, b.Right), Bottom: max(a.Bottom, b.Bottom)}
}

// linesOf makes the lines of a region.
func linesOf(region []piece) []line {
	var lines []line
	for _, r := range rowsOf(region) {
		lines = append(lines, r.line(columnsAbove(lines, r)))
	}
	return joinRows(lines)
}

// columnsAbove are the cells right of the first one in the line above, if that is near.
func columnsAbove(lines []line, r row) []cell {
	const near = 2.5
	n := len(lines) - 1
	if n < 0 || r.base-lines[n].base > near*r.size || !few(lines[n]) {
		return nil
	}
	return lines[n].cells[1:]
}

// line joins words to cells. Wide gaps are between cells and, as columns may be narrow, gaps behind which a word stands right
// below where a cell above begins.
func (r *row) line(above []cell) line {
	l := line{base: r.base, size: r.size}
	justified := r.justified()
	var words strings.Builder
	for i, p := range r.pieces {
		var gap float64
		if i > 0 {
			gap = (p.left - rightmost(r.pieces[:i])) / max(p.size, 0.75*r.size)
		}
		switch {
		case i == 0 || !justified && (gap > cellGap || gap > alignedGap && p.below(above)):
			l.close(&words)
			l.cells = append(l.cells, cell{box: p.box(), bold: p.bold})
		case gap > spaceGap:
			words.WriteByte(' ')
		}
		words.WriteString(p.text)
		last := &l.cells[len(l.cells)-1]
		last.box, last.bold = union(last.box, p.box()), last.bold && p.bold
	}
	l.close(&words)
	return l
}

// below reports whether the word begins where a cell does.
func (p piece) below(cells []cell) bool {
	const slack = 0.06
	return slices.ContainsFunc(cells, func(c cell) bool { return math.Abs(c.box.Left-p.left) < slack*p.size })
}

// justified reports whether the words are evenly apart, as a text processor stretches a line.
func (r *row) justified() bool {
	narrow, wide, gaps := math.Inf(1), 0.0, 0
	for i := 1; i < len(r.pieces); i++ {
		gap := r.pieces[i].left - r.pieces[i-1].right
		if gap < spaceGap*r.size {
			continue // parts of a word
		}
		narrow, wide, gaps = min(narrow, gap), max(wide, gap), gaps+1
	}
	return gaps >= 2 && wide < 1.12*narrow && wide < 5*r.size
}

// rightmost looks a few words back only: what overlaps is rare and near.
func rightmost(pieces []piece) float64 {
	right := math.Inf(-1)
	for _, p := range pieces[max(0, len(pieces)-4):] {
		right = max(right, p.right)
	}
	return right
}

func (l *line) close(words *strings.Builder) {
	if n := len(l.cells); n > 0 {
		l.cells[n-1].text = words.String()
	}
	words.Reset()
}

// box is where the letters of a word reach, by the proportions of common fonts.
func (p piece) box() documents.Box {
	return documents.Box{Left: p.left, Top: p.base - 0.8*p.size, Right: p.right, Bottom: p.base + 0.2*p.size}
}

// joinRows puts lines side by side that are set half a line apart, as cells centred beside a cell of two lines are.
func joinRows(lines []line) []line {
	var joined []line
	last := 0.0
	for _, l := range lines {
		n := len(joined) - 1
		if n >= 0 && few(l) && few(joined[n]) && l.base-last < 0.85*min(l.size, joined[n].size) && beside(joined[n], l, last) {
			joined[n] = joined[n].merge(l)
		} else {
			joined = append(joined, l)
		}
		last = l.base
	}
	return joined
}

// few tells lines that may be compared cell by cell.
func few(l line) bool { return len(l.cells) <= maxColumns }

// beside reports whether no cell of next lies on one that reaches down to it.
func beside(above, next line, base float64) bool {
	for _, a := range above.cells {
		for _, c := range next.cells {
			if overlap(a.box, c.box) > 0 && a.box.Bottom > base {
				return false
			}
		}
	}
	return true
}

func overlap(a, b documents.Box) float64 { return min(a.Right, b.Right) - max(a.Left, b.Left) }

// merge adds the cells of a line below; those under a cell continue it.
func (l line) merge(below line) line {
	for _, c := range below.cells {
		at := slices.IndexFunc(l.cells, func(own cell) bool { return overlap(own.box, c.box) > 0 })
		if at < 0 {
			l.cells = append(l.cells, c)
			continue
		}
		l.cells[at].text = joinText(l.cells[at].text, c.text)
		l.cells[at].box = union(l.cells[at].box, c.box)
	}
	slices.SortStableFunc(l.cells, func(a, b cell) int { return compare(a.box.Left, b.box.Left) })
	return l
}
