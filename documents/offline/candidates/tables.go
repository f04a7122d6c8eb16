package candidates

import (
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// table notes the pairs of a run of rows. What a page shows as one table is often several things below each other: a form,
// the goods with heads over them, the sums. So each run of rows below a row of heads counts as a table of its own.
func (c *pairCollector) table(rows []documents.Block) {
	for from := 0; from < len(rows) && !c.doc.Watch.Stopped(); {
		to := from + 1
		for to < len(rows) && !c.beginsAnother(rows, to) {
			to++
		}
		c.part(rows[from:to])
		from = to
	}
}

// beginsAnother reports a row of nothing but heads in the middle of a table, with values below it.
func (c *pairCollector) beginsAnother(rows []documents.Block, i int) bool {
	const least = 3
	if i+1 >= len(rows) || len(rows[i].Cells) < least || len(rows[i+1].Cells) < 2 {
		return false
	}
	for _, cell := range rows[i].Cells {
		at := cellSpan(cell)
		if cell.Text != "" && (!isHead(c.doc, at) || len(c.doc.NumbersIn(at)) > 0) {
			return false
		}
	}
	return slices.ContainsFunc(rows[i+1].Cells, func(cell documents.Cell) bool { return isValue(c.doc, cellSpan(cell)) })
}

// part notes the pairs of columns with their heads, of rows with their first cells, of totals.
func (c *pairCollector) part(rows []documents.Block) {
	c.narrow.below(c, &rows[0])
	c.narrow.heads(c, &rows[0])
	heads := c.heads(rows)
	body := rows
	if heads != nil {
		body = rows[1:]
	}
	for i := range body {
		if c.doc.Watch.Stopped() {
			return
		}
		row := &body[i]
		if heads == nil || len(row.Cells) <= 2 || c.isGrid(row) {
			c.cells(row, CellWeight)
			c.totalRow(row)
		} else {
			for _, cell := range row.Cells {
				c.lines(cellSpan(cell))
			}
			c.totalRow(row)
		}
		if heads != nil && !c.isGrid(row) {
			c.columns(row, heads, len(body) == 1)
		}
		c.narrow.heads(c, row)
		if len(row.Cells) < c.narrow.columns || heads == nil {
			c.narrow.values(c, scan.Span{Start: row.Start, End: row.End()})
		}
	}
}

// isGrid reports a row of label, value, label, value.
func (c *pairCollector) isGrid(row *documents.Block) bool {
	filled := slices.DeleteFunc(slices.Clone(row.Cells), func(cell documents.Cell) bool { return cell.Text == "" })
	const least = 4
	if len(filled) < least || len(filled)%2 != 0 {
		return false
	}
	for i, cell := range filled {
		label := isLabel(c.doc, cellSpan(cell)) && c.doc.IsOnlyTerms(cellSpan(cell))
		if label != (i%2 == 0) {
			return false
		}
	}
	return true
}

// heads are the cells over the columns by their number, or nil where the first row has values already.
func (c *pairCollector) heads(rows []documents.Block) map[int]documents.Cell {
	if len(rows) < 2 || c.isForm(rows) {
		return nil
	}
	first := rows[0].Cells
	marked, plain := 0, 0
	for _, cell := range first {
		if cell.Header {
			marked++
		}
		if cell.Text == "" || isHead(c.doc, cellSpan(cell)) {
			plain++
		}
	}
	isHead := marked == len(first) || plain == len(first) && len(first) > 2 || plain == len(first) && c.figuresBelow(rows)
	if !isHead || len(first) < 2 {
		return nil
	}
	heads := make(map[int]documents.Cell, len(first))
	for _, cell := range first {
		heads[cell.Column] = cell
	}
	return heads
}

// isForm reports labels with values of all kinds beside them, whatever the file calls their first row.
func (c *pairCollector) isForm(rows []documents.Block) bool {
	values, words := 0, 0
	if len(rows[0].Cells) == 2 && strings.ContainsAny(rows[0].Cells[1].Text, "0123456789") {
		return true
	}
	for _, row := range rows {
		if len(row.Cells) != 2 || !isLabel(c.doc, cellSpan(row.Cells[0])) {
			return false
		}
		if isValue(c.doc, cellSpan(row.Cells[1])) {
			values++
		} else {
			words++
		}
	}
	return words > 0 && (values == 0 || words > 1 || !c.doc.IsOnlyTerms(cellSpan(rows[0].Cells[1]))) && !c.figuresBelow(rows)
}

// figuresBelow reports that the second column is one of numbers under a word.
func (c *pairCollector) figuresBelow(rows []documents.Block) bool {
	for _, row := range rows[1:] {
		if len(row.Cells) < 2 || len(c.doc.NumbersIn(cellSpan(row.Cells[1]))) == 0 {
			return false
		}
	}
	return len(rows) > 2
}

// totalRow notes the last cell of a row that begins with a total.
func (c *pairCollector) totalRow(row *documents.Block) {
	filled := slices.DeleteFunc(slices.Clone(row.Cells), func(cell documents.Cell) bool { return cell.Text == "" })
	if len(filled) < 2 || c.isGrid(row) {
		return
	}
	label, last := cellSpan(filled[0]), cellSpan(filled[len(filled)-1])
	terms := c.doc.TermsIn(label)
	sums := []string{"TOTAL", "SUBTOTAL", "GRAND", "NET", "GROSS", "TAX", "PAY", "DISCOUNT", "SHIPPING", "DEPOSIT"}
	if slices.ContainsFunc(terms, func(t string) bool { return slices.Contains(sums, t) }) && len(c.doc.NumbersIn(last)) > 0 {
		weight := totalRowWeight
		if len(filled) > 2 && len(c.doc.NumbersIn(cellSpan(filled[1]))) > 0 {
			weight = ambiguousTotalWeight
		}
		c.add(label, last, weight)
	}
}

// columns notes each cell under the head of its column, together with the first cell of its row.
func (c *pairCollector) columns(row *documents.Block, heads map[int]documents.Cell, only bool) {
	if len(row.Cells) == 0 {
		return
	}
	named := slices.IndexFunc(row.Cells, func(cell documents.Cell) bool { return isLabel(c.doc, cellSpan(cell)) })
	first := row.Cells[max(named, 0)]
	for i, cell := range row.Cells {
		if c.doc.Watch.Stopped() {
			return
		}
		head, ok := heads[cell.Column]
		if !ok || head.Text == "" || cell.Text == "" {
			continue
		}
		terms := slices.Clone(c.doc.TermsIn(cellSpan(head)))
		if !only && i > named && first.Text != "" {
			terms = append(terms, lexicon.Without(c.doc.TermsIn(cellSpan(first)), terms)...)
		}
		if len(terms) > 0 && len(terms) <= maxLabelTerms {
			value := scan.Shorten(c.doc.Text, scan.TrimSpace(c.doc.Text, cellSpan(cell)), scan.MaxStretch)
			c.note(Pair{Label: terms, LabelAt: cellSpan(head), Value: value, Weight: columnWeight, InGrid: !only})
		}
	}
}
