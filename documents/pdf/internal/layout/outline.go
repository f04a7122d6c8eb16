package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"portside/documents"
)

// Outline tells headings from text by the font sizes of a whole document. Sizes are in half points,
// because those of equal text differ slightly by rounding.
type Outline struct {
	bodySize     int   // of most of the text
	headingSizes []int // above bodySize, the largest first
	isBold       bool  // most of the text is bold
}

// NewOutline returns the outline of a document. It takes the blocks of each page.
func NewOutline(pages [][]Block) Outline {
	const minHeadingRatio = 1.12
	var o Outline
	bytesBySize := map[int]int{}
	total, bold := 0, 0
	for _, blocks := range pages {
		for i := range blocks {
			n := blocks[i].TextBytes()
			bytesBySize[halfPoints(blocks[i].size)] += n
			total += n
			if blocks[i].isBold {
				bold += n
			}
		}
	}
	o.isBold = bold*2 > total
	for size, n := range bytesBySize {
		if most := bytesBySize[o.bodySize]; n > most || n == most && size > o.bodySize {
			o.bodySize = size
		}
	}
	for size := range bytesBySize {
		if float64(size) > minHeadingRatio*float64(o.bodySize) {
			o.headingSizes = append(o.headingSizes, size)
		}
	}
	slices.Sort(o.headingSizes)
	slices.Reverse(o.headingSizes)
	return o
}

func halfPoints(size float64) int { return int(math.Round(2 * size)) }

// AddTo adds the blocks of a page to a document. Its errors are those of [documents.Builder.Add].
func (o Outline) AddTo(into *documents.Builder, blocks []Block) error {
	table := 0
	var lists []float64
	for i := range blocks {
		b := &blocks[i]
		lists = enclosingLists(lists, b)
		if b.isFirstRow {
			table = into.NextTable()
		}
		if err := into.Add(o.block(b, table, len(lists)-1)); err != nil {
			return err
		}
	}
	return nil
}

// enclosingLists returns the left edges of the lists that contain a list item, the outermost first.
func enclosingLists(lists []float64, b *Block) []float64 {
	const slack = 3 // points
	if b.kind != documents.ListItem {
		return nil
	}
	for len(lists) > 0 && lists[len(lists)-1] > b.box.Left+slack {
		lists = lists[:len(lists)-1]
	}
	if len(lists) == 0 || lists[len(lists)-1] < b.box.Left-slack {
		lists = append(lists, b.box.Left)
	}
	return lists
}

// block returns a block in its final form. listLevel is the nesting of a list item.
func (o Outline) block(b *Block, table, listLevel int) documents.Block {
	made := documents.Block{Kind: b.kind, Text: b.text, Cells: b.cells, Box: b.box, Words: b.words}
	if b.kind == documents.Row {
		made.Table = table
		return made
	}
	if level := o.headingLevel(b); level > 0 {
		made.Kind, made.Level = documents.Heading, level
		made.Text = strings.ReplaceAll(b.text, "\n", " ")
		return made
	}
	made.Level = max(listLevel, 0)
	return made
}

// headingLevel returns the level of a heading, or 0 for other blocks.
func (o Outline) headingLevel(b *Block) int {
	const maxBytes, maxLines, maxLevel = 200, 3, 6
	if len(b.text) > maxBytes || b.lines > maxLines || !strings.ContainsFunc(b.text, unicode.IsLetter) {
		return 0
	}
	if i := slices.Index(o.headingSizes, halfPoints(b.size)); i >= 0 {
		return min(i+1, maxLevel)
	}
	isBoldLine := b.isBold && !o.isBold && b.lines == 1 && !strings.HasSuffix(b.text, ".")
	if isBoldLine && halfPoints(b.size) >= o.bodySize {
		return min(len(o.headingSizes)+1, maxLevel)
	}
	return 0
}
