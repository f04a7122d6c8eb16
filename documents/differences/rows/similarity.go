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
	nameWeight  = 2.0 // weight of a name in the similarity of two rows; other values have the weight 1
	minDistinct = 0.5 // least share of distinct values in a column that names the rows
	maxWords    = 50  // of a name that are compared
)

// cell is a value, prepared for many comparisons.
type cell struct {
	answers.Value
	isName bool     // whether it is a string in a column that names the rows
	words  []string // the distinct words of a name, sorted
}

// cellsOf prepares the values of a table. It leaves out line numbers.
func cellsOf(table []Row, roles []role) [][]cell {
	fold := cases.Fold()
	cells := make([][]cell, len(table))
	for i, row := range table {
		cells[i] = make([]cell, len(row))
		for column, value := range row {
			if !value.Found() || roles[column] == numbersRow {
				continue
			}
			c := cell{Value: value, isName: roles[column] == namesRow && value.Type == answers.String}
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

// similarity returns how similar two rows are, from 0 to 1: the weighted share of equal cells. Names count by their
// similarity. If only one of the rows has a value in a column, the cells count as different with half the weight. If
// both rows have a name in the same column, the result is the mean of that share and of the similarity of the most
// similar names, or 0 if no names are similar.
func similarity(a, b []cell) float64 {
	var equal, all, best float64
	haveNames := false
	for column := range a {
		x, y := a[column], b[column]
		switch {
		case !x.Found() && !y.Found():
		case !x.Found() || !y.Found():
			all += 0.5
		case x.isName && y.isName:
			share := x.nameSimilarity(y)
			equal, all = equal+nameWeight*share, all+nameWeight
			best, haveNames = max(best, share), true
		default:
			all++
			if x.Value == y.Value {
				equal++
			}
		}
	}
	switch {
	case all == 0 || haveNames && best < minSimilarity:
		return 0
	case haveNames:
		return (best + equal/all) / 2
	}
	return equal / all
}

// nameSimilarity returns the share of words that two names have in common, from 0 to 1 (the Sørensen–Dice coefficient).
func (c cell) nameSimilarity(other cell) float64 {
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
