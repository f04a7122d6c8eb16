package documents

import (
	"math"
	"sort"
	"strings"
	"unicode/utf8"

	"portside/documents/en16931"
)

// Document is the content of a file: blocks of plain text in reading order. Every reader makes one, and every engine
// takes one. Offsets are bytes of Text, so that a quote, a value and a position always mean the same characters.
type Document struct {
	Format   Format
	Title    string // the title that the file declares; often empty or useless
	Pages    int    // pages, slides, sheets or chapters; 0 if the format has none
	Blocks   []Block
	Warnings []string // parts missing from the document, one sentence each
	// Incomplete means that another attempt may read more: the time was up, or a viewer of pictures failed.
	Incomplete bool
	text       string
}

// BlockKind is the role of a block in its document.
type BlockKind string

// The kinds of blocks. A table is a run of Rows with the same Table number.
const (
	Paragraph BlockKind = "paragraph"
	Heading   BlockKind = "heading"
	ListItem  BlockKind = "list item"
	Row       BlockKind = "row"
	Field     BlockKind = "field"   // a name with its value, such as a header of a mail or a key of JSON
	Caption   BlockKind = "caption" // text of a subtitle
)

// Block is a paragraph, heading, table row or the like. Its text has single spaces and no control characters. Its line
// breaks are those of the author; wrapped lines are joined.
type Block struct {
	Kind  BlockKind
	Text  string // for a Row and a Field, the cells joined with tabs
	Start int    // offset of Text in the document's text, in bytes
	Page  int    // from 1; 0 if the format has no pages
	Level int    // from 1 for a Heading; nesting from 0 for a ListItem
	Table int    // number of the table from 1 for a Row; otherwise 0
	Row   int    // number of the row in its sheet, from 1, for a Row of a spreadsheet; otherwise 0
	Cells []Cell // for a Row and a Field
	Box   Box
	Words []Word // in the order of the text; nil if the format has no places
	Turn  Turn   // turns the boxes to their places on the page as it is shown; see Turn
	Time  Span   // for a Caption
	at    position
}

// End returns the offset in the document's text at which the block ends.
func (b Block) End() int { return b.Start + len(b.Text) }

// Cell is a cell of a table row.
type Cell struct {
	Text   string
	Start  int // offset in the document's text, in bytes
	Column int // from 0; a cell that spans two columns counts as two
	Header bool
	Term   en16931.Code // of an e-invoice: the business term of which the text is the value; otherwise 0
}

// Word is the place of a word. A word that a line break divides is two of them.
type Word struct {
	Text  string // a part of the document's text
	Start int    // offset in the document's text, in bytes
	Box   Box
	// Doubt is the probability that the text is wrong, if a program recognized it in a picture; otherwise 0.
	Doubt float32
}

// End returns the offset in the document's text at which the word ends.
func (w Word) End() int { return w.Start + len(w.Text) }

// Box is the place of a block or a word on its page, in points (1/72 inch) from the top left corner. The zero Box means
// unknown.
type Box struct{ Left, Top, Right, Bottom float64 }

// Union returns the smallest box that contains both boxes. The zero Box contains nothing.
func (b Box) Union(other Box) Box {
	switch {
	case b == Box{}:
		return other
	case other == Box{}:
		return b
	}
	return Box{
		Left: min(b.Left, other.Left), Top: min(b.Top, other.Top),
		Right: max(b.Right, other.Right), Bottom: max(b.Bottom, other.Bottom),
	}
}

// Span is a part of a recording, in seconds from its start.
type Span struct{ From, To float64 }

// Text returns the whole text: the blocks joined with line breaks.
func (d *Document) Text() string { return d.text }

// First returns the document with only the first n blocks. Offsets in its text are those in the whole one.
func (d *Document) First(n int) *Document {
	part := *d
	part.Blocks = d.Blocks[:n:n]
	part.text = ""
	if n > 0 {
		part.text = d.text[:part.Blocks[n-1].End()]
	}
	return &part
}

// From returns the document without the first n blocks. Spaces stand for their text, so that offsets are those in the
// whole one.
func (d *Document) From(n int) *Document {
	part := *d
	part.Blocks = d.Blocks[n:]
	if n < len(d.Blocks) {
		start := d.Blocks[n].Start
		part.text = strings.Repeat(" ", start) + d.text[start:]
	} else {
		part.text = ""
	}
	return &part
}

// BlockAt returns the index of the block at the offset in the text, or -1. It takes logarithmic time, because answers
// can have a hundred thousand quotes.
func (d *Document) BlockAt(offset int) int {
	i := LastBlockFrom(d.Blocks, offset)
	if i < 0 || offset >= d.Blocks[i].End() {
		return -1
	}
	return i
}

// LastBlockFrom returns the index of the last block that begins at the offset or before, or -1.
func LastBlockFrom(blocks []Block, offset int) int {
	return sort.Search(len(blocks), func(i int) bool { return blocks[i].Start > offset }) - 1
}

// CharactersBefore returns the number of characters in front of an offset in bytes of the text.
func (d *Document) CharactersBefore(offset int) int {
	i := LastBlockFrom(d.Blocks, offset)
	if i < 0 {
		return utf8.RuneCountInString(d.text[:offset])
	}
	b := &d.Blocks[i]
	return b.at.characters + utf8.RuneCountInString(d.text[b.Start:offset])
}

// countCharacters sets the number of characters in front of each block.
func (d *Document) countCharacters() {
	count, end := 0, 0
	for i := range d.Blocks {
		b := &d.Blocks[i]
		count += utf8.RuneCountInString(d.text[end:b.Start])
		b.at.characters, end = count, b.Start
	}
}

// BoxOf returns the box around the words from start to end on the page as it is shown. The offsets are bytes of the
// text. Words of other blocks do not count. If only the place of the block is known, it returns that; otherwise the zero
// Box.
func (d *Document) BoxOf(start, end int) Box {
	if i := d.BlockAt(start); i >= 0 {
		return d.Blocks[i].Turn.Shown(d.UprightBoxOf(start, end))
	}
	return Box{}
}

// UprightBoxOf is BoxOf in the coordinates of Block.Box.
func (d *Document) UprightBoxOf(start, end int) Box {
	i := d.BlockAt(start)
	if i < 0 {
		return Box{}
	}
	if d.Blocks[i].Words == nil {
		return d.Blocks[i].Box
	}
	var around Box
	for _, w := range d.Blocks[i].wordsIn(start, end) {
		around = around.Union(w.Box)
	}
	return around
}

// DoubtOf returns the highest doubt about the words from start to end, in bytes of the text, as far as they are in one
// block.
func (d *Document) DoubtOf(start, end int) float64 {
	i := d.BlockAt(start)
	if i < 0 {
		return 0
	}
	var highest float32
	for _, w := range d.Blocks[i].wordsIn(start, end) {
		highest = max(highest, w.Doubt)
	}
	const digits = 1000 // without the noise of float32
	return math.Round(float64(highest)*digits) / digits
}

// wordsIn returns the words of the block from start to end, in bytes of the document's text.
func (b *Block) wordsIn(start, end int) []Word {
	first := sort.Search(len(b.Words), func(i int) bool { return b.Words[i].End() > start })
	count := sort.Search(len(b.Words)-first, func(i int) bool { return b.Words[first+i].Start >= end })
	return b.Words[first : first+count]
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
		for j := range b.Words {
			b.Words[j].Start += b.Start
		}
	}
	d.text = text.String()
	d.locate()
	d.countCharacters()
}

// cellGap separates the cells of a row.
const cellGap = "\t"
