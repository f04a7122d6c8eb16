// Package flow has the text of a document on its way to the Builder: blocks that wait for the rest of a cell or a
// shape, tables and the labels of lists.
package flow

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents"
	"portside/documents/office/internal/parts"
)

// Sink takes blocks: those of the document, or of a cell or the like that has to be complete first.
type Sink interface {
	Add(block documents.Block) error
	// Turn begins the next page. If it is not forced, a program recorded the page break, which may repeat one of the
	// author.
	Turn(forced bool) error
	// Picture adds the picture in a part of the archive.
	Picture(part string)
}

// Pages is the sink for the body of a document.
type Pages struct {
	a     *parts.Archive
	begun bool // the current page has text
}

// NewPages begins the first page.
func NewPages(a *parts.Archive) (*Pages, error) {
	p := &Pages{a: a}
	return p, p.Turn(true)
}

// Add implements Sink.
func (p *Pages) Add(block documents.Block) error {
	p.begun = p.begun || len(block.Cells) > 0 || strings.TrimSpace(block.Text) != ""
	return p.a.Into.Add(block)
}

// Turn implements Sink.
func (p *Pages) Turn(forced bool) error {
	if !forced && !p.begun {
		return nil
	}
	p.begun = false
	if !p.a.Into.Page() {
		return parts.ErrLastPage
	}
	return nil
}

// Picture implements Sink.
func (p *Pages) Picture(part string) { p.a.Picture(part) }

// ContinuePages returns the sink for a document that continues the current page of another one.
func ContinuePages(a *parts.Archive) *Pages { return &Pages{a: a, begun: true} }

// NewPlain returns the sink for content without page breaks.
func NewPlain(a *parts.Archive) Sink { return &plain{a} }

// plain is the sink for content without page breaks.
type plain struct{ a *parts.Archive }

func (p *plain) Add(block documents.Block) error { return p.a.Into.Add(block) }

func (p *plain) Picture(part string) { p.a.Picture(part) }

func (*plain) Turn(bool) error { return nil }

// Collector is the sink for a cell, a text box or a shape. It holds their blocks and pictures.
type Collector struct {
	Limits   documents.Limits
	Blocks   []documents.Block
	Pictures []heldPicture
	Size     int
	Turned   bool
}

// heldPicture is a picture with the number of blocks before it.
type heldPicture struct {
	part  string
	after int
}

// IsEmpty reports whether the collector holds neither text nor pictures.
func (c *Collector) IsEmpty() bool { return len(c.Blocks)+len(c.Pictures) == 0 }

// maxHeldPictures bounds the pictures of a collector. A document takes fewer.
const maxHeldPictures = 1000

// Picture implements Sink.
func (c *Collector) Picture(part string) {
	if len(c.Pictures) < maxHeldPictures {
		c.Pictures = append(c.Pictures, heldPicture{part, len(c.Blocks)})
	}
}

// Add implements Sink.
func (c *Collector) Add(block documents.Block) error {
	if block.Text == "" && len(block.Cells) == 0 {
		return nil
	}
	c.Size += len(block.Text)
	for i := range block.Cells {
		c.Size += len(block.Cells[i].Text)
	}
	if c.Size > c.Limits.Text || len(c.Blocks) > c.Limits.Blocks/4 { // all of it is in memory at once
		return documents.ErrTooMuch
	}
	c.Blocks = append(c.Blocks, block)
	return nil
}

// Turn implements Sink.
func (c *Collector) Turn(bool) error {
	c.Turned = true
	return nil
}

// Pour adds all blocks and pictures to another sink.
func (c *Collector) Pour(out Sink) error {
	pictures := c.Pictures
	for i, block := range c.Blocks {
		for len(pictures) > 0 && pictures[0].after <= i {
			out.Picture(pictures[0].part)
			pictures = pictures[1:]
		}
		if err := out.Add(block); err != nil {
			return err
		}
	}
	pourPictures(pictures, out)
	return nil
}

func pourPictures(pictures []heldPicture, out Sink) {
	for _, p := range pictures {
		out.Picture(p.part)
	}
}

// Margins adds headers and footers, which sections, first pages and slides repeat.
type Margins struct{ added map[string]bool }

// NewMargins returns the margins of a document that has none yet.
func NewMargins() Margins { return Margins{added: map[string]bool{}} }

// Pour adds a header or footer unless the document has it already. One without letters is only a page number. Pictures,
// such as the letterhead, are always added: an archive takes each only once.
func (m *Margins) Pour(held *Collector, out Sink) error {
	text, rows := held.Words()
	if len(rows) == 0 && (m.added[text] || !strings.ContainsFunc(text, unicode.IsLetter)) {
		pourPictures(held.Pictures, out)
		return nil
	}
	m.added[text] = true
	return held.Pour(out)
}

