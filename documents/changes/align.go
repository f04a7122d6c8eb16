package changes

import (
	"slices"
	"sort"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// comparison has the texts of two documents, and which of their words are the same.
type comparison struct {
	a, b  *text
	moved int // passages that are elsewhere in the second document
}

// align finds the words that both texts have, in their order, and then the passages that moved.
func align(a, b *text) comparison {
	c := comparison{a: a, b: b}
	c.between(span{0, len(a.words)}, span{0, len(b.words)}, 0)
	slide(a, b)
	slide(b, a)
	c.unmatchChance()
	c.matchMoved()
	a.unmatchStrangers(b)
	b.unmatchStrangers(a)
	c.matchMoved()
	for _, t := range []*text{a, b} {
		t.isSeen = make([]bool, len(t.blocks))
		for i, w := range t.words {
			t.isSeen[w.block] = t.isSeen[w.block] || w.isText && t.match[i] != unmatched
		}
	}
	return c
}

func (c *comparison) pair(i, j int) { c.a.match[i], c.b.match[j] = j, i }

// phraseLengths are the lengths of the phrases that divide texts into parts, in words. A phrase divides two texts if it
// occurs exactly once in each and in the same order. This is the patience algorithm of Bram Cohen, for phrases.
var phraseLengths = [...]int{8, 4, 2, 1}

// between matches the words of two spans. It divides them at phrases, first at long ones.
func (c *comparison) between(x, y span, level int) {
	for ; x.from < x.to && y.from < y.to && c.a.ids[x.from] == c.b.ids[y.from]; x.from, y.from = x.from+1, y.from+1 {
		c.pair(x.from, y.from)
	}
	for ; x.from < x.to && y.from < y.to && c.a.ids[x.to-1] == c.b.ids[y.to-1]; x.to, y.to = x.to-1, y.to-1 {
		c.pair(x.to-1, y.to-1)
	}
	if x.from == x.to || y.from == y.to {
		return
	}
	if level == len(phraseLengths) {
		for _, s := range equalRuns(c.a.ids[x.from:x.to], c.b.ids[y.from:y.to]) {
			for n := range s.length {
				c.pair(x.from+s.first+n, y.from+s.second+n)
			}
		}
		return
	}
	n := phraseLengths[level]
	from := anchor{x.from, y.from}
	for _, at := range anchors(c.a.ids[x.from:x.to], c.b.ids[y.from:y.to], n) {
		to := anchor{x.from + at.first, y.from + at.second}
		if to.first < from.first || to.second < from.second {
			continue // it overlaps the last phrase
		}
		c.between(span{from.first, to.first}, span{from.second, to.second}, level+1)
		for k := range n {
			c.pair(to.first+k, to.second+k)
		}
		from = anchor{to.first + n, to.second + n}
	}
	c.between(span{from.first, x.to}, span{from.second, y.to}, level+1)
}

// equalRun is a run of equal words.
type equalRun struct{ first, second, length int }

// equalRuns returns the runs that two texts have in common, in their order.
func equalRuns(a, b []rune) (all []equalRun) {
	i, j := 0, 0
	for _, d := range append(lcs.DiffRunes(a, b), lcs.Diff{Start: len(a), End: len(a), ReplStart: len(b), ReplEnd: len(b)}) {
		all = append(all, equalRun{i, j, d.Start - i})
		i, j = d.End, d.ReplEnd
	}
	return all
}

// anchor is a phrase that both texts have, by its position in each of them.
type anchor struct{ first, second int }

// anchors returns the phrases of n words that occur exactly once in each text and in the same order in both.
func anchors(a, b []rune, n int) []anchor {
	inSecond := uniquePhrases(b, n)
	var common []anchor
	for hash, first := range uniquePhrases(a, n) {
		second, isCommon := inSecond[hash]
		if isCommon && first >= 0 && second >= 0 && slices.Equal(a[first:first+n], b[second:second+n]) {
			common = append(common, anchor{first, second})
		}
	}
	sort.Slice(common, func(i, j int) bool { return common[i].first < common[j].first })
	return longestIncreasing(common)
}

// uniquePhrases returns the position of each phrase of n words that occurs once, by its hash, and -1 for others.
func uniquePhrases(ids []rune, n int) map[uint64]int {
	positions := make(map[uint64]int, len(ids))
	for i := range len(ids) - n + 1 {
		h := hash(ids[i : i+n])
		if _, isKnown := positions[h]; isKnown {
			positions[h] = -1
		} else {
			positions[h] = i
		}
	}
	return positions
}

// hash is that of Fowler, Noll and Vo (FNV-1a).
func hash(ids []rune) uint64 {
	h := uint64(14695981039346656037)
	for _, id := range ids {
		h = (h ^ uint64(id)) * 1099511628211
	}
	return h
}

// longestIncreasing returns the longest subsequence of anchors whose second positions increase.
func longestIncreasing(all []anchor) []anchor {
	ends := []int{}                 // for each length, the last anchor of the subsequence with the lowest end
	before := make([]int, len(all)) // for each anchor, the previous anchor of its subsequence, or -1
	for i, at := range all {
		n := sort.Search(len(ends), func(n int) bool { return all[ends[n]].second >= at.second })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	longest := make([]anchor, len(ends))
	if len(ends) == 0 {
		return nil
	}
	for i, n := ends[len(ends)-1], len(ends)-1; n >= 0; i, n = before[i], n-1 {
		longest[n] = all[i]
	}
	return longest
}

// minPassage is the number of successive words that are not the same by chance.
const minPassage = 5

// unmatchStrangers undoes the matches of blocks that have fewer than half of their words in the other text, and no
// passage: they have them by chance.
func (t *text) unmatchStrangers(other *text) {
	for from := 0; from < len(t.words); {
		block := span{from, from}
		for block.to < len(t.words) && t.words[block.to].block == t.words[from].block {
			block.to++
		}
		if !t.isFamiliar(block) {
			t.unmatch(block, other)
		}
		from = block.to
	}
}

// isFamiliar reports whether the other text has half of the words of a span, or a passage.
func (t *text) isFamiliar(s span) bool {
	words, same, run := 0, 0, 0
	for i := s.from; i < s.to && run < minPassage; i++ {
		if !t.words[i].isText {
			continue
		}
		words++
		if t.match[i] != unmatched {
			same, run = same+1, run+1
		} else {
			run = 0
		}
	}
	return 2*same >= words || run >= minPassage
}

func (t *text) unmatch(s span, other *text) {
	for i := s.from; i < s.to; i++ {
		if j := t.match[i]; j >= 0 {
			t.match[i], other.match[j] = unmatched, unmatched
		}
	}
}

// What match says about words that have no partner at their place.
const (
	unmatched = -1
	moved     = -2 // it is part of a passage that is elsewhere in the other text
)

// minMoved is the least number of words of a sentence that counts as the same if it is elsewhere. Names of companies,
// which may end with a full stop too, are shorter.
const minMoved = 4

// matchMoved finds passages without a match that are elsewhere in the other text.
func (c *comparison) matchMoved() {
	inSecond := map[uint64]int{}
	for j := range c.b.words {
		if h, ok := c.b.unmatchedPhrase(j); ok {
			inSecond[h] = j
		}
	}
	for i := 0; i < len(c.a.words); i++ {
		h, ok := c.a.unmatchedPhrase(i)
		if !ok {
			continue
		}
		if j, isCommon := inSecond[h]; isCommon {
			i = max(i, c.move(i, j)-1)
		}
	}
}

// unmatchedPhrase returns the hash of the first words from a position, if none of them has a match.
func (t *text) unmatchedPhrase(at int) (uint64, bool) {
	if at+minMoved > len(t.words) || len(t.blocks[t.words[at].block].Cells) > 0 || !t.areUnmatched(span{at, at + minMoved}) {
		return 0, false
	}
	return hash(t.ids[at : at+minMoved]), true
}

func (t *text) areUnmatched(s span) bool {
	for _, m := range t.match[s.from:s.to] {
		if m != unmatched {
			return false
		}
	}
	return true
}

// move marks the longest passage that both texts have around two positions, if it is one or more whole sentences, and
// returns its end in the first text. Other passages, such as the names of two parties, change the meaning if they change
// places.
func (c *comparison) move(i, j int) int {
	isSame := func(i, j int) bool {
		return i >= 0 && j >= 0 && i < len(c.a.words) && j < len(c.b.words) &&
			c.a.match[i] == unmatched && c.b.match[j] == unmatched && c.a.ids[i] == c.b.ids[j]
	}
	x, y := span{i, i}, span{j, j}
	for ; isSame(x.from-1, y.from-1); x.from, y.from = x.from-1, y.from-1 {
	}
	for ; isSame(x.to, y.to); x.to, y.to = x.to+1, y.to+1 {
	}
	words := 0
	for _, w := range c.a.words[x.from:x.to] {
		if w.isText {
			words++
		}
	}
	if words < minMoved || !c.endSentence(x.to-1, y.to-1) || !c.beginSentence(x.from, y.from) {
		return i
	}
	for k := range x.to - x.from {
		c.a.match[x.from+k], c.b.match[y.from+k] = moved, moved
	}
	c.moved++
	return x.to
}

// maxShared is the number of words at the beginning or the end of a moved sentence that can equal those of another one.
const maxShared = 6

// endSentence reports whether both texts have the same words from two positions to the end of a sentence.
func (c *comparison) endSentence(i, j int) bool {
	for n := 0; n <= maxShared && i < len(c.a.words) && j < len(c.b.words) && c.a.ids[i] == c.b.ids[j]; n++ {
		if c.a.endsSentence(i) {
			return true
		}
		i, j = i+1, j+1
	}
	return false
}

// beginSentence reports whether both texts have the same words from the beginning of a sentence to two positions.
func (c *comparison) beginSentence(i, j int) bool {
	for n := 0; n <= maxShared && i >= 0 && j >= 0 && c.a.ids[i] == c.b.ids[j]; n++ {
		if c.a.begins(i) || c.b.begins(j) {
			return true
		}
		i, j = i-1, j-1
	}
	return false
}

func (t *text) endsSentence(at int) bool {
	switch t.words[at].key {
	case ".", "!", "?":
		return true
	}
	return false
}
