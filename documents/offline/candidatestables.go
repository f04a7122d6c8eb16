package offline

import (
	"slices"
	"strings"

	"portside/documents"
)

// table notes the pairs of a run of rows. What a page shows as one table is often several things below each other: a form,
// the goods with heads over them, the sums. So each run of rows below a row of heads counts as a table of its own.
func (c *pairCollector) table(rows []documents.Block) {
	for from := 0; from < len(rows) && !c.reading.watch.ended(); {
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
		if cell.Text != "" && (!c.reading.isHead(at) || len(c.reading.figuresIn(at)) > 0) {
			return false
		}
	}
	return slices.ContainsFunc(rows[i+1].Cells, func(cell documents.Cell) bool { return c.reading.isValue(cellSpan(cell)) })
}

// isValue reports that a cell has a number or a day.
func (r *reading) isValue(s span) bool { return len(r.figuresIn(s)) > 0 || len(r.datesIn(s)) > 0 }

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
		if c.reading.watch.ended() {
			return
		}
		row := &body[i]
		if heads == nil || len(row.Cells) <= 2 || c.isGrid(row) {
			c.cells(row, byCells)
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
			c.narrow.values(c, span{row.Start, row.End()})
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
		label := c.reading.isLabel(cellSpan(cell)) && c.reading.isOnlyLabel(cellSpan(cell))
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
		if cell.Text == "" || c.reading.isHead(cellSpan(cell)) {
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
		if len(row.Cells) != 2 || !c.reading.isLabel(cellSpan(row.Cells[0])) {
			return false
		}
		if c.reading.isValue(cellSpan(row.Cells[1])) {
			values++
		} else {
			words++
		}
	}
	return words > 0 && (values == 0 || words > 1 || !c.reading.isOnlyLabel(cellSpan(rows[0].Cells[1]))) && !c.figuresBelow(rows)
}

// figuresBelow reports that the second column is one of numbers under a word.
func (c *pairCollector) figuresBelow(rows []documents.Block) bool {
	for _, row := range rows[1:] {
		if len(row.Cells) < 2 || len(c.reading.figuresIn(cellSpan(row.Cells[1]))) == 0 {
			return false
		}
	}
	return len(rows) > 2
}

func (r *reading) isHead(s span) bool {
	const most = 40
	if s.end-s.start > most || len(r.datesIn(s)) > 0 {
		return false
	}
	for _, f := range r.figuresIn(s) {
		if f.currency != "" || f.fraction != "" {
			return false
		}
	}
	return len(r.within(s)) > 0
}

// totalRow notes the last cell of a row that begins with a total.
func (c *pairCollector) totalRow(row *documents.Block) {
	filled := slices.DeleteFunc(slices.Clone(row.Cells), func(cell documents.Cell) bool { return cell.Text == "" })
	if len(filled) < 2 || c.isGrid(row) {
		return
	}
	label, last := cellSpan(filled[0]), cellSpan(filled[len(filled)-1])
	terms := c.reading.terms(label)
	sums := []string{"TOTAL", "SUBTOTAL", "GRAND", "NET", "GROSS", "TAX", "PAY", "DISCOUNT", "SHIPPING", "DEPOSIT"}
	if slices.ContainsFunc(terms, func(t string) bool { return slices.Contains(sums, t) }) && len(c.reading.figuresIn(last)) > 0 {
		weight := byTotalRow
		if len(filled) > 2 && len(c.reading.figuresIn(cellSpan(filled[1]))) > 0 {
			weight = oneTotalOfMany
		}
		c.add(label, last, weight)
	}
}

// columns notes each cell under the head of its column, together with the first cell of its row.
func (c *pairCollector) columns(row *documents.Block, heads map[int]documents.Cell, only bool) {
	if len(row.Cells) == 0 {
		return
	}
	named := slices.IndexFunc(row.Cells, func(cell documents.Cell) bool { return c.reading.isLabel(cellSpan(cell)) })
	first := row.Cells[max(named, 0)]
	for i, cell := range row.Cells {
		if c.reading.watch.ended() {
			return
		}
		head, ok := heads[cell.Column]
		if !ok || head.Text == "" || cell.Text == "" {
			continue
		}
		terms := slices.Clone(c.reading.terms(cellSpan(head)))
		if !only && i > named && first.Text != "" {
			terms = append(terms, without(c.reading.terms(cellSpan(first)), terms)...)
		}
		if len(terms) > 0 && len(terms) <= mostLabelWords {
			value := firstStretch(c.reading.text, c.reading.trim(cellSpan(cell)), mostStretch)
			c.note(pair{label: terms, labelAt: cellSpan(head), value: value, weight: byColumn, grid: !only})
		}
	}
}
