package office

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents"
)

// sink takes the blocks of a document's body, or of a part of it that has to be put together first.
type sink interface {
	add(block documents.Block) error
	// turn begins the next page. One that is not forced is a program's note of where a page began, which repeats a break.
	turn(forced bool) error
}

// pages is the sink of a document's body.
type pages struct {
	into  *documents.Builder
	begun bool // something stands on the current page
}

func newPages(into *documents.Builder) (*pages, error) {
	p := &pages{into: into}
	return p, p.turn(true)
}

func (p *pages) add(block documents.Block) error {
	p.begun = p.begun || len(block.Cells) > 0 || strings.TrimSpace(block.Text) != ""
	return p.into.Add(block)
}

func (p *pages) turn(forced bool) error {
	if !forced && !p.begun {
		return nil
	}
	p.begun = false
	if !p.into.Page() {
		return errLastPage
	}
	return nil
}

// collector is the sink of a cell, a text box, a shape: what has to wait for something else.
type collector struct {
	limits documents.Limits
	blocks []documents.Block
	size   int
	turned bool
}

func (c *collector) add(block documents.Block) error {
	if block.Text == "" && len(block.Cells) == 0 {
		return nil
	}
	c.size += len(block.Text)
	for i := range block.Cells {
		c.size += len(block.Cells[i].Text)
	}
	if c.size > c.limits.Text || len(c.blocks) > c.limits.Blocks/4 { // all of it is in memory at once
		return documents.ErrTooMuch
	}
	c.blocks = append(c.blocks, block)
	return nil
}

func (c *collector) turn(bool) error {
	c.turned = true
	return nil
}

// pour gives everything to another sink.
func (c *collector) pour(out sink) error {
	for _, block := range c.blocks {
		if err := out.add(block); err != nil {
			return err
		}
	}
	return nil
}

// margins are headers and footers, which sections, first pages and slides repeat.
type margins struct{ told map[string]bool }

// pour hands a header or a footer on, once. One without a word is no more than the number of a page.
func (m *margins) pour(held *collector, out sink) error {
	text, rows := held.words()
	if len(rows) == 0 && (m.told[text] || !strings.ContainsFunc(text, unicode.IsLetter)) {
		return nil
	}
	m.told[text] = true
	return held.pour(out)
}

// words joins the text that is in no table, and returns the rows of tables apart.
func (c *collector) words() (string, []documents.Block) {
	var texts []string
	var rows []documents.Block
	for _, block := range c.blocks {
		if block.Kind == documents.Row {
			rows = append(rows, block)
		} else {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n"), rows
}

// cell is a cell that is not empty. It is typed when it holds a number, a date or the like.
type cell struct {
	text   string
	column int
	typed  bool
}

// line is a row of a table, without its empty cells.
type line struct {
	cells  []cell
	header bool // the format says so
	size   int  // bytes of the cells
}

// put adds a cell that is not empty. Cells may repeat one text, so their bytes are counted, whether they share them or not.
func (l *line) put(c cell, limits documents.Limits) error {
	if c.text == "" {
		return nil
	}
	l.size += len(c.text)
	if l.size > limits.Text || len(l.cells) >= limits.Blocks {
		return documents.ErrTooMuch
	}
	l.cells = append(l.cells, c)
	return nil
}

// mostCells is how many cells a row may have: as many as the widest sheet. All of them are in memory at once.
const mostCells = 1 << 14

// lookahead is how many rows are held until it is known whether the first is a header.
const lookahead = 2

// table turns lines into Rows and finds out which of them are headers: texts that stand above typed cells.
type table struct {
	out     sink
	into    *documents.Builder
	number  int
	held    []line
	settled bool // no header can come until there is a gap
	head    line // the last header
	body    bool // a row of values followed it
}

func newTable(out sink, into *documents.Builder) *table {
	return &table{out: out, into: into, number: into.NextTable()}
}

func (t *table) add(l line) error {
	if len(l.cells) == 0 {
		return t.gap()
	}
	t.held = append(t.held, l)
	if len(t.held) <= lookahead && !t.settled {
		return nil
	}
	return t.release()
}

// gap is an empty row. A table with a header of its own may follow.
func (t *table) gap() error {
	for len(t.held) > 0 {
		if err := t.release(); err != nil {
			return err
		}
	}
	t.settled = false
	return nil
}

// interrupt says that something else comes between two rows: what follows is another run of rows.
func (t *table) interrupt() error {
	err := t.gap()
	t.settled, t.body = true, false
	t.number = t.into.NextTable()
	return err
}

func (t *table) release() error {
	first := t.held[0]
	if !t.settled && t.heads() {
		first.header = true
	}
	t.settled = t.settled || first.header || typed(first)
	t.held = t.held[1:]
	t.begin(&first)
	cells := make([]documents.Cell, len(first.cells))
	for i, c := range first.cells {
		cells[i] = documents.Cell{Text: c.text, Column: c.column, Header: first.header}
	}
	return t.out.add(documents.Block{Kind: documents.Row, Table: t.number, Cells: cells})
}

// begin begins another table with a header in the middle of one, as where it is repeated on each page, or where another part
// has other columns: what is below it is named by it and not by the first. The title of a part may have such a header below.
func (t *table) begin(l *line) {
	l.header = l.header || t.body && len(l.cells) > 1 && slices.EqualFunc(l.cells, t.head.cells, func(a, b cell) bool {
		return a.text == b.text && a.column == b.column
	})
	switch several := len(l.cells) > 1; {
	case !l.header:
		t.body = true
		t.settled = t.settled && several
	case several && t.body:
		t.number, t.body, t.head = t.into.NextTable(), false, *l
	case several:
		t.head = *l
	}
}

// heads tells whether the first line that is held is a header. Two columns may as well be names and values, so these need
// two lines below that agree.
func (t *table) heads() bool {
	first, below := t.held[0], t.held[1:]
	if len(first.cells) < 2 || typed(first) || len(below) == 0 {
		return false
	}
	if len(first.cells) == 2 && len(below) < lookahead {
		return false
	}
	for _, c := range first.cells {
		if typedBelow(below, c.column) {
			return true
		}
	}
	return false
}

func typedBelow(below []line, column int) bool {
	for _, l := range below {
		if !typedAt(l, column) {
			return false
		}
	}
	return true
}

func typedAt(l line, column int) bool {
	for _, c := range l.cells {
		if c.column == column {
			return c.typed
		}
	}
	return false
}

func typed(l line) bool {
	for _, c := range l.cells {
		if c.typed {
			return true
		}
	}
	return false
}

// quantity tells text that is mostly a number, a date or an amount.
func quantity(text string) bool {
	digits, letters := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > 0 && letters <= digits
}
