// Package rows matches the rows of two versions of a table, so that they can be compared row by row. The result depends
// only on the values, so it is the same in each run. If the tables are swapped, the pairs are the same, also swapped.
//
// Rows with the same values become pairs first, in the order of the tables. The remaining rows are compared cell by
// cell, and the most similar rows become pairs. Line numbers are ignored, because an inserted line changes all numbers
// after it.
package rows

import (
	"cmp"
	"slices"
	"strings"

	"portside/documents/answers"
)

// minSimilarity is the similarity, from 0 to 1, below which two rows or two names do not match.
const minSimilarity = 0.5

// Row has the value of each column; columns without a value have the zero Value.
type Row []answers.Value

// Pair is a row that both tables have, or only one of them.
type Pair struct {
	First, Second int // the positions in the tables; -1 if the table does not have the row
}

// Match returns the pairs of two tables with the same columns: first each row of the first table, in order, then the
// rows that only the second table has. The time is proportional to the product of the numbers of rows.
func Match(first, second []Row) []Pair {
	m := &matching{inSecond: unmatched(len(first)), inFirst: unmatched(len(second))}
	m.matchEqual(first, second)
	if len(first) > 0 && len(second) > 0 {
		roles := rolesOf(first, second)
		m.matchSimilar(cellsOf(first, roles), cellsOf(second, roles))
	}
	var pairs []Pair
	for i, j := range m.inSecond {
		pairs = append(pairs, Pair{i, j})
	}
	for j, i := range m.inFirst {
		if i < 0 {
			pairs = append(pairs, Pair{-1, j})
		}
	}
	return pairs
}

// matching has the partner of each row, or -1.
type matching struct {
	inSecond []int // the partners of the rows of the first table
	inFirst  []int // the partners of the rows of the second table
}

func unmatched(n int) []int { return slices.Repeat([]int{-1}, n) }

func (m *matching) add(i, j int) { m.inSecond[i], m.inFirst[j] = j, i }

// matchEqual pairs rows that have the same values. If several rows are equal, it pairs them in order.
func (m *matching) matchEqual(first, second []Row) {
	unpaired := map[string][]int{} // the rows of the second table, by key
	for j, row := range second {
		unpaired[row.key()] = append(unpaired[row.key()], j)
	}
	for i, row := range first {
		if found := unpaired[row.key()]; len(found) > 0 {
			m.add(i, found[0])
			unpaired[row.key()] = found[1:]
		}
	}
}

// key is equal for rows with the same values.
func (r Row) key() string {
	var b strings.Builder
	for _, v := range r {
		b.WriteString(string(v.Type))
		b.WriteByte(0)
		b.WriteString(v.Text)
		b.WriteByte(0)
	}
	return b.String()
}

// candidate is a pair that may be chosen.
type candidate struct {
	Pair
	similarity float64
}

// matchSimilar pairs the rows without a partner, the most similar rows first. Among equally similar pairs, the pair
// with the nearest positions comes first, and then the pair with the lowest positions. Two pairs that share a row
// differ in one of the two, so the result does not depend on which table is the first.
func (m *matching) matchSimilar(first, second [][]cell) {
	var all []candidate
	for i := range first {
		for j := range second {
			if m.inSecond[i] >= 0 || m.inFirst[j] >= 0 {
				continue
			}
			if s := similarity(first[i], second[j]); s >= minSimilarity {
				all = append(all, candidate{Pair{i, j}, s})
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), a.distance()-b.distance(), a.First+a.Second-b.First-b.Second)
	})
	for _, c := range all {
		if m.inSecond[c.First] < 0 && m.inFirst[c.Second] < 0 {
			m.add(c.First, c.Second)
		}
	}
}

func (p Pair) distance() int { return max(p.First-p.Second, p.Second-p.First) }
