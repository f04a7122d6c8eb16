// Package changes compares the whole texts of two documents, clause by clause. It finds the clauses that were added,
// removed or changed, and the words of a changed clause that differ. A clause is a block of a document: a paragraph, a
// heading, a list item, a table row or the like. The comparison ignores spaces and the kinds of blocks.
package changes

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"portside/documents"
)

// Kind says whether a clause was added, removed or changed.
type Kind string

// The kinds.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// Limits of a comparison.
const (
	MaxClauses = 20_000 // of each document; further clauses are not compared
	MaxChanges = 1_000  // of an answer
	// maxWords limits the length of the clauses whose words are compared.
	maxWords = 2_000
	// maxPairs limits how many pairs of a removed and an added clause are compared between two equal clauses.
	// maxAllPairs is the limit for the whole text.
	maxPairs, maxAllPairs = 10_000, 50_000
)

// Change is a clause that differs. First is zero for an added clause, and Second for a removed one.
type Change struct {
	Kind          Kind
	First, Second documents.Block
	// Words are the differences within a changed clause, in the order of its words. It is nil if the clause is too
	// long.
	Words []Words
}

// Words has successive words of the first document, and the words that replace them in the second one. Either may be
// empty.
type Words struct{ First, Second string }

// Changes has the differences between two documents, in the order of the texts.
type Changes struct {
	All       []Change
	Truncated bool // whether there may be more
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

// comparer compares the parts of the texts between anchors.
type comparer struct{ pairsLeft int }

func (c *comparer) between(a, b []clause) (all []Change) {
	for _, d := range lcs.DiffLines(textsOf(a), textsOf(b)) {
		all = append(all, c.pair(a[d.Start:d.End], b[d.ReplStart:d.ReplEnd])...)
	}
	return all
}

// pair returns the changes between two equal clauses. A removed and an added clause with similar words become one
// changed clause.
func (c *comparer) pair(removed, added []clause) (all []Change) {
	partner := c.partners(removed, added)
	next := 0 // index of the next added clause
	for i, old := range removed {
		if partner[i] < 0 {
			all = append(all, Change{Kind: Removed, First: old.block})
			continue
		}
		for ; next < partner[i]; next++ {
			all = append(all, Change{Kind: Added, Second: added[next].block})
		}
		if old.text != added[next].text { // they can be equal, because lcs does not find all equal clauses
			all = append(all, Change{Changed, old.block, added[next].block, wordsBetween(old.words, added[next].words)})
		}
		next++
	}
	for ; next < len(added); next++ {
		all = append(all, Change{Kind: Added, Second: added[next].block})
	}
	return all
}

// partners returns for each removed clause the index of the added clause that it became, or -1. The indexes increase,
// and the sum of the similarities is the largest possible. If there are too many clauses, each is compared only with
// the clause that has the same index.
func (c *comparer) partners(removed, added []clause) []int {
	all := make([]int, len(removed))
	for i := range all {
		all[i] = -1
	}
	pairs := len(removed) * len(added)
	if pairs > min(maxPairs, c.pairsLeft) {
		for i := range min(len(removed), len(added)) {
			if similarity(removed[i].words, added[i].words) >= minSimilarity {
				all[i] = i
			}
		}
		return all
	}
	c.pairsLeft -= pairs
	best := newAlignment(removed, added)
	for i, j := 0, 0; i < len(removed) && j < len(added); {
		switch {
		case best.isPair(i, j):
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

// alignment finds the pairs of removed and added clauses by dynamic programming.
type alignment struct {
	similarities [][]float64 // of each removed and each added clause
	sum          [][]float64 // the largest sum of similarities of the pairs from these two clauses on
}

func newAlignment(removed, added []clause) alignment {
	a := alignment{similarities: make([][]float64, len(removed)), sum: make([][]float64, len(removed)+1)}
	a.sum[len(removed)] = make([]float64, len(added)+1)
	for i := len(removed) - 1; i >= 0; i-- {
		a.sum[i], a.similarities[i] = make([]float64, len(added)+1), make([]float64, len(added))
		for j := len(added) - 1; j >= 0; j-- {
			a.similarities[i][j] = similarity(removed[i].words, added[j].words)
			a.sum[i][j] = max(a.sum[i+1][j], a.sum[i][j+1])
			if a.similarities[i][j] >= minSimilarity {
				a.sum[i][j] = max(a.sum[i][j], a.similarities[i][j]+a.sum[i+1][j+1])
			}
		}
	}
	return a
}

// isPair reports whether removed clause i and added clause j are a pair in the alignment with the largest sum.
func (a alignment) isPair(i, j int) bool {
	return a.similarities[i][j] >= minSimilarity && a.sum[i][j] == a.similarities[i][j]+a.sum[i+1][j+1]
}

// minSimilarity is the similarity from which a removed and an added clause count as one changed clause.
const minSimilarity = 0.5

// similarity returns the share of words that two clauses have in common, from 0 to 1 (the Sørensen–Dice coefficient).
// It compares only the first words of long clauses.
func similarity(a, b []string) float64 {
	const maxCompared = 200
	a, b = a[:min(len(a), maxCompared)], b[:min(len(b), maxCompared)]
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

// wordsBetween returns the words that differ, or nil if there are too many words to compare.
func wordsBetween(a, b []string) (all []Words) {
	if max(len(a), len(b)) > maxWords {
		return nil
	}
	for _, d := range lcs.DiffLines(a, b) {
		all = append(all, Words{strings.Join(a[d.Start:d.End], " "), strings.Join(b[d.ReplStart:d.ReplEnd], " ")})
	}
	return all
}
