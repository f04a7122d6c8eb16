// Package changes compares the whole texts of two documents, clause by clause: which clauses were added, removed or changed, and which
// words of a changed clause differ. A clause is a block of a document: a paragraph, a heading, a list item, a table row or the like. Spaces
// and the kinds of blocks make no difference.
package changes

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"portside/documents"
)

// Kind is what has happened to a clause.
type Kind string

// The kinds.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// Limits of a comparison. Documents with more clauses are compared as far as the limit, and an answer has no more changes.
const (
	MaxClauses = 20_000
	MaxChanges = 1_000
	// maxWords limits the words of a clause that are compared.
	maxWords = 2_000
	// maxPairs limits the pairs of removed and added clauses that are compared, in one place and in the whole text.
	maxPairs, maxAllPairs = 10_000, 50_000
)

// Change is a clause that differs. First is zero for an added clause, and Second for a removed one.
type Change struct {
	Kind          Kind
	First, Second documents.Block
	// Words are the differences of a changed clause, in its order; none if it is too long.
	Words []Words
}

// Words are successive words of the first document that the second document has others for. One of the two may be empty.
type Words struct{ First, Second string }

// Changes are the differences of two documents, in the order of the texts.
type Changes struct {
	All       []Change
	Truncated bool // there are more
}

// Between compares two documents.
func Between(first, second *documents.Document) Changes {
	a, b := clauses(first), clauses(second)
	found := Changes{Truncated: len(a) > MaxClauses || len(b) > MaxClauses}
	a, b = a[:min(len(a), MaxClauses)], b[:min(len(b), MaxClauses)]
	c := comparer{pairsLeft: maxAllPairs}
	from := anchor{}
	for _, to := range append(anchors(a, b), anchor{len(a), len(b)}) {
		found.All = append(found.All, c.between(a[from.first:to.first], b[from.second:to.second])...)
		from = anchor{to.first + 1, to.second + 1}
	}
	if len(found.All) > MaxChanges {
		found.All, found.Truncated = found.All[:MaxChanges], true
	}
	return found
}

// clause is a block with its words.
type clause struct {
	block documents.Block
	words []string
	text  string // the words with single spaces
}

// clauses returns the blocks of a document that have words.
func clauses(d *documents.Document) []clause {
	var all []clause
	for _, b := range d.Blocks {
		if words := strings.Fields(b.Text); len(words) > 0 {
			all = append(all, clause{b, words, strings.Join(words, " ")})
		}
	}
	return all
}

func textsOf(all []clause) []string {
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = c.text
	}
	return texts
}

// comparer compares what stands between equal clauses.
type comparer struct{ pairsLeft int }

func (c *comparer) between(a, b []clause) (all []Change) {
	for _, d := range lcs.DiffLines(textsOf(a), textsOf(b)) {
		all = append(all, c.pair(a[d.Start:d.End], b[d.ReplStart:d.ReplEnd])...)
	}
	return all
}

// pair finds out which of the added clauses are removed ones with other words.
func (c *comparer) pair(removed, added []clause) (all []Change) {
	partner := c.partners(removed, added)
	next := 0 // of the added clauses
	for i, old := range removed {
		if partner[i] < 0 {
			all = append(all, Change{Kind: Removed, First: old.block})
			continue
		}
		for ; next < partner[i]; next++ {
			all = append(all, Change{Kind: Added, Second: added[next].block})
		}
		if old.text != added[next].text {
			all = append(all, Change{Changed, old.block, added[next].block, wordsBetween(old.words, added[next].words)})
		}
		next++
	}
	for ; next < len(added); next++ {
		all = append(all, Change{Kind: Added, Second: added[next].block})
	}
	return all
}

// partners returns for each removed clause the number of the added clause that it became, or -1. The numbers rise, and the sum of the
// similarities is the largest possible. If there are too many clauses, each is compared only with the one at its own place.
func (c *comparer) partners(removed, added []clause) []int {
	all := make([]int, len(removed))
	for i := range all {
		all[i] = -1
	}
	pairs := len(removed) * len(added)
	if pairs > min(maxPairs, c.pairsLeft) {
		for i := range min(len(removed), len(added)) {
			if similarity(removed[i].words, added[i].words) >= leastSimilarity {
				all[i] = i
			}
		}
		return all
	}
	c.pairsLeft -= pairs
	best := newTable(removed, added)
	for i, j := 0, 0; i < len(removed) && j < len(added); {
		switch {
		case best.pairs(i, j):
			all[i] = j
			i, j = i+1, j+1
		case best.sum[i+1][j] >= best.sum[i][j+1]:
			i++
		default:
			j++
		}
	}
	return all
}

// table has the largest sum of similarities of the clauses from i and j on.
type table struct {
	sum, alike [][]float64
}

func newTable(removed, added []clause) table {
	t := table{make([][]float64, len(removed)+1), make([][]float64, len(removed))}
	t.sum[len(removed)] = make([]float64, len(added)+1)
	for i := len(removed) - 1; i >= 0; i-- {
		t.sum[i], t.alike[i] = make([]float64, len(added)+1), make([]float64, len(added))
		for j := len(added) - 1; j >= 0; j-- {
			t.alike[i][j] = similarity(removed[i].words, added[j].words)
			t.sum[i][j] = max(t.sum[i+1][j], t.sum[i][j+1])
			if t.alike[i][j] >= leastSimilarity {
				t.sum[i][j] = max(t.sum[i][j], t.alike[i][j]+t.sum[i+1][j+1])
			}
		}
	}
	return t
}

// pairs reports whether the best sum pairs i with j.
func (t table) pairs(i, j int) bool {
	return t.alike[i][j] >= leastSimilarity && t.sum[i][j] == t.alike[i][j]+t.sum[i+1][j+1]
}

// leastSimilarity is that of clauses which are the same one with other words.
const leastSimilarity = 0.5

// similarity returns how many words two clauses share, from 0 to 1 (the Sørensen–Dice coefficient). It takes only their first words.
func similarity(a, b []string) float64 {
	const enough = 200
	a, b = a[:min(len(a), enough)], b[:min(len(b), enough)]
	left := map[string]int{}
	for _, word := range a {
		left[word]++
	}
	shared := 0
	for _, word := range b {
		if left[word] > 0 {
			left[word]--
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(a)+len(b))
}

// wordsBetween returns the words that differ.
func wordsBetween(a, b []string) (all []Words) {
	if max(len(a), len(b)) > maxWords {
		return nil
	}
	for _, d := range lcs.DiffLines(a, b) {
		all = append(all, Words{strings.Join(a[d.Start:d.End], " "), strings.Join(b[d.ReplStart:d.ReplEnd], " ")})
	}
	return all
}
