package candidates

import (
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
)

// groupedHeaderRows is the number of rows of headers in a table with groups of columns.
const groupedHeaderRows = 2

// hasGroups reports whether a table begins with two rows of headers, of which the first has the titles of groups of
// columns: "2024" above "Plan" and "Actual". A title stands above the first column of its group; above the others, the
// first row is empty.
func hasGroups(doc *index.Index, rows []documents.Block) bool {
	if len(rows) <= groupedHeaderRows || !doc.IsHeaderRow(&rows[0]) || !doc.IsHeaderRow(&rows[1]) {
		return false
	}
	areMarked := isMarked(doc, &rows[0]) && isMarked(doc, &rows[1])
	return slices.ContainsFunc(rows[1].Cells, func(c documents.Cell) bool {
		return c.Text != "" && textAt(&rows[0], c.Column) == "" && groupTitle(&rows[0], &rows[1], c.Column).Text != "" &&
			(areMarked || isValue(doc, cellSpan(cellAt(&rows[groupedHeaderRows], c.Column))))
	})
}

// groupedHeaders returns the headers of a table with groups of columns. The terms of a header include those of its group.
func groupedHeaders(doc *index.Index, rows []documents.Block) map[int]Header {
	headers := map[int]Header{}
	for _, row := range rows[:groupedHeaderRows] {
		for _, cell := range row.Cells {
			if cell.Text != "" || headers[cell.Column].Text == "" {
				headers[cell.Column] = Header{Cell: cell, Terms: doc.TermsIn(cellSpan(cell))}
			}
		}
	}
	for _, cell := range rows[1].Cells {
		title := groupTitle(&rows[0], &rows[1], cell.Column)
		if cell.Text != "" && title.Text != "" {
			terms := doc.TermsIn(cellSpan(title))
			own := lexicon.Without(headers[cell.Column].Terms, terms)
			headers[cell.Column] = Header{Cell: cell, Terms: slices.Concat(terms, own), Title: title}
		}
	}
	return headers
}

// groupTitle returns the cell of the first row that stands above a column, or above an earlier column of its group. The
// title of a column without a cell in the second row, such as the column of names, is not that of a group.
func groupTitle(titles, below *documents.Block, column int) documents.Cell {
	var title documents.Cell
	for _, cell := range titles.Cells {
		if cell.Column <= column && cell.Text != "" {
			title = cell
		}
	}
	if textAt(below, title.Column) == "" {
		return documents.Cell{}
	}
	return title
}

func cellAt(row *documents.Block, column int) documents.Cell {
	i := slices.IndexFunc(row.Cells, func(c documents.Cell) bool { return c.Column == column })
	if i < 0 {
		return documents.Cell{}
	}
	return row.Cells[i]
}

func textAt(row *documents.Block, column int) string { return cellAt(row, column).Text }
