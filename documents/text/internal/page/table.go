package page

import "portside/documents"

// MaxColumns bounds the columns of a table.
const MaxColumns = 16_384

// Table numbers the rows of a table. A header in the middle, which repeats the first one or names other columns, begins
// a new table, because it names the cells below it.
type Table struct {
	number int
	head   []documents.Cell
	body   bool // a row of values has followed the header
}

// Next returns the row with the number of its table. A row that repeats the header exactly is a header too.
func (r *Table) Next(into *documents.Builder, cells []documents.Cell) documents.Block {
	if r.body && len(r.head) > 1 && sameTexts(cells, r.head) {
		for i := range cells {
			cells[i].Header = true
		}
	}
	header := areHeaders(cells)
	if r.number == 0 || header && r.body {
		r.number, r.body = into.NextTable(), false
	}
	if header {
		r.head = cells
	}
	r.body = r.body || !header
	return documents.Block{Kind: documents.Row, Cells: cells, Table: r.number}
}

// areHeaders reports whether all cells are headers. A single one is the title of a part or of a row.
func areHeaders(cells []documents.Cell) bool {
	for i := range cells {
		if !cells[i].Header {
			return false
		}
	}
	return len(cells) > 1
}

func sameTexts(cells, others []documents.Cell) bool {
	if len(cells) != len(others) {
		return false
	}
	for i := range cells {
		if cells[i].Text != others[i].Text && documents.Clean(cells[i].Text) != others[i].Text {
			return false
		}
	}
	return true
}