// Words returns the text outside of tables, and the rows of tables.
func (c *Collector) Words() (string, []documents.Block) {
	var texts []string
	var rows []documents.Block
	for _, block := range c.Blocks {
		if block.Kind == documents.Row {
			rows = append(rows, block)
		} else {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n"), rows
}

// Cell is a cell that is not empty. It is typed if it is a number, a date or the like.
type Cell struct {
	Text   string
	Column int
	Typed  bool
}

// Line is a row of a table, without its empty cells.
type Line struct {
	Cells  []Cell
	Header bool // the file marks it as a header
	Number int  // of the row in its sheet, from 1; 0 outside of sheets
	size   int  // bytes of the cells
}

// Put adds a cell unless it is empty. It counts the bytes of cells that share one text, because each gets a copy later.
func (l *Line) Put(c Cell, limits documents.Limits) error {
	if c.Text == "" {
		return nil
	}
	l.size += len(c.Text)
	if l.size > limits.Text || len(l.Cells) >= limits.Blocks {
		return documents.ErrTooMuch
	}
	l.Cells = append(l.Cells, c)
	return nil
}

// MaxCells is how many cells a row may have, as many as a row of a sheet. All of them are in memory at once.
const MaxCells = 1 << 14

// lookahead is how many rows after the first are needed to know whether that is a header.
const lookahead = 2

// Table adds lines as Rows. It finds out which lines are headers: those with texts above typed cells.
type Table struct {
	Out     Sink
	into    *documents.Builder
	number  int
	held    []Line
	decided bool // no header can follow before a gap
	head    Line // the last header
	body    bool // a row of values has followed it

	pictures []heldPicture // in cells; they follow the table, because other content would divide it
}

// NewTable begins a table.
func NewTable(out Sink, into *documents.Builder) *Table {
	return &Table{Out: out, into: into, number: into.NextTable()}
}

// Add adds a row.
func (t *Table) Add(l Line) error {
	if len(l.Cells) == 0 {
		return t.Gap()
	}
	t.held = append(t.held, l)
	if len(t.held) <= lookahead && !t.decided {
		return nil
	}
	return t.release()
}

// Gap handles an empty row. A table with its own header may follow.
func (t *Table) Gap() error {
	for len(t.held) > 0 {
		if err := t.release(); err != nil {
			return err
		}
	}
	t.decided = false
	return nil
}

// End handles the end of the table.
func (t *Table) End() error {
	err := t.Gap()
	pourPictures(t.pictures, t.Out)
	return err
}

// KeepPictures keeps the pictures of a cell until the end of the table.
func (t *Table) KeepPictures(cell *Collector) {
	if len(t.pictures) < maxHeldPictures {
		t.pictures = append(t.pictures, cell.Pictures...)
	}
}

// Interrupt handles other content between two rows. The rows after it are a separate table.
func (t *Table) Interrupt() error {
	err := t.Gap()
	t.decided, t.body = true, false
	t.number = t.into.NextTable()
	return err
}

func (t *Table) release() error {
	first := t.held[0]
	if !t.decided && t.heads() {
		first.Header = true
	}
	t.decided = t.decided || first.Header || typed(first)
	t.held = t.held[1:]
	t.begin(&first)
	cells := make([]documents.Cell, len(first.Cells))
	for i, c := range first.Cells {
		cells[i] = documents.Cell{Text: c.Text, Column: c.Column, Header: first.Header}
	}
	return t.Out.Add(documents.Block{Kind: documents.Row, Table: t.number, Row: first.Number, Cells: cells})
}

// begin begins a new table if the line is a header in the middle of a table, which repeats the first header or names
// other columns. After a line with a single cell, such as the title of a part, another header may follow.
func (t *Table) begin(l *Line) {
	l.Header = l.Header || t.body && len(l.Cells) > 1 && slices.EqualFunc(l.Cells, t.head.Cells, func(a, b Cell) bool {
		return a.Text == b.Text && a.Column == b.Column
	})
	switch several := len(l.Cells) > 1; {
	case !l.Header:
		t.body = true
		t.decided = t.decided && several
	case several && t.body:
		t.number, t.body, t.head = t.into.NextTable(), false, *l
	case several:
		t.head = *l
	}
}

// heads reports whether the first held line is a header. Two columns may also be names and values, so their header
// needs two lines below that confirm it.
func (t *Table) heads() bool {
	first, below := t.held[0], t.held[1:]
	if len(first.Cells) < 2 || typed(first) || len(below) == 0 {
		return false
	}
	if len(first.Cells) == 2 && len(below) < lookahead {
		return false
	}
	for _, c := range first.Cells {
		if typedBelow(below, c.Column) {
			return true
		}
	}
	return false
}

func typedBelow(below []Line, column int) bool {
	for _, l := range below {
		if !typedAt(l, column) {
			return false
		}
	}
	return true
}

func typedAt(l Line, column int) bool {
	for _, c := range l.Cells {
		if c.Column == column {
			return c.Typed
		}
	}
	return false
}

func typed(l Line) bool {
	for _, c := range l.Cells {
		if c.Typed {
			return true
		}
	}
	return false
}

// Quantity reports whether a text is mostly a number, a date or an amount.
func Quantity(text string) bool {
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

// Span limits how many columns a cell may span.
func Span(columns int) int {
	const widest = 1 << 14
	return min(max(columns, 0), widest)
}
