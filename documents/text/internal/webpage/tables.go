package webpage

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"portside/documents"
	"portside/documents/text/internal/page"
)

// table is an open table of a page. Each cell keeps its blocks until its row ends, because only then is it known
// whether the table holds data or only lays out the page.
type table struct {
	run    page.Table
	rows   int
	spans  []int // the row up to which each column is taken by a cell from above
	row    []tableCell
	column int
	inCell bool
	wide   bool // a row has several cells
}

type tableCell struct {
	blocks []documents.Block
	column int
	header bool
}

const maxSpan = 1000

func (t *table) startRow() {
	t.row, t.column, t.inCell = nil, 0, false
	t.rows++
}

func (t *table) startCell(tag startTag, isHeader bool) {
	for t.column < len(t.spans) && t.spans[t.column] > t.rows {
		t.column++
	}
	if len(t.row) < page.MaxColumns {
		t.row = append(t.row, tableCell{column: t.column, header: isHeader || tag.name == atom.Th})
	}
	t.inCell = true
	width, height := span(tag.attributes["colspan"]), span(tag.attributes["rowspan"])
	for range width {
		if height > 1 && t.column < maxSpan {
			for len(t.spans) <= t.column {
				t.spans = append(t.spans, 0)
			}
			t.spans[t.column] = t.rows + height
		}
		t.column++
	}
}

func span(value string) int {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, maxSpan)
}

func (t *table) add(b documents.Block) {
	cell := &t.row[len(t.row)-1]
	cell.blocks = append(cell.blocks, b)
}

// isLayout reports whether the row only arranges its content: a single cell, or cells with headings, tables or long
// texts.
func (t *table) isLayout() bool {
	const maxCell = 1500 // bytes
	filled := 0
	for _, cell := range t.row {
		size := 0
		for _, b := range cell.blocks {
			if b.Kind == documents.Row || b.Kind == documents.Heading || b.Kind == documents.Field {
				return true
			}
			size += len(b.Text)
		}
		if size > maxCell {
			return true
		}
		if len(cell.blocks) > 0 {
			filled++
		}
	}
	t.wide = t.wide || len(t.row) > 1
	return filled <= 1 && !t.wide
}

// cells returns the cells of the row, each with its blocks as one text.
func (t *table) cells() []documents.Cell {
	cells := make([]documents.Cell, len(t.row))
	for i, cell := range t.row {
		texts := make([]string, len(cell.blocks))
		for j, b := range cell.blocks {
			texts[j] = b.Text
		}
		cells[i] = documents.Cell{Text: strings.Join(texts, "\n"), Column: cell.column, Header: cell.header}
	}
	return cells
}

// endRow adds the row, or the blocks that it arranges, to the table around or to the document.
func (w *walker) endRow() error {
	t := w.table()
	if t == nil || len(t.row) == 0 {
		return nil
	}
	t.inCell = false
	var blocks []documents.Block
	if t.isLayout() {
		for _, cell := range t.row {
			if blocks == nil {
				blocks = cell.blocks // mostly the only one
				continue
			}
			blocks = append(blocks, cell.blocks...)
		}
	} else {
		blocks = []documents.Block{t.run.Next(w.to.Into, t.cells())}
	}
	for _, cell := range t.row {
		w.held -= len(cell.blocks)
		for _, b := range cell.blocks {
			w.heldText -= len(b.Text)
		}
	}
	t.row = nil
	return w.addAround(blocks)
}

func (w *walker) addAround(blocks []documents.Block) error {
	if len(w.tables) > 1 {
		if around := w.tables[len(w.tables)-2]; around.inCell {
			for _, b := range blocks {
				if err := w.hold(around, b); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return w.to.AddAll(blocks)
}

func (w *walker) endTable() error {
	if w.beyond > 0 {
		w.beyond--
		return nil
	}
	if w.table() == nil {
		return nil
	}
	err := w.endRow()
	w.tables = w.tables[:len(w.tables)-1]
	return err
}

// hold adds the block to the open cell. If more blocks wait than a row of data has, it adds all of them to the
// document.
func (w *walker) hold(t *table, b documents.Block) error {
	if !t.inCell {
		return w.to.Add(b)
	}
	t.add(b)
	w.held++
	w.heldText += len(b.Text)
	if w.held > maxHeld || w.heldText > w.to.Into.Limits.Text {
		return w.release()
	}
	return nil
}

// release adds the blocks that wait in cells to the document. Further blocks of these cells follow them at once.
func (w *walker) release() error {
	w.held, w.heldText = 0, 0
	for _, t := range w.tables {
		row := t.row
		t.row, t.inCell = nil, false
		for _, cell := range row {
			if err := w.to.AddAll(cell.blocks); err != nil {
				return err
			}
		}
	}
	return nil
}
