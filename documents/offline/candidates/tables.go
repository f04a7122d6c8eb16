package candidates

import (
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// table adds the pairs of a run of rows. One table on a page is often several things: a form, the
// items with headers, the totals. So each run of rows below a row of headers counts as a separate
// table.
func (c *pairCollector) table(rows []documents.Block) {
	for len(rows) > 0 && !c.doc.Watch.Stopped() {
		end := partEnd(c.doc, rows)
		c.part(rows[:end])
		rows = rows[end:]
	}
}

// partEnd returns the number of rows before the next row of headers.
func partEnd(doc *index.Index, rows []documents.Block) int {
	end := 1
	if hasGroups(doc, rows) {
		end = groupedHeaderRows
	}
	for end < len(rows) && !beginsTable(doc, rows, end) {
		end++
	}
	return end
}

// beginsTable reports whether a table begins at row i: with two rows of headers, or with one row of headers above values. In
// a table with marked headers, a row that is not marked begins no table.
func beginsTable(doc *index.Index, rows []documents.Block, i int) bool {
	const minCells = 3
	if hasGroups(doc, rows[i:]) {
		return true
	}
	if i+1 >= len(rows) || len(rows[i].Cells) < minCells || len(rows[i+1].Cells) < 2 ||
		isMarked(doc, &rows[0]) && !isMarked(doc, &rows[i]) {
		return false
	}
	for _, cell := range rows[i].Cells {
		at := scan.CellSpan(cell)
		if cell.Text != "" && (!isHeader(doc, at) || len(doc.NumbersIn(at)) > 0) {
			return false
		}
	}
	return slices.ContainsFunc(rows[i+1].Cells, func(cell documents.Cell) bool { return doc.HasValue(scan.CellSpan(cell)) })
}

// isMarked reports whether the file says that a row is one of headers. A CSV file cannot say so: its first row is a guess.
func isMarked(doc *index.Index, row *documents.Block) bool {
	return doc.Source.Format != documents.CSV && len(row.Cells) > 0 &&
		!slices.ContainsFunc(row.Cells, func(c documents.Cell) bool { return !c.Header })
}

// part adds the pairs of columns with their headers, of rows with their first cells, and of totals.
func (c *pairCollector) part(rows []documents.Block) {
	c.narrow.below(c, &rows[0])
	c.narrow.headers(c, &rows[0])
	headers, count := columnHeaders(c.doc, rows)
	body := rows[count:]
	for i := range body {
		if c.doc.Watch.Stopped() {
			return
		}
		row := &body[i]
		if headers == nil || len(row.Cells) <= 2 || isRowOfPairs(c.doc, row) {
			c.cells(row, CellWeight)
			c.totalRow(row)
		} else {
			for _, cell := range row.Cells {
				c.lines(scan.CellSpan(cell))
			}
			c.totalRow(row)
		}
		if headers != nil && !isRowOfPairs(c.doc, row) {
			c.columns(row, headers, len(body) == 1)
		}
		c.narrow.headers(c, row)
		if len(row.Cells) < c.narrow.columns || headers == nil {
			c.narrow.values(c, scan.Between(row.Start, row.End()))
		}
	}
}

// isRowOfPairs reports whether a row is label, value, label, value.
func isRowOfPairs(doc *index.Index, row *documents.Block) bool {
	filled := filledCells(row)
	const minCells = 4
	if len(filled) < minCells || len(filled)%2 != 0 {
		return false
	}
	for i, cell := range filled {
		label := isLabel(doc, scan.CellSpan(cell)) && doc.IsOnlyTerms(scan.CellSpan(cell))
		if label != (i%2 == 0) {
			return false
		}
	}
	return true
}

// columnHeaders returns the headers by column number, and the number of their rows. It returns nil and 0 if the first row is
// not one of headers.
func columnHeaders(doc *index.Index, rows []documents.Block) (headers map[int]Header, count int) {
	if hasGroups(doc, rows) {
		return groupedHeaders(doc, rows), groupedHeaderRows
	}
	if len(rows) < 2 || isForm(doc, rows) {
		return nil, 0
	}
	first := rows[0].Cells
	marked, plain := 0, 0
	for _, cell := range first {
		if cell.Header {
			marked++
		}
		if cell.Text == "" || isHeader(doc, scan.CellSpan(cell)) {
			plain++
		}
	}
	areShort := plain == len(first)
	hasHeaders := marked == len(first) || areShort && (len(first) > 2 || hasNumbersBelow(doc, rows))
	if !hasHeaders || len(first) < 2 {
		return nil, 0
	}
	headers = make(map[int]Header, len(first))
	for _, cell := range first {
		headers[cell.Column] = Header{Cell: cell, Terms: doc.TermsIn(scan.CellSpan(cell))}
	}
	return headers, 1
}

// isForm reports a table of labels with values beside them, even if the file marks its first row as
// headers.
func isForm(doc *index.Index, rows []documents.Block) bool {
	values, words := 0, 0
	if len(rows[0].Cells) == 2 && strings.ContainsAny(rows[0].Cells[1].Text, "0123456789") {
		return true
	}
	for _, row := range rows {
		if len(row.Cells) != 2 || !isLabel(doc, scan.CellSpan(row.Cells[0])) {
			return false
		}
		if doc.HasValue(scan.CellSpan(row.Cells[1])) {
			values++
		} else {
			words++
		}
	}
	return words > 0 && (values == 0 || words > 1 || !doc.IsOnlyTerms(scan.CellSpan(rows[0].Cells[1]))) &&
		!hasNumbersBelow(doc, rows)
}

// hasNumbersBelow reports whether there are two or more rows below the first, all with a number in the second column.
func hasNumbersBelow(doc *index.Index, rows []documents.Block) bool {
	for _, row := range rows[1:] {
		if len(row.Cells) < 2 || len(doc.NumbersIn(scan.CellSpan(row.Cells[1]))) == 0 {
			return false
		}
	}
	return len(rows) > 2
}

// sums are the terms with which the row of a sum, or of one of its parts, begins.
var sums = []string{"TOTAL", "SUBTOTAL", "GRAND", "NET", "GROSS", "TAX", "PAY", "DISCOUNT", "SHIPPING", "DEPOSIT"}

// totalRow pairs the label of a total with the last cell of its row.
func (c *pairCollector) totalRow(row *documents.Block) {
	filled := filledCells(row)
	if len(filled) < 2 || isRowOfPairs(c.doc, row) {
		return
	}
	label, last := scan.CellSpan(filled[0]), scan.CellSpan(filled[len(filled)-1])
	terms := c.doc.TermsIn(label)
	if lexicon.Overlap(sums, terms) && len(c.doc.NumbersIn(last)) > 0 {
		weight := totalRowWeight
		if len(filled) > 2 && len(c.doc.NumbersIn(scan.CellSpan(filled[1]))) > 0 {
			weight = ambiguousTotalWeight
		}
		c.add(label, last, weight)
	}
}

// columns pairs each cell with the header of its column and the name of its row, which is the first cell that may be a label.
// If the table has only one row, the name is not part of the label.
func (c *pairCollector) columns(row *documents.Block, headers map[int]Header, singleRow bool) {
	if len(row.Cells) == 0 {
		return
	}
	named := slices.IndexFunc(row.Cells, func(cell documents.Cell) bool { return isLabel(c.doc, scan.CellSpan(cell)) })
	first := row.Cells[max(named, 0)]
	for i, cell := range row.Cells {
		if c.doc.Watch.Stopped() {
			return
		}
		header, ok := headers[cell.Column]
		if !ok || header.Text == "" || cell.Text == "" {
			continue
		}
		terms := slices.Clone(header.Terms)
		if !singleRow && i != named && first.Text != "" {
			terms = append(terms, lexicon.Without(c.doc.TermsIn(scan.CellSpan(first)), terms)...)
		}
		if len(terms) > 0 && len(terms) <= maxLabelTerms {
			value := scan.Shorten(c.doc.Text, scan.TrimSpace(c.doc.Text, scan.CellSpan(cell)), scan.MaxStretch)
			c.note(Pair{Label: terms, LabelAt: scan.CellSpan(header.Cell), Value: value, Weight: columnWeight, InGrid: !singleRow})
		}
	}
}
