// Package changes compares the texts of two documents word by word. It finds the clauses that were added, removed or
// changed, and the words that differ. A clause is a block of a document: a paragraph, a heading, a list item, a table
// row or the like.
//
// The same words are the same text however they are laid out. So the comparison ignores how words are divided into
// lines, paragraphs and pages, the page numbers and other text that repeats on each page, the forms of quotation marks,
// dashes, spaces and hyphens, and sentences that stand elsewhere. Two files of data with different names for their
// values are the same if they have the same values.
package changes

import (
	"strings"

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
	MaxWords   = 400_000 // and punctuation marks of each document; further ones are not compared
	MaxChanges = 1_000   // of an answer
)

// Change is a clause that differs. First is zero for an added clause, and Second for a removed one.
type Change struct {
	Kind          Kind
	First, Second documents.Block
	Words         []Words // the differences within a changed clause, in the order of its words
}

// Words has successive words of the first document, and the words that replace them in the second one. Either may be
// empty.
type Words struct{ First, Second string }

// Changes has the differences between two documents, in the order of the texts.
type Changes struct {
	All       []Change
	Moved     int  // passages that stand elsewhere in the second document; they are no changes
	Truncated bool // whether there may be more
}

// Between compares two documents.
func Between(first, second *documents.Document) Changes {
	ids := map[string]rune{} // of the normal forms of words
	skipFirst, skipSecond := ignore(first, second)
	if isData(first) && isData(second) {
		skipFirst.zeros, skipSecond.zeros = true, true
		skipFirst.blocks = sameUnderOtherNames(first, valuesOf(second, ids), ids)
		skipSecond.blocks = sameUnderOtherNames(second, valuesOf(first, ids), ids)
	}
	a, moreA := newText(first, skipFirst, ids)
	b, moreB := newText(second, skipSecond, ids)
	c := align(a, b)
	r := report{comparison: c, byBlocks: map[[2]int]int{}}
	for _, h := range c.realHunks(first.Format != second.Format) {
		r.add(h)
	}
	found := Changes{r.all, c.moved, moreA || moreB}
	if len(found.All) > MaxChanges {
		found.All, found.Truncated = found.All[:MaxChanges], true
	}
	return found
}

// report turns hunks into changes.
type report struct {
	comparison
	all      []Change
	byBlocks map[[2]int]int // the position in all of a changed clause, by its blocks in the two documents
}

// add reports a hunk. Blocks of which no word is in the other document are added or removed clauses. Other words
// changed within their blocks.
func (r *report) add(h hunk) {
	var first, second []string
	blockA, blockB := -1, -1 // the blocks of words that changed
	isWhole := !r.a.hasPart(h.a) && !r.b.hasPart(h.b)
	for _, p := range r.a.pieces(h.a) {
		if p.isWhole {
			r.all = append(r.all, Change{Kind: Removed, First: r.a.blocks[p.block]})
			continue
		}
		first = append(first, p.text)
		if blockA < 0 {
			blockA = p.block
		}
	}
	for _, p := range r.b.pieces(h.b) {
		// A removed part of a paragraph and a whole paragraph in its place are one change.
		if p.isWhole && (isWhole || blockA < 0 || second != nil) {
			r.all = append(r.all, Change{Kind: Added, Second: r.b.blocks[p.block]})
			continue
		}
		second = append(second, p.text)
		if blockB < 0 {
			blockB = p.block
		}
	}
	if first == nil && second == nil {
		return
	}
	if blockA < 0 {
		blockA = r.a.blockAt(h.a.to, r.b.beginsBlock(h.b.from))
	}
	if blockB < 0 {
		blockB = r.b.blockAt(h.b.to, r.a.beginsBlock(h.a.from))
	}
	r.change(blockA, blockB, Words{strings.Join(first, " "), strings.Join(second, " ")})
}

// change adds words to the change between two blocks.
func (r *report) change(blockA, blockB int, w Words) {
	at, isKnown := r.byBlocks[[2]int{blockA, blockB}]
	if !isKnown {
		at = len(r.all)
		r.byBlocks[[2]int{blockA, blockB}] = at
		r.all = append(r.all, Change{Kind: Changed, First: r.a.blocks[blockA], Second: r.b.blocks[blockB]})
	}
	r.all[at].Words = append(r.all[at].Words, w)
}
