package candidates

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
)

// Grid is a part of a table with a head over each column. It may have rows of several pages.
type Grid struct {
	Heads map[int]Head      // by column
	Rows  []documents.Block // below the heads
}

// Head is the head of a column.
type Head struct {
	documents.Cell
	Terms []string
}

// Grids returns the parts of the document's tables that have heads. A part goes on in the next table if that repeats its heads, or has none
// and as many columns. If the context ends, Grids returns early; the caller checks the watch.
func Grids(doc *index.Index) []Grid {
	var all []Grid
	for _, rows := range tableParts(doc) {
		heads := withTerms(doc, columnHeads(doc, rows))
		last := len(all) - 1
		switch {
		case heads == nil && last >= 0 && width(rows) == len(all[last].Heads):
			all[last].add(doc, rows)
		case heads == nil:
		case last >= 0 && equalHeads(heads, all[last].Heads):
			all[last].add(doc, rows[1:])
		default:
			all = append(all, Grid{Heads: heads})
			all[last+1].add(doc, rows[1:])
		}
	}
	return all
}

func withTerms(doc *index.Index, cells map[int]documents.Cell) map[int]Head {
	if cells == nil {
		return nil
	}
	heads := make(map[int]Head, len(cells))
	for column, cell := range cells {
		heads[column] = Head{cell, doc.TermsIn(cellSpan(cell))}
	}
	return heads
}

func (g *Grid) add(doc *index.Index, rows []documents.Block) {
	for i := range rows {
		g.Rows = append(g.Rows, withAllCells(doc, rows[i], g.Heads))
	}
}

// withAllCells divides the words of a row at the widest gaps into as many cells as there are heads, if the row has fewer cells and each of
// the new ones is nearest to its head. In narrow tables of a PDF, words of two columns can stand as close as words of one.
func withAllCells(doc *index.Index, row documents.Block, heads map[int]Head) documents.Block {
	if len(row.Cells) >= len(heads) || len(row.Words) < len(heads) {
		return row
	}
	columns := slices.Sorted(maps.Keys(heads))
	groups := groupsOf(row.Words, len(heads))
	cells := make([]documents.Cell, 0, len(groups))
	for i, words := range groups {
		box := documents.Box{}
		for _, w := range words {
			box = box.Union(w.Box)
		}
		if nearest(doc, box, columns, heads) != i {
			return row
		}
		start, end := words[0].Start, words[len(words)-1].End()
		cells = append(cells, documents.Cell{Text: doc.Source.Text()[start:end], Start: start, Column: columns[i]})
	}
	row.Cells = cells
	return row
}

// groupsOf divides words at the widest gaps between them.
func groupsOf(words []documents.Word, count int) (groups [][]documents.Word) {
	gaps := make([]int, 0, len(words)-1) // positions, the widest gap first
	for i := 1; i < len(words); i++ {
		gaps = append(gaps, i)
	}
	width := func(i int) float64 { return words[i].Box.Left - words[i-1].Box.Right }
	slices.SortStableFunc(gaps, func(a, b int) int { return cmp.Compare(width(b), width(a)) })
	gaps = gaps[:count-1]
	slices.Sort(gaps)
	from := 0
	for _, to := range append(gaps, len(words)) {
		groups = append(groups, words[from:to])
		from = to
	}
	return groups
}

// nearest returns the number of the column whose head is nearest to a box, from the left.
func nearest(doc *index.Index, box documents.Box, columns []int, heads map[int]Head) int {
	best, least := -1, math.Inf(1)
	for i, column := range columns {
		head := doc.Source.BoxOf(heads[column].Start, heads[column].Start+len(heads[column].Text))
		distance := max(head.Left-box.Right, box.Left-head.Right) // negative if they overlap
		if distance < least {
			best, least = i, distance
		}
	}
	return best
}

// tableParts splits the tables of a document as the pairs do.
func tableParts(doc *index.Index) (parts [][]documents.Block) {
	for i := 0; i < len(doc.Blocks) && !doc.Watch.Stopped(); {
		if doc.Blocks[i].Kind != documents.Row {
			i++
			continue
		}
		end := i + 1
		for end < len(doc.Blocks) && doc.Blocks[end].Kind == documents.Row && doc.Blocks[end].Table == doc.Blocks[i].Table &&
			!beginsTable(doc, doc.Blocks[:end+min(2, len(doc.Blocks)-end)], end) {
			end++
		}
		parts = append(parts, doc.Blocks[i:end])
		i = end
	}
	return parts
}

// width returns the number of columns of rows.
func width(rows []documents.Block) int {
	columns := map[int]bool{}
	for _, row := range rows {
		for _, cell := range row.Cells {
			columns[cell.Column] = true
		}
	}
	return len(columns)
}

func equalHeads(a, b map[int]Head) bool {
	return maps.EqualFunc(a, b, func(x, y Head) bool { return x.Text == y.Text })
}

// IsTotal reports whether a row begins with a word for a sum, such as "Subtotal" or "VAT".
func IsTotal(doc *index.Index, row *documents.Block) bool {
	filled := filledCells(row)
	return len(filled) > 0 && slices.ContainsFunc(doc.TermsIn(cellSpan(filled[0])), func(t string) bool { return slices.Contains(sums, t) })
}
