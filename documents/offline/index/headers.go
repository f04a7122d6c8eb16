package index

import (
	"portside/documents"
	"portside/documents/offline/numbers"
	"portside/documents/offline/scan"
)

// IsHeaderRow reports whether a row of a table has only headers: two or more short texts without a date and without a
// number. Years are allowed, because many tables have a column for each year.
func (ix *Index) IsHeaderRow(row *documents.Block) bool {
	const maxBytes = 70
	filled := 0
	for _, cell := range row.Cells {
		at := scan.CellSpan(cell)
		if cell.Text == "" {
			continue
		}
		if filled++; at.Len() > maxBytes || !ix.isHeaderText(at) {
			return false
		}
	}
	return filled > 1
}

func (ix *Index) isHeaderText(s scan.Span) bool {
	for _, n := range ix.NumbersIn(s) {
		if !numbers.IsYear(n.At.In(ix.Text)) {
			return false
		}
	}
	return len(ix.MentionsIn(s)) > 0 && len(ix.DatesIn(s)) == 0
}
