package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"portside/documents"
)

// maxDrawn bounds the bytes of the pictures of a file, as they are unpacked and as they are drawn.
const maxDrawn = 384 << 20

// emit gives the pages to the Builder, now that the sizes of headings can be told from that of the text.
func (f *file) emit(pages []page, into *documents.Builder) error {
	f.budget = maxDrawn
	o := outline(pages)
	table := 0
	var late error // pictures take time; the text is there already, and is given in any case
	for _, p := range pages {
		if !into.Page() {
			return late
		}
		if late == nil {
			late = f.give(p.pictures, into)
		}
		var items []float64
		for _, b := range p.blocks {
			items = nesting(items, b)
			if b.first {
				table = into.NextTable()
			}
			if err := into.Add(o.finished(b, table, len(items)-1)); err != nil {
				return err
			}
		}
	}
	return late
}

// nesting is the left edges of the lists that a list item is in.
func nesting(lists []float64, b block) []float64 {
	if b.kind != documents.ListItem {
		return nil
	}
	const slack = 3
	for len(lists) > 0 && lists[len(lists)-1] > b.box.Left+slack {
		lists = lists[:len(lists)-1]
	}
	if len(lists) == 0 || lists[len(lists)-1] < b.box.Left-slack {
		lists = append(lists, b.box.Left)
	}
	return lists
}

// sizes tells headings by their size: body is that of most of the text, larger those above it, the largest first.
type sizes struct {
	body   int
	larger []int
	bold   bool // most of the text is
}

func outline(pages []page) sizes {
	weights := map[int]int{}
	total, bold := 0, 0
	for _, p := range pages {
		for _, b := range p.blocks {
			n := b.size()
			weights[half(b.em)] += n
			total += n
			if b.bold {
				bold += n
			}
		}
	}
	s := sizes{bold: bold*2 > total}
	for size, n := range weights {
		if m := weights[s.body]; n > m || n == m && size > s.body {
			s.body = size
		}
	}
	for size := range weights {
		if float64(size) > 1.12*float64(s.body) {
			s.larger = append(s.larger, size)
		}
	}
	slices.Sort(s.larger)
	slices.Reverse(s.larger)
	return s
}

// half counts half points, for sizes differ a little by rounding.
func half(size float64) int { return int(math.Round(2 * size)) }

func (s sizes) finished(b block, table, level int) documents.Block {
	made := documents.Block{Kind: b.kind, Text: b.text, Cells: b.cells, Box: b.box}
	if b.kind == documents.Row {
		made.Table = table
		return made
	}
	if level := s.level(b); level > 0 {
		made.Kind, made.Level, made.Text = documents.Heading, level, strings.ReplaceAll(b.text, "\n", " ")
		return made
	}
	made.Level = max(level, 0)
	return made
}

// level is that of a heading, or 0.
func (s sizes) level(b block) int {
	const longest, deepest = 200, 6
	if len(b.text) > longest || b.lines > 3 || !strings.ContainsFunc(b.text, unicode.IsLetter) {
		return 0
	}
	if at := slices.Index(s.larger, half(b.em)); at >= 0 {
		return min(at+1, deepest)
	}
	if b.bold && !s.bold && b.lines == 1 && half(b.em) >= s.body && !strings.HasSuffix(b.text, ".") {
		return min(len(s.larger)+1, deepest)
	}
	return 0
}
