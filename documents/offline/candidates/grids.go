package candidates

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// Grid is a table, or a part of one, with a header above each column. Its rows may be on several pages.
type Grid struct {
	Headers map[int]Header    // by column
	Rows    []documents.Block // below the headers
}

// Header is the header of a column.
type Header struct {
	documents.Cell
	Terms []string       // also those of the title
	Title documents.Cell // of the group of columns that the column belongs to, or empty
}

// Grids returns the parts of the document's tables that have headers. The next table continues a part if it repeats the
// headers, or if it has no headers and the same number of columns. If the context ends, Grids returns early; the caller
// checks the watch.
func Grids(doc *index.Index) []Grid {
	var all []Grid
	for _, rows := range tableParts(doc) {
		headers, count := columnHeaders(doc, rows)
		last := len(all) - 1
		switch {
		case headers == nil && last >= 0 && columnCount(rows) == len(all[last].Headers):
			all[last].add(doc, rows)
		case headers == nil:
		case last >= 0 && equalHeaders(headers, all[last].Headers):
			all[last].add(doc, rows[count:])
		default:
			all = append(all, Grid{Headers: headers})
			all[last+1].add(doc, rows[count:])
		}
	}
	return all
}

func (g *Grid) add(doc *index.Index, rows []documents.Block) {
	for i := range rows {
		g.Rows = append(g.Rows, withAllCells(doc, rows[i], g.Headers))
	}
}

// withAllCells returns the row with one cell for each header, divided at the widest gaps between its words. It returns
// the row unchanged if it has enough cells, or if a new cell is nearer to another header. In narrow tables of a PDF,
// words of two columns can be as close together as words of one column.
func withAllCells(doc *index.Index, row documents.Block, headers map[int]Header) documents.Block {
	if len(row.Cells) >= len(headers) || len(row.Words) < len(headers) {
		return row
	}
	columns := slices.Sorted(maps.Keys(headers))
	groups := groupsOf(row.Words, len(headers))
	cells := make([]documents.Cell, 0, len(groups))
	for i, words := range groups {
		box := documents.Box{}
		for _, w := range words {
			box = box.Union(w.Box)
		}
		if nearest(doc, box, columns, headers) != i {
			return row
		}
		start, end := words[0].Start, words[len(words)-1].End()
		cells = append(cells, documents.Cell{Text: doc.Source.Text()[start:end], Start: start, Column: columns[i]})
	}
	row.Cells = cells
	return row
}

// groupsOf divides words into count groups, at the widest gaps between them.
func groupsOf(words []documents.Word, count int) (groups [][]documents.Word) {
	gaps := make([]int, 0, len(words)-1) // the indexes of the words after the gaps, the widest gap first
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

// nearest returns the index in columns of the column whose header is nearest to a box.
func nearest(doc *index.Index, box documents.Box, columns []int, headers map[int]Header) int {
	best, least := -1, math.Inf(1)
	for i, column := range columns {
		header := doc.Source.UprightBoxOf(headers[column].Start, headers[column].Start+len(headers[column].Text))
		distance := max(header.Left-box.Right, box.Left-header.Right) // negative if they overlap
		if distance < least {
			best, least = i, distance
		}
	}
	return best
}

// tableParts splits the tables of a document before each row of headers.
func tableParts(doc *index.Index) (parts [][]documents.Block) {
	for i := 0; i < len(doc.Blocks) && !doc.Watch.Stopped(); {
		if doc.Blocks[i].Kind != documents.Row {
			i++
			continue
		}
		end := i + 1
		for end < len(doc.Blocks) && doc.Blocks[end].Kind == documents.Row && doc.Blocks[end].Table == doc.Blocks[i].Table {
			end++
		}
		end = i + partEnd(doc, doc.Blocks[i:end])
		parts = append(parts, doc.Blocks[i:end])
		i = end
	}
	return parts
}

// columnCount returns how many different columns the rows have.
func columnCount(rows []documents.Block) int {
	columns := map[int]bool{}
	for _, row := range rows {
		for _, cell := range row.Cells {
			columns[cell.Column] = true
		}
	}
	return len(columns)
}

func equalHeaders(a, b map[int]Header) bool {
	return maps.EqualFunc(a, b, func(x, y Header) bool { return x.Text == y.Text && slices.Equal(x.Terms, y.Terms) })
}

// IsTotal reports whether a row begins with a word for a sum, such as "Subtotal" or "VAT".
func IsTotal(doc *index.Index, row *documents.Block) bool {
	filled := filledCells(row)
	return len(filled) > 0 && lexicon.Overlap(sums, doc.TermsIn(scan.CellSpan(filled[0])))
}
