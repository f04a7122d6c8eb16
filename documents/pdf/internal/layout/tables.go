package layout

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"portside/documents"
	"portside/documents/lazyregexp"
	"portside/documents/pdf/internal/geometry"
)

// leadingTable returns the rows of the table at the beginning of lines, and the number of lines that it
// takes. Lines that continue the cells of a row are merged into it. Without a table it takes no lines.
func leadingTable(lines []line) (rows []line, taken int) {
	for taken < len(lines) {
		l := lines[taken]
		switch {
		case continuesRow(rows, lines[taken:]):
			rows[len(rows)-1] = rows[len(rows)-1].merge(l)
			rows[len(rows)-1].baseline = l.baseline
		case len(l.cells) >= 2 && continuesTable(rows, l):
			l.cells = slices.Clone(l.cells) // merge changes them
			rows = append(rows, l)
		default:
			return rows, taken
		}
		taken++
	}
	return rows, taken
}

// continuesTable reports whether a line is the next row of a table: it is not far below, or at a medium
// distance and with as many cells.
func continuesTable(rows []line, l line) bool {
	const mediumDistance, farDistance = 2.5, 5 // em
	n := len(rows) - 1
	if n < 0 {
		return true
	}
	distance := l.baseline - rows[n].baseline
	isApart := n > 0 && distance > mediumDistance*l.size &&
		distance > 2*(rows[n].baseline-rows[n-1].baseline) && len(l.cells) != len(rows[n].cells)
	return distance < farDistance*l.size && !isApart
}

// decimal matches a number with decimals at the end of a text, with or without a currency.
var decimal = lazyregexp.New(`[0-9][.,][0-9]{1,3}[^0-9]*$`)

// continuesRow reports whether the first of the lines continues cells of the last row: it is close, has
// fewer cells, each of them is below one cell of the row, and no number is below a number.
func continuesRow(rows, lines []line) bool {
	const maxDistance = 1.4 // em
	if len(rows) == 0 || !rows[len(rows)-1].isComparable() {
		return false
	}
	above, l := rows[len(rows)-1], lines[0]
	if l.baseline-above.baseline > maxDistance*l.size || len(l.cells) >= len(above.cells) {
		return false
	}
	// A number alone may be the rest of a code.
	if (len(l.cells) > 1 || decimal().MatchString(l.cells[0].text)) && above.isAboveNumbers(l) {
		return false
	}
	for _, c := range l.cells {
		if countOverlaps(above.cells, c) != 1 {
			return false
		}
	}
	// A line below the first cell may also be the first line of the next row.
	isBelowFirst := geometry.OverlapX(above.cells[0].box, l.cells[0].box) > 0
	isNearerToRow := len(lines) > 1 && len(lines[1].cells) > 1 &&
		lines[1].baseline-l.baseline > l.baseline-above.baseline
	return !isBelowFirst || isNearerToRow
}

func countOverlaps(cells []cell, c cell) int {
	n := 0
	for _, other := range cells {
		if geometry.OverlapX(other.box, c.box) > 0 {
			n++
		}
	}
	return n
}

// rowBlocks returns the blocks of a table.
func rowBlocks(rows []line) []Block {
	columns := columnsOf(rows)
	isHeader := hasHeader(rows)
	var blocks []Block
	for i, l := range rows {
		b := Block{kind: documents.Row, size: l.size, box: l.box(), isFirstRow: i == 0}
		column := -1
		for _, c := range l.cells {
			column = max(column+1, nearestColumn(columns, c.box))
			b.cells = append(b.cells, documents.Cell{Text: c.text, Column: column, Header: isHeader && i == 0})
			b.words = append(b.words, c.words...)
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// columnsOf returns the columns of a table: the cells of the row with the most cells, extended by cells
// that overlap one column only.
func columnsOf(rows []line) []documents.Box {
	fullest := slices.MaxFunc(rows, func(a, b line) int { return len(a.cells) - len(b.cells) })
	var columns []documents.Box
	for _, c := range fullest.cells[:min(len(fullest.cells), maxColumns)] {
		columns = append(columns, c.box)
	}
	for _, l := range rows {
		for _, c := range l.cells {
			columns = extendColumns(columns, c.box)
		}
	}
	slices.SortFunc(columns, func(a, b documents.Box) int { return cmp.Compare(a.Left, b.Left) })
	return columns
}

// extendColumns extends the only column that a cell overlaps, or adds a column if the cell overlaps none.
func extendColumns(columns []documents.Box, box documents.Box) []documents.Box {
	last, overlaps := -1, 0
	for i, c := range columns {
		if geometry.OverlapX(c, box) > 0 {
			last, overlaps = i, overlaps+1
		}
	}
	switch {
	case overlaps == 0 && len(columns) < maxColumns:
		return append(columns, box)
	case overlaps == 1:
		columns[last] = columns[last].Union(box)
	}
	return columns
}

func nearestColumn(columns []documents.Box, box documents.Box) int {
	nearest := 0
	for i, c := range columns {
		if geometry.OverlapX(c, box) > geometry.OverlapX(columns[nearest], box) {
			nearest = i
		}
	}
	return nearest
}

// hasHeader reports whether the first row names the columns: it is bold and the second row is not, or it
// has no digits and the second row has.
func hasHeader(rows []line) bool {
	if len(rows) < 2 {
		return false
	}
	if rows[0].isBold() && !rows[1].isBold() {
		return true
	}
	return !rows[0].hasDigits() && rows[1].hasDigits() && len(rows[0].cells) >= len(rows[1].cells)
}

func (l line) isBold() bool {
	return !slices.ContainsFunc(l.cells, func(c cell) bool { return !c.isBold })
}

func (l line) hasDigits() bool {
	return slices.ContainsFunc(l.cells, func(c cell) bool { return strings.ContainsFunc(c.text, unicode.IsDigit) })
}
