package candidates

import (
	"math"
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// LayoutGrids returns the tables of a document whose words have positions. It compares the positions of words with
// those of the column headers. The blocks of a page are not enough, because a table without ruling lines is hard to
// divide into blocks: a record may have several baselines, an empty cell, or text between its numbers, and distant
// columns may be separate blocks. A table may continue on later pages. If the context ends, LayoutGrids returns early;
// the caller checks the watch.
func LayoutGrids(doc *index.Index) []Grid {
	r := layoutReader{doc: doc}
	for from := 0; from < len(doc.Blocks) && !doc.Watch.Stopped(); {
		to := from + 1
		for to < len(doc.Blocks) && doc.Blocks[to].Page == doc.Blocks[from].Page {
			to++
		}
		r.readPage(layoutLines(doc, doc.Blocks[from:to]))
		from = to
	}
	var all []Grid
	for _, g := range r.grids {
		if len(g.Rows) > 0 {
			all = append(all, g.Grid)
		}
	}
	return all
}

// layoutReader reads the tables of a document, page by page.
type layoutReader struct {
	doc   *index.Index
	grids []*layoutGrid
	open  *layoutGrid // the grid that the next line may continue, or nil
}

func (r *layoutReader) readPage(lines []layoutLine) {
	if r.open != nil {
		r.open.bottom = 0
	}
	for i := 0; i < len(lines) && !r.doc.Watch.Stopped(); i++ {
		headers, last := headersIn(r.doc, lines, i)
		if headers == nil {
			if r.open != nil && !r.open.add(lines[i]) {
				r.open = nil
			}
			continue
		}
		r.begin(dividedHeaders(r.doc, headers, lines[last+1:]))
		r.open.bottom, r.open.isOver = lines[last].box.Bottom, false
		i = last
	}
}

// begin opens the grid with these headers: a new grid, or one of an earlier page that has the same headers.
func (r *layoutReader) begin(headers []layoutHeader) {
	const maxEarlier = 20
	for _, g := range slices.Backward(r.grids[max(0, len(r.grids)-maxEarlier):]) {
		if g.hasHeaders(headers) {
			g.shortenHeaders(headers)
			r.open = g
			return
		}
	}
	r.open = newLayoutGrid(r.doc, headers)
	r.grids = append(r.grids, r.open)
}

// layoutGrid is a grid while its rows are read.
type layoutGrid struct {
	Grid
	doc     *index.Index
	columns []layoutColumn
	bottom  float64 // of the last row on the page, or of the headers; 0 before the first row of a page without headers
	isOver  bool    // whether the last row was a total
}

// layoutColumn has the horizontal bounds of a column.
type layoutColumn struct{ left, right float64 }

func newLayoutGrid(doc *index.Index, headers []layoutHeader) *layoutGrid {
	g := &layoutGrid{Grid: Grid{Headers: make(map[int]Header, len(headers))}, doc: doc}
	for i, h := range headers {
		g.setHeader(i, h.text())
		g.columns = append(g.columns, layoutColumn{h.left, h.right})
	}
	return g
}

func (g *layoutGrid) setHeader(i int, text string) {
	terms := lexicon.LabelTerms(lexicon.Business().Mentions(scan.Words(text)))
	g.Headers[i] = Header{Cell: documents.Cell{Text: text, Column: i}, Terms: terms}
}

// shortenHeaders replaces the text of each header by the repeated header's if it is shorter. The longer text includes
// words that do not belong to the header.
func (g *layoutGrid) shortenHeaders(headers []layoutHeader) {
	for i, h := range headers {
		if text := h.text(); len(text) < len(g.Headers[i].Text) {
			g.setHeader(i, text)
		}
	}
}

// hasHeaders reports whether the headers repeat those of the grid: they overlap them horizontally and have the same
// texts. One text may differ, because unrelated text may be above or below the header.
func (g *layoutGrid) hasHeaders(headers []layoutHeader) bool {
	if len(headers) != len(g.Headers) {
		return false
	}
	different := 0
	for i, h := range headers {
		if h.text() != g.Headers[i].Text {
			different++
		}
		if min(h.right, g.columns[i].right) < max(h.left, g.columns[i].left) {
			return false
		}
	}
	return different <= 1
}

// add adds the cells of a line below the headers. It returns false if the table ended above the line.
func (g *layoutGrid) add(line layoutLine) bool {
	const maxGap = 4 // heights of a line
	if g.bottom > 0 && line.box.Top-g.bottom > maxGap*line.height() {
		return false
	}
	cells := g.cellsOf(line)
	isShort := 2*len(cells) < len(g.Headers)
	if len(cells) == 0 || g.bottom == 0 && isShort {
		return true // text beside the table, or text at the top of a page
	}
	if g.isOver && (isShort || !slices.ContainsFunc(cells, g.isNumber)) {
		return false
	}
	if last := len(g.Rows) - 1; last >= 0 && g.bottom > 0 &&
		g.continues(g.Rows[last].Cells, cells, (line.box.Top-g.bottom)/line.height()) {
		g.Rows[last].Cells = withCells(g.Rows[last].Cells, cells)
	} else {
		g.Rows = append(g.Rows, documents.Block{Kind: documents.Row, Start: cells[0].Start, Cells: cells})
	}
	row := &g.Rows[len(g.Rows)-1]
	g.bottom, g.isOver = line.box.Bottom, IsTotal(g.doc, row) && slices.ContainsFunc(row.Cells, g.isNumber)
	return true
}

// cellsOf returns the cells of a line, from the left.
func (g *layoutGrid) cellsOf(line layoutLine) (cells []documents.Cell) {
	pieces := line.pieces
	if divided := g.divide(line); divided != nil {
		pieces = divided
	}
	for _, p := range pieces {
		if column := g.columnOf(p.box); column >= 0 {
			cells = withCells(cells, []documents.Cell{{Text: p.at.In(g.doc.Text), Start: p.at.Start, Column: column}})
		}
	}
	return cells
}

// divide returns the words of a line as one piece for each column, divided at the widest gaps. It returns nil if the
// line has enough pieces, or if a new piece is nearer to another column. In narrow tables, words of two columns can be
// as close together as words of one column.
func (g *layoutGrid) divide(line layoutLine) (pieces []piece) {
	var words []documents.Word
	for _, p := range line.pieces {
		words = append(words, p.words...)
	}
	if len(line.pieces) >= len(g.columns) || len(words) < len(g.columns) {
		return nil
	}
	for i, group := range groupsOf(words, len(g.columns)) {
		p := pieceOf(group)
		if g.columnOf(p.box) != i {
			return nil
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// withCells adds those cells whose columns are still empty.
func withCells(cells, more []documents.Cell) []documents.Cell {
	for _, c := range more {
		if !hasCell(cells, c.Column) {
			cells = append(cells, c)
		}
	}
	slices.SortFunc(cells, func(a, b documents.Cell) int { return a.Column - b.Column })
	return cells
}

func hasCell(cells []documents.Cell, column int) bool {
	return slices.ContainsFunc(cells, func(c documents.Cell) bool { return c.Column == column })
}

// continues reports whether a line belongs to the record above it. The distance between them is in heights of the line.
// A line without numbers must nearly touch the record and have cells only in its empty columns. A line with numbers may
// be farther away, but must not have a number below a number of the record. If the record has numbers too, the line
// must have at most half as many cells; otherwise it must have cells only in the empty columns.
func (g *layoutGrid) continues(record, line []documents.Cell, distance float64) bool {
	const near, touching = 1, 0.3
	hasNumbers := slices.ContainsFunc(line, g.isNumber)
	switch {
	case !hasNumbers:
		return distance < touching && !sharesColumn(record, line)
	case distance >= near:
		return false
	case slices.ContainsFunc(line, func(c documents.Cell) bool { return g.isNumber(c) && g.hasNumber(record, c.Column) }):
		return false
	case slices.ContainsFunc(record, g.isNumber):
		return 2*len(line) <= len(record)
	}
	return !sharesColumn(record, line)
}

func sharesColumn(record, line []documents.Cell) bool {
	return slices.ContainsFunc(line, func(c documents.Cell) bool { return hasCell(record, c.Column) })
}

func (g *layoutGrid) hasNumber(cells []documents.Cell, column int) bool {
	return slices.ContainsFunc(cells, func(c documents.Cell) bool { return c.Column == column && g.isNumber(c) })
}

// isNumber reports whether a cell is a number, with nothing after it but a unit.
func (g *layoutGrid) isNumber(c documents.Cell) bool {
	const maxUnit = 6 // bytes
	found := g.doc.NumbersIn(scan.CellSpan(c))
	return len(found) == 1 && found[0].At.Start == c.Start && len(c.Text)-found[0].At.Len() <= maxUnit
}

// columnOf returns the column that a box overlaps most, or otherwise the nearest column. It returns -1 if no column is
// near.
func (g *layoutGrid) columnOf(box documents.Box) int {
	best, least := -1, math.Inf(1)
	for i, c := range g.columns {
		if distance := max(c.left-box.Right, box.Left-c.right); distance < least { // negative if they overlap
			best, least = i, distance
		}
	}
	if maxDistance := 4 * (box.Bottom - box.Top); least > maxDistance {
		return -1
	}
	return best
}
