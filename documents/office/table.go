package office

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents"
)

// sink takes blocks: those of the document, or of a cell or the like that has to be complete first.
type sink interface {
	add(block documents.Block) error
	// turn begins the next page. If it is not forced, a program recorded the page break, which may repeat one of the author.
	turn(forced bool) error
	// picture adds the picture in a part of the archive.
	picture(part string)
}

// pages is the sink for the body of a document.
type pages struct {
	a     *archive
	begun bool // the current page has text
}

func newPages(a *archive) (*pages, error) {
	p := &pages{a: a}
	return p, p.turn(true)
}

func (p *pages) add(block documents.Block) error {
	p.begun = p.begun || len(block.Cells) > 0 || strings.TrimSpace(block.Text) != ""
	return p.a.into.Add(block)
}

func (p *pages) turn(forced bool) error {
	if !forced && !p.begun {
		return nil
	}
	p.begun = false
	if !p.a.into.Page() {
		return errLastPage
	}
	return nil
}

func (p *pages) picture(part string) { p.a.picture(part) }

// collector is the sink for a cell, a text box or a shape. It holds their blocks and pictures.
type collector struct {
	limits   documents.Limits
	blocks   []documents.Block
	pictures []heldPicture
	size     int
	turned   bool
}

// heldPicture is a picture with the number of blocks before it.
type heldPicture struct {
	part  string
	after int
}

// isEmpty reports whether the collector holds neither text nor pictures.
func (c *collector) isEmpty() bool { return len(c.blocks)+len(c.pictures) == 0 }

// maxHeldPictures bounds the pictures of a collector. A document takes fewer.
const maxHeldPictures = 1000

func (c *collector) picture(part string) {
	if len(c.pictures) < maxHeldPictures {
		c.pictures = append(c.pictures, heldPicture{part, len(c.blocks)})
	}
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

// pour adds all blocks and pictures to another sink.
func (c *collector) pour(out sink) error {
	pictures := c.pictures
	for i, block := range c.blocks {
		for len(pictures) > 0 && pictures[0].after <= i {
			out.picture(pictures[0].part)
			pictures = pictures[1:]
		}
		if err := out.add(block); err != nil {
			return err
		}
	}
	pourPictures(pictures, out)
	return nil
}

func pourPictures(pictures []heldPicture, out sink) {
	for _, p := range pictures {
		out.picture(p.part)
	}
}

// margins adds headers and footers, which sections, first pages and slides repeat.
type margins struct{ added map[string]bool }

// pour adds a header or footer unless the document has it already. One without letters is only a page number. Pictures, such as the
// letterhead, are always added: an archive takes each only once.
func (m *margins) pour(held *collector, out sink) error {
	text, rows := held.words()
	if len(rows) == 0 && (m.added[text] || !strings.ContainsFunc(text, unicode.IsLetter)) {
		pourPictures(held.pictures, out)
		return nil
	}
	m.added[text] = true
	return held.pour(out)
}

// words returns the text outside of tables, and the rows of tables.
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

// cell is a cell that is not empty. It is typed if it is a number, a date or the like.
type cell struct {
	text   string
	column int
	typed  bool
}

// line is a row of a table, without its empty cells.
type line struct {
	cells  []cell
	header bool // the file marks it as a header
	number int  // of the row in its sheet, from 1; 0 outside of sheets
	size   int  // bytes of the cells
}

// put adds a cell unless it is empty. It counts the bytes of cells that share one text, because each gets a copy later.
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

// maxCells is how many cells a row may have, as many as a row of a sheet. All of them are in memory at once.
const maxCells = 1 << 14

// lookahead is how many rows after the first are needed to know whether that is a header.
const lookahead = 2

// table adds lines as Rows. It finds out which lines are headers: those with texts above typed cells.
type table struct {
	out     sink
	into    *documents.Builder
	number  int
	held    []line
	decided bool // no header can follow before a gap
	head    line // the last header
	body    bool // a row of values has followed it

	pictures []heldPicture // in cells; they follow the table, because other content would divide it
}

func newTable(out sink, into *documents.Builder) *table {
	return &table{out: out, into: into, number: into.NextTable()}
}

func (t *table) add(l line) error {
	if len(l.cells) == 0 {
		return t.gap()
	}
	t.held = append(t.held, l)
	if len(t.held) <= lookahead && !t.decided {
		return nil
	}
	return t.release()
}

// gap handles an empty row. A table with its own header may follow.
func (t *table) gap() error {
	for len(t.held) > 0 {
		if err := t.release(); err != nil {
			return err
		}
	}
	t.decided = false
	return nil
}

// end handles the end of the table.
func (t *table) end() error {
	err := t.gap()
	pourPictures(t.pictures, t.out)
	return err
}

// keepPictures keeps the pictures of a cell until the end of the table.
func (t *table) keepPictures(cell *collector) {
	if len(t.pictures) < maxHeldPictures {
		t.pictures = append(t.pictures, cell.pictures...)
	}
}

// interrupt handles other content between two rows. The rows after it are a separate table.
func (t *table) interrupt() error {
	err := t.gap()
	t.decided, t.body = true, false
	t.number = t.into.NextTable()
	return err
}

func (t *table) release() error {
	first := t.held[0]
	if !t.decided && t.heads() {
		first.header = true
	}
	t.decided = t.decided || first.header || typed(first)
	t.held = t.held[1:]
	t.begin(&first)
	cells := make([]documents.Cell, len(first.cells))
	for i, c := range first.cells {
		cells[i] = documents.Cell{Text: c.text, Column: c.column, Header: first.header}
	}
	return t.out.add(documents.Block{Kind: documents.Row, Table: t.number, Row: first.number, Cells: cells})
}

// begin begins a new table if the line is a header in the middle of a table, which repeats the first header or names other
// columns. After a line with a single cell, such as the title of a part, another header may follow.
func (t *table) begin(l *line) {
	l.header = l.header || t.body && len(l.cells) > 1 && slices.EqualFunc(l.cells, t.head.cells, func(a, b cell) bool {
		return a.text == b.text && a.column == b.column
	})
	switch several := len(l.cells) > 1; {
	case !l.header:
		t.body = true
		t.decided = t.decided && several
	case several && t.body:
		t.number, t.body, t.head = t.into.NextTable(), false, *l
	case several:
		t.head = *l
	}
}

// heads reports whether the first held line is a header. Two columns may also be names and values, so their header needs two
// lines below that confirm it.
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

// quantity reports whether a text is mostly a number, a date or an amount.
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
