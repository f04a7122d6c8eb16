package candidates

import (
	"maps"
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
)

// Grid is a part of a table with a head over each column. It may have rows of several pages.
type Grid struct {
	Heads map[int]documents.Cell // by column
	Rows  []documents.Block      // below the heads
}

// Grids returns the parts of the document's tables that have heads. A part goes on in the next table if that repeats its heads, or has none
// and as many columns. If the context ends, Grids returns early; the caller checks the watch.
func Grids(doc *index.Index) []Grid {
	var all []Grid
	for _, rows := range tableParts(doc) {
		heads := columnHeads(doc, rows)
		last := len(all) - 1
		switch {
		case heads == nil && last >= 0 && width(rows) == len(all[last].Heads):
			all[last].Rows = append(all[last].Rows, rows...)
		case heads == nil:
		case last >= 0 && equalHeads(heads, all[last].Heads):
			all[last].Rows = append(all[last].Rows, rows[1:]...)
		default:
			all = append(all, Grid{heads, slices.Clone(rows[1:])})
		}
	}
	return all
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

func equalHeads(a, b map[int]documents.Cell) bool {
	return maps.EqualFunc(a, b, func(x, y documents.Cell) bool { return x.Text == y.Text })
}

// IsTotal reports whether a row begins with a word for a sum, such as "Subtotal" or "VAT".
func IsTotal(doc *index.Index, row *documents.Block) bool {
	filled := filledCells(row)
	return len(filled) > 0 && slices.ContainsFunc(doc.TermsIn(cellSpan(filled[0])), func(t string) bool { return slices.Contains(sums, t) })
}
