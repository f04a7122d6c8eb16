package pdf

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents"
)

// tight is the most that lines of one cell are apart, in em.
const tight = 1.4

// maxColumns bounds what is compared cell by cell. What has more cells is no table for people.
const maxColumns = 256

// tableAt returns the lines of the table that begins at the line, continuations of cells joined, and how many lines it took.
// No lines: there is none.
func tableAt(lines []line) (rows []line, taken int) {
	for taken < len(lines) {
		l := lines[taken]
		switch {
		case continues(rows, lines[taken:]):
			rows[len(rows)-1] = rows[len(rows)-1].merge(l)
			rows[len(rows)-1].base = l.base
		case len(l.cells) >= 2 && sameTable(rows, l):
			rows = append(rows, clone(l))
		default:
			return rows, taken
		}
		taken++
	}
	return rows, taken
}

// sameTable reports whether a line goes on with the rows: not far below, or at least with as many cells.
func sameTable(rows []line, l line) bool {
	const far, farther = 2.5, 5
	n := len(rows) - 1
	if n < 0 {
		return true
	}
	pitch := l.base - rows[n].base
	apart := n > 0 && pitch > far*l.size && pitch > 2*(rows[n].base-rows[n-1].base) && len(l.cells) != len(rows[n].cells)
	return pitch < farther*l.size && !apart
}

func clone(l line) line {
	l.cells = slices.Clone(l.cells)
	return l
}

// continues reports whether the first of the lines goes on with cells of the row before: it is close, lacks cells, and lies
// under cells that are there.
func continues(rows, lines []line) bool {
	if len(rows) == 0 || !few(rows[len(rows)-1]) {
		return false
	}
	above, l := rows[len(rows)-1], lines[0]
	if l.base-above.base > tight*l.size || len(l.cells) >= len(above.cells) {
		return false
	}
	for _, c := range l.cells {
		under := 0
		for _, a := range above.cells {
			if overlap(a.box, c.box) > 0 {
				under++
			}
		}
		if under != 1 {
			return false
		}
	}
	first := overlap(above.cells[0].box, l.cells[0].box) > 0
	return !first || len(lines) > 1 && len(lines[1].cells) > 1 && lines[1].base-l.base > l.base-above.base
}

// rowBlocks makes the blocks of a table.
func rowBlocks(rows []line) []block {
	columns := columnsOf(rows)
	header := hasHeader(rows)
	var blocks []block
	for i, l := range rows {
		b := block{kind: documents.Row, em: l.size, box: l.box(), first: i == 0}
		last := -1
		for _, c := range l.cells {
			last = max(last+1, nearest(columns, c.box))
			b.cells = append(b.cells, documents.Cell{Text: c.text, Column: last, Header: header && i == 0})
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// columnsOf finds the columns by the row with the most cells, widened by cells that lie on one column only.
func columnsOf(rows []line) []documents.Box {
	fullest := slices.MaxFunc(rows, func(a, b line) int { return len(a.cells) - len(b.cells) })
	var columns []documents.Box
	for _, c := range fullest.cells[:min(len(fullest.cells), maxColumns)] {
		columns = append(columns, c.box)
	}
	for _, l := range rows {
		for _, c := range l.cells {
			columns = widen(columns, c.box)
		}
	}
	slices.SortFunc(columns, func(a, b documents.Box) int { return compare(a.Left, b.Left) })
	return columns
}

func widen(columns []documents.Box, box documents.Box) []documents.Box {
	at, hits := -1, 0
	for i, c := range columns {
		if overlap(c, box) > 0 {
			at, hits = i, hits+1
		}
	}
	switch {
	case hits == 0 && len(columns) < maxColumns:
		return append(columns, box)
	case hits == 1:
		columns[at] = union(columns[at], box)
	}
	return columns
}

func nearest(columns []documents.Box, box documents.Box) int {
	best := 0
	for i, c := range columns {
		if overlap(c, box) > overlap(columns[best], box) {
			best = i
		}
	}
	return best
}

// hasHeader tells a first row that names the columns: without numbers above rows with numbers, or bold above rows that are not.
func hasHeader(rows []line) bool {
	if len(rows) < 2 {
		return false
	}
	if allBold(rows[0]) && !allBold(rows[1]) {
		return true
	}
	return !anyDigits(rows[0]) && anyDigits(rows[1]) && len(rows[0].cells) >= len(rows[1].cells)
}

func allBold(l line) bool {
	return !slices.ContainsFunc(l.cells, func(c cell) bool { return !c.bold })
}

func anyDigits(l line) bool {
	return slices.ContainsFunc(l.cells, func(c cell) bool { return strings.ContainsFunc(c.text, unicode.IsDigit) })
}
