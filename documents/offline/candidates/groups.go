package candidates

import (
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// groupedHeaderRows is the number of rows of headers in a table with groups of columns.
const groupedHeaderRows = 2

// hasGroups reports whether a table begins with two rows of headers, of which the first has the titles of groups of
// columns: "2024" above "Plan" and "Actual". A title stands above the first column of its group; above the other columns
// of the group, the first row is empty.
func hasGroups(doc *index.Index, rows []documents.Block) bool {
	if len(rows) <= groupedHeaderRows || !doc.IsHeaderRow(&rows[0]) || !doc.IsHeaderRow(&rows[1]) {
		return false
	}
	// If the file does not mark both rows as headers, the row below must have a value in the column of a group.
	areMarked := isMarked(doc, &rows[0]) && isMarked(doc, &rows[1])
	titles := groupTitles(&rows[0], &rows[1])
	below := byColumn(&rows[groupedHeaderRows])
	for column, title := range titles {
		if title.Column != column && (areMarked || doc.HasValue(scan.CellSpan(below[column]))) {
			return true
		}
	}
	return false
}

// groupedHeaders returns the headers of a table with groups of columns. The terms of a header include those of its group.
func groupedHeaders(doc *index.Index, rows []documents.Block) map[int]Header {
	headers := map[int]Header{}
	for _, row := range rows[:groupedHeaderRows] {
		for _, cell := range row.Cells {
			if cell.Text != "" || headers[cell.Column].Text == "" {
				headers[cell.Column] = Header{Cell: cell, Terms: doc.TermsIn(scan.CellSpan(cell))}
			}
		}
	}
	for column, title := range groupTitles(&rows[0], &rows[1]) {
		h := headers[column]
		terms := doc.TermsIn(scan.CellSpan(title))
		headers[column] = Header{Cell: h.Cell, Terms: slices.Concat(terms, lexicon.Without(h.Terms, terms)), Title: title}
	}
	return headers
}

// groupTitles returns the title of the group of each column that has a header in the second row: the cell above the column, or
// above an earlier column of the group. A cell above a column without a header in the second row, such as the column of
// names, is not a title.
func groupTitles(titles, below *documents.Block) map[int]documents.Cell {
	headers, all := byColumn(below), map[int]documents.Cell{}
	var title documents.Cell
	next := 0
	for _, cell := range below.Cells {
		for ; next < len(titles.Cells) && titles.Cells[next].Column <= cell.Column; next++ {
			if titles.Cells[next].Text != "" {
				title = titles.Cells[next]
			}
		}
		if cell.Text != "" && title.Text != "" && headers[title.Column].Text != "" {
			all[cell.Column] = title
		}
	}
	return all
}

func byColumn(row *documents.Block) map[int]documents.Cell {
	cells := make(map[int]documents.Cell, len(row.Cells))
	for _, cell := range row.Cells {
		cells[cell.Column] = cell
	}
	return cells
}
