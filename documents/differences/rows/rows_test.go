package rows_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portside/documents/answers"
	"portside/documents/differences/rows"
)

// table returns rows from lines whose cells are separated by "|". A number becomes a value of type Number, and an empty
// cell has no value.
func table(lines ...string) []rows.Row {
	var all []rows.Row
	for _, line := range lines {
		var row rows.Row
		for text := range strings.SplitSeq(line, "|") {
			v := answers.Value{Type: answers.String, Text: text}
			if _, err := strconv.ParseFloat(text, 64); err == nil {
				v.Type = answers.Number
			}
			if text == "" {
				v = answers.Value{}
			}
			row = append(row, v)
		}
		all = append(all, row)
	}
	return all
}

func TestMatch(t *testing.T) {
	for name, test := range map[string]struct {
		first, second []rows.Row
		want          []rows.Pair
	}{
		"empty tables":    {nil, nil, nil},
		"only the first":  {table("pump|10"), nil, []rows.Pair{{0, -1}}},
		"only the second": {nil, table("pump|10"), []rows.Pair{{-1, 0}}},
		"another order":   {table("pump|10", "hose|20"), table("hose|20", "pump|10"), []rows.Pair{{0, 1}, {1, 0}}},
		"equal rows twice": {table("pump|10", "pump|10", "hose|5"), table("pump|10", "hose|5"),
			[]rows.Pair{{0, 0}, {1, -1}, {2, 1}}},
		"another price": {
			table("pump|2|10|20", "hose|1|5|5"), table("pump|2|11|22", "hose|1|5|5"), []rows.Pair{{0, 0}, {1, 1}},
		},
		"everything but the name is new": {
			table("pump|2|10|20", "hose|1|5|5"), table("valve|1|5|5", "pump|3|11|33"), []rows.Pair{{0, 1}, {1, -1}, {-1, 0}},
		},
		"a longer name": {
			table("steel pump|10", "hose|20"), table("steel pump, red|10", "hose|20"), []rows.Pair{{0, 0}, {1, 1}},
		},
		"an inserted row, with line numbers": {
			table("1|pump|10", "2|hose|20", "3|valve|30"), table("1|pump|10", "2|filter|15", "3|hose|20", "4|valve|31"),
			[]rows.Pair{{0, 0}, {1, 2}, {2, 3}, {-1, 1}},
		},
		"a repeated unit does not name rows": {
			table("pump|pcs|2|10", "hose|pcs|1|5", "tube|pcs|8|7"), table("valve|pcs|2|12", "hose|pcs|1|5", "tube|pcs|8|7"),
			[]rows.Pair{{0, -1}, {1, 1}, {2, 2}, {-1, 0}},
		},
		"no texts": {
			table("20260101|50", "20260103|70"), table("20260103|75", "20260101|50"), []rows.Pair{{0, 1}, {1, 0}},
		},
		"missing cells": {table("pump|10|", "hose||5"), table("pump||", "hose|20|5"), []rows.Pair{{0, 0}, {1, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rows.Match(test.first, test.second); !slices.Equal(got, test.want) {
				t.Errorf("pairs %v, want %v", got, test.want)
			}
		})
	}
}

// randomTable returns rows with a few different values, so that many rows are similar.
func randomTable(random *rand.Rand) []rows.Row {
	words := []string{"", "red pump", "blue pump", "hose", "pump, red", "valve"}
	var lines []string
	for range random.IntN(9) {
		lines = append(lines, words[random.IntN(len(words))]+"|"+strconv.Itoa(random.IntN(4))+"|"+words[random.IntN(len(words))])
	}
	return table(lines...)
}

// TestMatchInvariants checks with random tables that each row is in one pair, that a table equals itself, and that
// swapped tables have swapped pairs.
func TestMatchInvariants(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		first, second := randomTable(random), randomTable(random)
		pairs := rows.Match(first, second)
		checkOnce(t, pairs, len(first), len(second))
		var swapped []rows.Pair
		for _, p := range rows.Match(second, first) {
			swapped = append(swapped, rows.Pair{First: p.Second, Second: p.First})
		}
		order := func(a, b rows.Pair) int { return (a.First-b.First)*100 + a.Second - b.Second }
		slices.SortFunc(pairs, order)
		slices.SortFunc(swapped, order)
		if !slices.Equal(pairs, swapped) {
			t.Fatalf("pairs %v, with swapped tables %v, of %v and %v", pairs, swapped, first, second)
		}
		for i, p := range rows.Match(first, first) {
			if p.First != i || !slices.Equal(first[p.First], first[p.Second]) {
				t.Fatalf("a table differs from itself: %v in %v", p, first)
			}
		}
	}
}

// checkOnce reports rows that are not in exactly one pair.
func checkOnce(t *testing.T, pairs []rows.Pair, first, second int) {
	t.Helper()
	var ofFirst, ofSecond []int
	for _, p := range pairs {
		if p.First >= 0 {
			ofFirst = append(ofFirst, p.First)
		}
		if p.Second >= 0 {
			ofSecond = append(ofSecond, p.Second)
		}
	}
	for _, side := range []struct {
		found []int
		n     int
	}{{ofFirst, first}, {ofSecond, second}} {
		slices.Sort(side.found)
		if len(side.found) != side.n || len(slices.Compact(side.found)) != side.n {
			t.Fatalf("the pairs %v do not contain each of %d rows exactly once", pairs, side.n)
		}
	}
}

// FuzzMatch checks that each row of any two tables is in one pair.
func FuzzMatch(f *testing.F) {
	f.Add("1|pump|10\n2|hose|20", "1|pump|11\n2|valve|20")
	f.Add("1|İ|\n2||0.5", "2|ß|1e3\n-1|SS|")
	f.Fuzz(func(t *testing.T, a, b string) {
		first, second := fuzzed(a), fuzzed(b)
		checkOnce(t, rows.Match(first, second), len(first), len(second))
	})
}

// fuzzed returns a table of three columns.
func fuzzed(text string) []rows.Row {
	var lines []string
	for line := range strings.Lines(text) {
		cells := append(strings.SplitN(strings.TrimRight(line, "\n"), "|", 3), "", "")
		cells[2] = strings.ReplaceAll(cells[2], "|", "")
		lines = append(lines, strings.Join(cells[:3], "|"))
	}
	return table(lines[:min(len(lines), 50)]...)
}
