package documents

import (
	"strings"
)

// Document is what a file says, in the one form that every reader makes and every engine takes: blocks of plain text in
// reading order. Offsets are bytes of Text, so that a quote, a value and a position always mean the same characters.
type Document struct {
	Format   Format
	Title    string // as the file itself names it; often empty or useless
	Pages    int    // pages, slides, sheets or chapters; 0 where the format has none
	Blocks   []Block
	Warnings []string // what was left out, for the caller: one sentence each
	// Incomplete means that something was left out that a later attempt may read: for want of time, or because a viewer failed.
	Incomplete bool
	text       string
}

// BlockKind is what a block is in its document.
type BlockKind string

// The kinds of blocks. A table is a run of Rows with the same Table number.
const (
	Paragraph BlockKind = "paragraph"
	Heading   BlockKind = "heading"
	ListItem  BlockKind = "list item"
	Row       BlockKind = "row"
	Field     BlockKind = "field"   // a name and a value that the format itself pairs: a header of a mail, a key of JSON
	Caption   BlockKind = "caption" // words of a recording
)

// Block is a stretch of text that belongs together. Its text has single spaces, no control characters and, within a
// paragraph, no line breaks but those that the author made.
type Block struct {
	Kind  BlockKind
	Text  string // of a Row and a Field: the cells, joined with a tab
	Start int    // where Text begins in the document's text; it ends at Start + len(Text)
	Page  int    // from 1; 0 where there are none
	Level int    // of a Heading from 1; nesting of a ListItem from 0
	Table int    // of a Row from 1; 0 otherwise
	Cells []Cell // of a Row and a Field
	Box   Box
	Time  Span // of a Caption
}

// End is where the block ends in the document's text.
func (b Block) End() int { return b.Start + len(b.Text) }

// Cell is a cell of a table row.
type Cell struct {
	Text   string
	Start  int // in the document's text
	Column int // from 0; spanned columns count
	Header bool
}

// Box is where a block lies on its page, in points (1/72 inch) from the top left corner. The zero Box is unknown.
type Box struct{ Left, Top, Right, Bottom float64 }

// Span is a stretch of a recording, in seconds from its beginning.
type Span struct{ From, To float64 }

// Text is the whole text: the blocks joined with line breaks.
func (d *Document) Text() string { return d.text }

// BlockAt returns the block that holds the byte of the text, or -1.
func (d *Document) BlockAt(offset int) int {
	for i := range d.Blocks {
		if b := &d.Blocks[i]; offset >= b.Start && offset < b.End() {
			return i
		}
	}
	return -1
}

// seal joins the blocks and sets every offset.
func (d *Document) seal() {
	var text strings.Builder
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if i > 0 {
			text.WriteByte('\n')
		}
		b.Start = text.Len()
		text.WriteString(b.Text)
		at := b.Start
		for j := range b.Cells {
			b.Cells[j].Start = at
			at += len(b.Cells[j].Text) + len(cellGap)
		}
	}
	d.text = text.String()
}

// cellGap is between the cells of a row.
const cellGap = "\t"
