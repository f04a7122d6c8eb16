package rows

import (
	"math/big"

	"portside/documents/answers"
)

// role is what the values of a column say about their rows.
type role int

const (
	describes role = iota
	names          // texts, most of which differ from row to row
	counts         // numbers that grow by the same step from row to row, in both tables
)

// rolesOf returns the role of each column of two tables with rows.
func rolesOf(first, second []Row) []role {
	roles := make([]role, len(first[0]))
	for column := range roles {
		step, isCounted := stepOf(first, column)
		other, isCountedToo := stepOf(second, column)
		switch {
		case isCounted && isCountedToo && step.Cmp(other) == 0:
			roles[column] = counts
		case (distinct(first, column)+distinct(second, column))/2 >= leastDistinct:
			roles[column] = names
		}
	}
	return roles
}

// distinct returns the share of different values among those of a column, from 0 to 1.
func distinct(table []Row, column int) float64 {
	found, different := 0, map[answers.Value]bool{}
	for _, row := range table {
		if row[column].Found() {
			found++
			different[row[column]] = true
		}
	}
	return float64(len(different)) / float64(max(found, 1))
}

// stepOf returns by how much the numbers of a column grow from each row to the next, if that is the same for all. A single row is no
// series.
func stepOf(table []Row, column int) (step *big.Rat, isCounted bool) {
	var last *big.Rat
	for _, row := range table {
		n, ok := new(big.Rat).SetString(row[column].Text)
		if row[column].Type != answers.Number || !ok {
			return nil, false
		}
		if last != nil {
			grows := new(big.Rat).Sub(n, last)
			if grows.Sign() <= 0 || step != nil && step.Cmp(grows) != 0 {
				return nil, false
			}
			step = grows
		}
		last = n
	}
	return step, step != nil
}
