package mediaoffline

import (
	"slices"

	"portside/shared/media"
)

// table notes the pairs of a run of rows: of columns with their heads, of rows with their first cells, of totals.
func (c *pairCollector) table(rows []media.Block) {
	heads := c.heads(rows)
	body := rows
	if heads != nil {
		body = rows[1:]
	}
	for i := range body {
		row := &body[i]
		if heads == nil || len(row.Cells) <= 2 {
			c.cells(row, byCells)
			c.totalRow(row)
		} else {
			for _, cell := range row.Cells {
				c.lines(cellSpan(cell))
			}
			c.totalRow(row)
		}
		if heads != nil {
			c.columns(row, heads, len(body) == 1)
		}
	}
}

// heads are the cells over the columns by their number, or nil where the first row has values already.
func (c *pairCollector) heads(rows []media.Block) map[int]media.Cell {
	if len(rows) < 2 {
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
	heads := make(map[int]media.Cell, len(first))
	for _, cell := range first {
		heads[cell.Column] = cell
	}
	return heads
}

// figuresBelow reports that the second column is one of numbers under a word.
func (c *pairCollector) figuresBelow(rows []media.Block) bool {
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
func (c *pairCollector) totalRow(row *media.Block) {
	filled := slices.DeleteFunc(slices.Clone(row.Cells), func(cell media.Cell) bool { return cell.Text == "" })
	if len(filled) < 2 {
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
func (c *pairCollector) columns(row *media.Block, heads map[int]media.Cell, only bool) {
	if len(row.Cells) == 0 {
		return
	}
	named := slices.IndexFunc(row.Cells, func(cell media.Cell) bool { return c.reading.isLabel(cellSpan(cell)) })
	first := row.Cells[max(named, 0)]
	for i, cell := range row.Cells {
		head, ok := heads[cell.Column]
		if !ok || head.Text == "" || cell.Text == "" {
			continue
		}
		terms := slices.Clone(c.reading.terms(cellSpan(head)))
		if !only && i > named && first.Text != "" {
			terms = append(terms, without(c.reading.terms(cellSpan(first)), terms)...)
		}
		if len(terms) > 0 && len(terms) <= mostLabelWords {
			c.reading.pairs = append(c.reading.pairs, pair{
				label: terms, labelAt: cellSpan(head), value: c.reading.trim(cellSpan(cell)), weight: byColumn, context: c.heading, grid: !only,
			})
		}
	}
}
