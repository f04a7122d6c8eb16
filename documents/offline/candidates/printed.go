package candidates

import (
	"math"
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// PrintedGrids returns the tables of a document whose words have places. It compares the places of words with those of the heads, because
// the blocks of a page say little about tables that have no lines: a record may have several baselines, an empty cell, or text between its
// numbers, and columns that are far apart may be blocks of their own. A table may go on on other pages. If the context ends, PrintedGrids
// returns early; the caller checks the watch.
func PrintedGrids(doc *index.Index) []Grid {
	r := printedReader{doc: doc}
	for from := 0; from < len(doc.Blocks) && !doc.Watch.Stopped(); {
		to := from + 1
		for to < len(doc.Blocks) && doc.Blocks[to].Page == doc.Blocks[from].Page {
			to++
		}
		r.readPage(printedLines(doc, doc.Blocks[from:to]))
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

// printedReader reads the tables of one page after the other.
type printedReader struct {
	doc   *index.Index
	grids []*printedGrid
	open  *printedGrid // the one whose rows follow; nil if there is none
}

func (r *printedReader) readPage(lines []printedLine) {
	if r.open != nil {
		r.open.bottom = 0
	}
	for i := 0; i < len(lines) && !r.doc.Watch.Stopped(); i++ {
		heads, last := headsIn(r.doc, lines, i)
		if heads == nil {
			if r.open != nil && !r.open.add(lines[i]) {
				r.open = nil
			}
			continue
		}
		r.begin(dividedHeads(r.doc, heads, lines[last+1:]))
		r.open.bottom, r.open.isOver = lines[last].box.Bottom, false
		i = last
	}
}

// begin opens the table with these heads: a new one, or one of an earlier page that repeats them.
func (r *printedReader) begin(heads []printedHead) {
	const maxEarlier = 20
	for _, g := range slices.Backward(r.grids[max(0, len(r.grids)-maxEarlier):]) {
		if g.hasHeads(heads) {
			g.shortenHeads(heads)
			r.open = g
			return
		}
	}
	r.open = newPrintedGrid(r.doc, heads)
	r.grids = append(r.grids, r.open)
}

// printedGrid is a grid while its rows are read.
type printedGrid struct {
	Grid
	doc     *index.Index
	columns []printedColumn
	bottom  float64 // of the last row on the page, or of the heads; 0 at the top of a page without heads
	isOver  bool    // the last row was a total
}

// printedColumn is where a column stands.
type printedColumn struct{ left, right float64 }

func newPrintedGrid(doc *index.Index, heads []printedHead) *printedGrid {
	g := &printedGrid{Grid: Grid{Heads: make(map[int]Head, len(heads))}, doc: doc}
	for i, h := range heads {
		g.setHead(i, h.text())
		g.columns = append(g.columns, printedColumn{h.left, h.right})
	}
	return g
}

func (g *printedGrid) setHead(i int, text string) {
	terms := lexicon.LabelTerms(lexicon.Business().Mentions(scan.Words(text)))
	g.Heads[i] = Head{documents.Cell{Text: text, Column: i}, terms}
}

// shortenHeads takes over the shorter text of each head. The longer one has text that does not belong to it.
func (g *printedGrid) shortenHeads(heads []printedHead) {
	for i, h := range heads {
		if text := h.text(); len(text) < len(g.Heads[i].Text) {
			g.setHead(i, text)
		}
	}
}

// hasHeads reports whether heads stand where those of the grid stand. Their texts are the same except one, which may have other text above
// or below it.
func (g *printedGrid) hasHeads(heads []printedHead) bool {
	if len(heads) != len(g.Heads) {
		return false
	}
	others := 0
	for i, h := range heads {
		if h.text() != g.Heads[i].Text {
			others++
		}
		if min(h.right, g.columns[i].right) < max(h.left, g.columns[i].left) {
			return false
		}
	}
	return others <= 1
}

// add adds the cells of a line below the heads. It returns false if the table has ended above the line.
func (g *printedGrid) add(line printedLine) bool {
	const maxGap = 4 // heights of a line
	if g.bottom > 0 && line.box.Top-g.bottom > maxGap*line.height() {
		return false
	}
	cells := g.cellsOf(line)
	isShort := 2*len(cells) < len(g.Heads)
	if len(cells) == 0 || g.bottom == 0 && isShort {
		return true // text beside the table, or the top of another page
	}
	if g.isOver && (isShort || !slices.ContainsFunc(cells, g.isNumber)) {
		return false
	}
	if last := len(g.Rows) - 1; last >= 0 && g.bottom > 0 && g.continues(g.Rows[last].Cells, cells, (line.box.Top-g.bottom)/line.height()) {
		g.Rows[last].Cells = withCells(g.Rows[last].Cells, cells)
	} else {
		g.Rows = append(g.Rows, documents.Block{Kind: documents.Row, Start: cells[0].Start, Cells: cells})
	}
	row := &g.Rows[len(g.Rows)-1]
	g.bottom, g.isOver = line.box.Bottom, IsTotal(g.doc, row) && slices.ContainsFunc(row.Cells, g.isNumber)
	return true
}

// cellsOf returns the cells of a line, from the left.
func (g *printedGrid) cellsOf(line printedLine) (cells []documents.Cell) {
	pieces := line.pieces
	if divided := g.divided(line); divided != nil {
		pieces = divided
	}
	for _, p := range pieces {
		if column := g.columnOf(p.box); column >= 0 {
			cells = withCells(cells, []documents.Cell{{Text: p.at.In(g.doc.Text), Start: p.at.Start, Column: column}})
		}
	}
	return cells
}

// divided divides the words of a line at the widest gaps into a piece for each head, if the line has fewer pieces and each new one is
// nearest to its head. In narrow tables, words of two columns can stand as close as words of one.
func (g *printedGrid) divided(line printedLine) (pieces []piece) {
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

// withCells adds the cells of the columns that are empty.
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

// continues reports whether a line belongs to the record above it, at a distance in heights of a line. It has no number below a number of
// the record. If the record has numbers, a line with numbers has at most half as many cells. Otherwise it has only cells in other columns.
func (g *printedGrid) continues(record, line []documents.Cell, distance float64) bool {
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

func (g *printedGrid) hasNumber(cells []documents.Cell, column int) bool {
	return slices.ContainsFunc(cells, func(c documents.Cell) bool { return c.Column == column && g.isNumber(c) })
}

// isNumber reports whether a cell is a number with at most a unit behind it.
func (g *printedGrid) isNumber(c documents.Cell) bool {
	const maxUnit = 6 // bytes
	found := g.doc.NumbersIn(cellSpan(c))
	return len(found) == 1 && found[0].At.Start == c.Start && len(c.Text)-found[0].At.Len() <= maxUnit
}

// columnOf returns the column that a box overlaps most, or else the nearest one; -1 if none is near.
func (g *printedGrid) columnOf(box documents.Box) int {
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
