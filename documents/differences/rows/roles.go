package rows

import (
	"math/big"

	"portside/documents/answers"
)

// role is what the values of a column say about their rows.
type role int

const (
	describesRow role = iota
	namesRow          // the values differ from row to row, so they identify the row
	numbersRow        // the numbers grow by the same step from row to row, in both tables, so they are line numbers
)

// rolesOf returns the role of each column of two tables, neither of which is empty.
func rolesOf(first, second []Row) []role {
	roles := make([]role, len(first[0]))
	for column := range roles {
		firstStep, isFirstSeries := stepOf(first, column)
		secondStep, isSecondSeries := stepOf(second, column)
		switch {
		case isFirstSeries && isSecondSeries && firstStep.Cmp(secondStep) == 0:
			roles[column] = numbersRow
		case (distinctShare(first, column)+distinctShare(second, column))/2 >= minDistinct:
			roles[column] = namesRow
		}
	}
	return roles
}

// distinctShare returns the number of distinct values of a column as a share of its values, from 0 to 1.
func distinctShare(table []Row, column int) float64 {
	found, distinct := 0, map[answers.Value]bool{}
	for _, row := range table {
		if row[column].Found() {
			found++
			distinct[row[column]] = true
		}
	}
	return float64(len(distinct)) / float64(max(found, 1))
}

// stepOf returns the step by which the numbers of a column grow from each row to the next. It returns false if the
// steps differ, or if the table has only one row.
func stepOf(table []Row, column int) (step *big.Rat, isSeries bool) {
	var last *big.Rat
	for _, row := range table {
		n, ok := new(big.Rat).SetString(row[column].Text)
		if row[column].Type != answers.Number || !ok {
			return nil, false
		}
		if last != nil {
			growth := new(big.Rat).Sub(n, last)
			if growth.Sign() <= 0 || step != nil && step.Cmp(growth) != 0 {
				return nil, false
			}
			step = growth
		}
		last = n
	}
	return step, step != nil
}
