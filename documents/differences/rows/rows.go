// Package rows finds which rows of one table are those of another, so that two versions of a table can be compared row by row. The result
// depends only on the values: it is the same in each run, and with the tables swapped, it is the swapped result.
//
// Rows with the same values are pairs, in the order of the tables. The other rows are compared cell by cell, and the most similar are
// pairs first. A number of the line, which counts the rows, says nothing about the row, because it changes with each inserted line.
package rows

import (
	"cmp"
	"slices"
	"strings"

	"portside/documents/answers"
)

// leastSimilar is the least similarity of a pair, of 1.
const leastSimilar = 0.5

// Row has the value of each column; columns without a value have the zero Value.
type Row []answers.Value

// Pair is a row of both tables, or of one.
type Pair struct {
	First, Second int // the positions in the tables; -1 if the table does not have the row
}

// Match returns the pairs of two tables with the same columns: the rows of the first table in order, then the rows that only the second
// one has. Its time is proportional to the product of the numbers of rows.
func Match(first, second []Row) []Pair {
	m := &matching{ofFirst: unmatched(len(first)), ofSecond: unmatched(len(second))}
	m.matchEqual(first, second)
	if len(first) > 0 && len(second) > 0 {
		roles := rolesOf(first, second)
		m.matchSimilar(cellsOf(first, roles), cellsOf(second, roles))
	}
	var pairs []Pair
	for i, j := range m.ofFirst {
		pairs = append(pairs, Pair{i, j})
	}
	for j, i := range m.ofSecond {
		if i < 0 {
			pairs = append(pairs, Pair{-1, j})
		}
	}
	return pairs
}

// matching is the partner of each row, or -1.
type matching struct {
	ofFirst, ofSecond []int
}

func unmatched(n int) []int { return slices.Repeat([]int{-1}, n) }

func (m *matching) add(i, j int) { m.ofFirst[i], m.ofSecond[j] = j, i }

// matchEqual pairs rows that have the same values, the first with the first.
func (m *matching) matchEqual(first, second []Row) {
	waiting := map[string][]int{}
	for j, row := range second {
		waiting[row.key()] = append(waiting[row.key()], j)
	}
	for i, row := range first {
		if found := waiting[row.key()]; len(found) > 0 {
			m.add(i, found[0])
			waiting[row.key()] = found[1:]
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

// matchSimilar pairs the most similar of the rows without a partner. Of equally similar pairs, those nearer in their tables come first.
// Two of these that share a row never have the same distance and the same sum of positions, so swapped tables give the same pairs.
func (m *matching) matchSimilar(first, second [][]cell) {
	var all []candidate
	for i := range first {
		for j := range second {
			if m.ofFirst[i] >= 0 || m.ofSecond[j] >= 0 {
				continue
			}
			if s := similarity(first[i], second[j]); s >= leastSimilar {
				all = append(all, candidate{Pair{i, j}, s})
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), a.distance()-b.distance(), a.First+a.Second-b.First-b.Second)
	})
	for _, c := range all {
		if m.ofFirst[c.First] < 0 && m.ofSecond[c.Second] < 0 {
			m.add(c.First, c.Second)
		}
	}
}

func (p Pair) distance() int { return max(p.First-p.Second, p.Second-p.First) }
