package index

import (
	"portside/documents"
	"portside/documents/offline/numbers"
	"portside/documents/offline/scan"
)

// IsHeaderRow reports whether a row of a table has only headers: two or more short texts without a date and without a
// number. Years are allowed, because many tables have a column for each year.
func (doc *Index) IsHeaderRow(row *documents.Block) bool {
	const maxBytes = 70
	filled := 0
	for _, cell := range row.Cells {
		at := scan.Between(cell.Start, cell.Start+len(cell.Text))
		if cell.Text == "" {
			continue
		}
		if filled++; at.Len() > maxBytes || !doc.isHeaderText(at) {
			return false
		}
	}
	return filled > 1
}

func (doc *Index) isHeaderText(s scan.Span) bool {
	for _, n := range doc.NumbersIn(s) {
		if !numbers.IsYear(n.At.In(doc.Text)) {
			return false
		}
	}
	return len(doc.MentionsIn(s)) > 0 && len(doc.DatesIn(s)) == 0
}
