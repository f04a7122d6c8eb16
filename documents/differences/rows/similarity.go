package rows

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"portside/documents/answers"
)

const (
	nameWeight    = 2.0 // of a text that names the row, in the similarity of two rows; other values have 1
	leastDistinct = 0.5 // the least share of different texts in a column that names the rows
	maxWords      = 50  // of a text that are compared
)

// cell is a value that is prepared for many comparisons.
type cell struct {
	answers.Value
	isName bool     // whether it is a text of a column that names the rows
	words  []string // of a name: its different words, sorted
}

// cellsOf prepares the values of a table.
func cellsOf(table []Row, roles []role) [][]cell {
	fold := cases.Fold()
	cells := make([][]cell, len(table))
	for i, row := range table {
		cells[i] = make([]cell, len(row))
		for column, value := range row {
			if !value.Found() || roles[column] == counts {
				continue
			}
			c := cell{Value: value, isName: roles[column] == names && value.Type == answers.String}
			if c.isName {
				c.words = wordsOf(fold.String(norm.NFKC.String(value.Text)))
			}
			cells[i][column] = c
		}
	}
	return cells
}

func wordsOf(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !unicode.IsSymbol(r)
	})
	words = slices.Clone(words[:min(len(words), maxWords)])
	slices.Sort(words)
	return slices.Compact(words)
}

// similarity returns how similar two rows are, from 0 to 1: the weighted share of cells that are alike. If both rows have names, it is the
// mean of that share and of the similarity of the most similar name, and 0 if no name is alike. A cell that only one of the rows has counts
// as half, and one that neither has does not count.
func similarity(a, b []cell) float64 {
	var alike, all, best float64
	haveNames := false
	for column := range a {
		x, y := a[column], b[column]
		switch {
		case !x.Found() && !y.Found():
		case !x.Found() || !y.Found():
			all += 0.5
		case x.isName && y.isName:
			share := x.alike(y)
			alike, all = alike+nameWeight*share, all+nameWeight
			best, haveNames = max(best, share), true
		default:
			all++
			if x.Value == y.Value {
				alike++
			}
		}
	}
	switch {
	case all == 0 || haveNames && best < leastSimilar:
		return 0
	case haveNames:
		return (best + alike/all) / 2
	}
	return alike / all
}

// alike returns the share of the words of two texts that both have (the coefficient of Dice), from 0 to 1.
func (c cell) alike(other cell) float64 {
	if c.Text == other.Text {
		return 1
	}
	if len(c.words) == 0 || len(other.words) == 0 {
		return 0
	}
	shared, i, j := 0, 0, 0
	for i < len(c.words) && j < len(other.words) {
		switch order := strings.Compare(c.words[i], other.words[j]); {
		case order < 0:
			i++
		case order > 0:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	return 2 * float64(shared) / float64(len(c.words)+len(other.words))
}
