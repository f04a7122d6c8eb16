package documents

import (
	"slices"
	"strconv"
	"strings"
)

// Place locates a text in a document that has no boxes, in the terms of its format. The zero Place means unknown.
type Place struct {
	Sheet    string   // in a spreadsheet: the name of the sheet
	Cell     string   // in a spreadsheet: the reference of the cell, such as B7
	Slide    int      // in a presentation: the number of the slide, from 1
	Headings []string // the headings above the text, the outermost first; nil in a spreadsheet
	Table    int      // the number of the table, from 1; 0 in a spreadsheet
	Row      int      // the number of the row in the table, from 1
	Column   int      // the number of the column in the table, from 1
}

// IsZero reports whether nothing is known of the place.
func (p Place) IsZero() bool {
	return p.Sheet == "" && p.Cell == "" && p.Slide == 0 && len(p.Headings) == 0 && p.Table == 0
}

const (
	maxHeadings     = 10  // of a place
	maxHeadingChars = 200 // of each heading
)

// position is the place of a block within its document.
type position struct {
	heading int32 // index of the heading above, plus 1; 0 without a heading
	table   int32
	row     int32
	format  Format

	characters int // number of characters of the document's text in front of the block
}

// locate sets the positions of all blocks. The headings of a sheet or a slide do not apply to the next one.
func (d *Document) locate() {
	var open []int32 // indexes of the headings above the block, plus 1
	tables, rows := map[int]int32{}, map[int]int32{}
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if i > 0 && b.Page != d.Blocks[i-1].Page && (d.Format.hasSheets() || d.Format.hasSlides()) {
			open = open[:0]
		}
		if b.Kind == Heading {
			for len(open) > 0 && d.Blocks[open[len(open)-1]-1].Level >= b.Level {
				open = open[:len(open)-1]
			}
		}
		b.at = position{format: d.Format}
		if len(open) > 0 {
			b.at.heading = open[len(open)-1]
		}
		switch {
		case b.Kind == Heading:
			open = append(open, int32(i+1))
		case b.Kind == Row && b.Table > 0:
			if tables[b.Table] == 0 {
				tables[b.Table] = int32(len(tables) + 1)
			}
			rows[b.Table]++
			b.at.table, b.at.row = tables[b.Table], rows[b.Table]
		}
	}
}

func (f Format) hasSheets() bool { return f == XLSX || f == ODS }
func (f Format) hasSlides() bool { return f == PPTX || f == ODP }

// PlaceOf returns the place of the text at an offset in bytes. It returns the zero Place if the text has a box, or if
// the format has no structure.
func (d *Document) PlaceOf(start int) Place {
	i := d.BlockAt(start)
	if i < 0 || d.Blocks[i].Box != (Box{}) || d.Blocks[i].Words != nil {
		return Place{}
	}
	b := &d.Blocks[i]
	column := b.columnAt(start)
	if b.at.format.hasSheets() {
		return d.placeInSheet(b, column)
	}
	place := Place{Headings: d.headingsAbove(b)}
	if b.at.format.hasSlides() {
		place.Slide = b.Page
	}
	if b.at.table > 0 {
		place.Table, place.Row, place.Column = int(b.at.table), int(b.at.row), column
	}
	return place
}

// placeInSheet returns the place of a block in a spreadsheet. The outermost heading is the name of the sheet.
func (d *Document) placeInSheet(b *Block, column int) Place {
	place := Place{}
	if headings := d.headingsAbove(b); len(headings) > 0 {
		place.Sheet = headings[0]
	} else if b.Kind == Heading {
		place.Sheet = shortened(b.Text)
	}
	if b.Row > 0 && column > 0 {
		place.Cell = CellReference(b.Row, column)
	}
	return place
}

// headingsAbove returns the headings above a block, the outermost first.
func (d *Document) headingsAbove(b *Block) []string {
	var headings []string
	for at := b.at.heading; at > 0 && len(headings) < maxHeadings; at = d.Blocks[at-1].at.heading {
		headings = append(headings, shortened(d.Blocks[at-1].Text))
	}
	slices.Reverse(headings)
	return headings
}

// columnAt returns the number of the column at an offset, from 1. It returns 0 if the offset is not in a cell.
func (b *Block) columnAt(start int) int {
	for _, c := range b.Cells {
		if c.Start <= start && start < c.Start+max(len(c.Text), 1) {
			return c.Column + 1
		}
	}
	return 0
}

// CellReference returns the reference of the cell in a row and a column, both from 1, such as B7.
func CellReference(row, column int) string {
	const letters = 26
	var reference []byte
	for ; column > 0; column = (column - 1) / letters {
		reference = append(reference, 'A'+byte((column-1)%letters))
	}
	slices.Reverse(reference)
	return string(reference) + strconv.Itoa(row)
}

// shortened returns at most the first maxHeadingChars characters of a heading.
func shortened(heading string) string {
	characters := 0
	for i := range heading {
		if characters == maxHeadingChars {
			return strings.TrimSpace(heading[:i])
		}
		characters++
	}
	return heading
}
