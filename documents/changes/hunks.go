package changes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/lazyregexp"
)

// hunk is words of the first text that differ from those at the same place in the second one.
type hunk struct{ a, b span }

// hunks returns all differences.
func (c *comparison) hunks() (all []hunk) {
	for i, j := 0, 0; i < len(c.a.words) || j < len(c.b.words); {
		h := hunk{c.a.unmatchedFrom(i), c.b.unmatchedFrom(j)}
		if h.a.from < h.a.to || h.b.from < h.b.to {
			all = append(all, h)
		}
		i, j = h.a.to, h.b.to
		isMovedA, isMovedB := i < len(c.a.words) && c.a.match[i] == moved, j < len(c.b.words) && c.b.match[j] == moved
		if isMovedA || !isMovedB && i < len(c.a.words) {
			i++
		}
		if isMovedB || !isMovedA && j < len(c.b.words) {
			j++
		}
	}
	return all
}

// unmatchedFrom returns the words from a position that have no match.
func (t *text) unmatchedFrom(at int) span {
	to := at
	for to < len(t.words) && t.match[to] == unmatched {
		to++
	}
	return span{at, to}
}

// realHunks returns the differences in words. It leaves out those in layout only. Two formats may
// order the columns of a page and the cells of a table differently.
func (c *comparison) realHunks(isOtherFormat bool) []hunk {
	all := c.withoutSameCharacters(c.hunks())
	if isOtherFormat {
		all = c.withoutOrder(all)
	}
	return c.withoutListNumbers(slices.DeleteFunc(all, c.isFurniture))
}

// isFurniture reports whether only one text has the words, and they are headers, footers and page numbers.
func (c *comparison) isFurniture(h hunk) bool {
	words := slices.Concat(c.a.words[h.a.from:h.a.to], c.b.words[h.b.from:h.b.to])
	isOneSided := h.a.from == h.a.to || h.b.from == h.b.to
	return isOneSided && (c.a.phrases.is(words) || c.b.phrases.is(words))
}

// Limits of neighbors: differences that are looked at together, and the equal words between two of them.
const (
	maxNeighbors = 5
	maxBetween   = 4
)

// withoutSameCharacters leaves out neighboring differences in which both texts have the same characters except
// spaces, quotation marks and hyphens, as in "data base" and "data-\nbase".
func (c *comparison) withoutSameCharacters(all []hunk) (fewer []hunk) {
	for len(all) > 0 {
		n := c.sameCharacters(all[:min(len(all), maxNeighbors)])
		if n == 0 {
			fewer, n = append(fewer, all[0]), 1
		}
		all = all[n:]
	}
	return fewer
}

// sameCharacters returns how many of the first neighbors together have the same characters, or 0.
func (c *comparison) sameCharacters(all []hunk) int {
	for i, last := range all {
		if i > 0 && !c.areNeighbors(all[i-1], last, maxBetween) {
			return 0
		}
		if c.haveSameCharacters(hunk{span{all[0].a.from, last.a.to}, span{all[0].b.from, last.b.to}}) {
			return i + 1
		}
	}
	return 0
}

// areNeighbors reports whether there are at most n words between two differences, the same in both texts.
func (c *comparison) areNeighbors(x, y hunk, n int) bool {
	between := y.a.from - x.a.to
	if between > n || between != y.b.from-x.b.to {
		return false
	}
	for k := range between {
		if c.a.match[x.a.to+k] != x.b.to+k {
			return false
		}
	}
	return true
}

// haveSameCharacters compares a difference together with the words around it.
func (c *comparison) haveSameCharacters(h hunk) bool {
	if h.a.from > 0 && c.a.match[h.a.from-1] == h.b.from-1 {
		h.a.from, h.b.from = h.a.from-1, h.b.from-1
	}
	if h.a.to < len(c.a.words) && c.a.match[h.a.to] == h.b.to {
		h.a.to, h.b.to = h.a.to+1, h.b.to+1
	}
	return c.a.characters(h.a) == c.b.characters(h.b)
}

// characters returns the words of a span without spaces, quotation marks and hyphens. A space between two digits counts.
func (t *text) characters(s span) string {
	var b strings.Builder
	var last rune
	for i, w := range t.words[s.from:s.to] {
		next := s.from + i + 1
		if w.key == `"` || w.key == "-" && unicode.IsLetter(last) && next < s.to && unicode.IsLetter(firstRune(t.words[next].key)) {
			continue
		}
		if unicode.IsDigit(last) && unicode.IsDigit(firstRune(w.key)) {
			b.WriteByte(' ')
		}
		b.WriteString(strings.ReplaceAll(w.key, "'", ""))
		last, _ = utf8.DecodeLastRuneInString(w.key)
	}
	return b.String()
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// listNumber matches the parts of the numbers and letters in front of list items and clauses.
var listNumber = lazyregexp.New(`^(\d{1,3}(\.\d{1,3})*|[A-Za-z]|[ivxIVX]+|[().])$`)

// minListNumbers is how many numbers a text lacks if its format does not write them, as they come from a style.
const minListNumbers = 3

// withoutListNumbers leaves out the numbers of clauses if one of the documents lacks several of them.
func (c *comparison) withoutListNumbers(all []hunk) []hunk {
	inFirst := func(h hunk) bool { return c.a.lacksListNumbers(h.a, c.b, h.b) }
	inSecond := func(h hunk) bool { return c.b.lacksListNumbers(h.b, c.a, h.a) }
	for _, areNumbers := range []func(hunk) bool{inFirst, inSecond} {
		n := 0
		for _, h := range all {
			if areNumbers(h) {
				n += len(c.a.pieces(h.a)) + len(c.b.pieces(h.b))
			}
		}
		if n >= minListNumbers {
			all = slices.DeleteFunc(all, areNumbers)
		}
	}
	return all
}

// lacksListNumbers reports whether a span is numbers in front of lines, most of which the other text does not have. They
// may be in front of a line only in the other text.
func (t *text) lacksListNumbers(s span, other *text, there span) bool {
	return s.from < s.to && 2*(there.to-there.from) < s.to-s.from &&
		areListNumbers(t.words[s.from:s.to]) && areListNumbers(other.words[there.from:there.to]) &&
		(t.beginsLine(s.from) || there.to < len(other.words) && other.beginsLine(there.to))
}

func areListNumbers(words []word) bool {
	return !slices.ContainsFunc(words, func(w word) bool { return !listNumber().MatchString(w.key) })
}

// beginsLine reports whether a word is the first of its block or of a line in it.
func (t *text) beginsLine(at int) bool {
	w := t.words[at]
	return t.beginsBlock(at) || strings.Contains(t.blocks[w.block].Text[t.words[at-1].end:w.start], "\n")
}

// slide moves words that only one text has to the beginning of a line or sentence, if that changes nothing: of
// "One. Two. Two." and "One. Two.", it does not matter which words are removed.
func slide(t, other *text) {
	for at := 0; at < len(t.words); {
		s := t.unmatchedFrom(at)
		at = s.to + 1
		if s.from == s.to || t.begins(s.from) {
			continue
		}
		if steps := t.stepsToBeginning(s, other, 1); steps > 0 {
			for i := range steps {
				t.rematch(s.to+i, s.from+i, other)
			}
			at += steps
			continue
		}
		for i := range t.stepsToBeginning(s, other, -1) {
			t.rematch(s.from-1-i, s.to-1-i, other)
		}
	}
}

// stepsToBeginning returns by how many words a span must slide to the right or, with a direction of -1, to the left, until it
// begins with a line or sentence. It returns 0 if it cannot.
func (t *text) stepsToBeginning(s span, other *text, direction int) int {
	const maxSteps = 100
	for steps := 1; steps <= maxSteps; steps++ {
		first, end := s.from+steps-1, s.to+steps-1 // the word that leaves the span, and the one that enters it
		if direction < 0 {
			first, end = s.to-steps, s.from-steps
		}
		if !t.canSlide(first, end, other, direction) {
			return 0
		}
		if t.begins(s.from + direction*steps) {
			return steps
		}
	}
	return 0
}

// rematch gives the match of a word to an equal word that has none.
func (t *text) rematch(from, to int, other *text) {
	j := t.match[from]
	t.match[to], t.match[from], other.match[j] = j, unmatched, to
}

// begins reports whether a word is the first of a line or a sentence.
func (t *text) begins(at int) bool {
	return at < len(t.words) && (t.beginsLine(at) || t.endsSentence(at-1))
}

// canSlide reports whether the word that leaves a span of words equals the one that enters it, whose neighbor beyond the span
// has a match too.
func (t *text) canSlide(leaves, enters int, other *text, direction int) bool {
	if enters < 0 || enters >= len(t.words) {
		return false
	}
	j := t.match[enters]
	before := j - direction
	return j >= 0 && t.ids[leaves] == t.ids[enters] && (before < 0 || before >= len(other.match) || other.match[before] != unmatched)
}

// withoutOrder leaves out differences whose words are also in the other text, at most maxApart words away, if there is a
// table or a whole line among them.
func (c *comparison) withoutOrder(all []hunk) (fewer []hunk) {
	const maxApart = 60
	for len(all) > 0 {
		n, isLayout := 1, c.a.isLaidOut(all[0].a) || c.b.isLaidOut(all[0].b)
		for n < len(all) && all[n].a.from-all[n-1].a.to <= maxApart && all[n].b.from-all[n-1].b.to <= maxApart {
			isLayout = isLayout || c.a.isLaidOut(all[n].a) || c.b.isLaidOut(all[n].b)
			n++
		}
		if isLayout {
			fewer = append(fewer, c.withoutCommon(all[:n])...)
		} else {
			fewer = append(fewer, all[:n]...)
		}
		all = all[n:]
	}
	return fewer
}

// isLaidOut reports whether words are in a table, or are whole lines. List numbers alone are not.
func (t *text) isLaidOut(s span) bool {
	return !areListNumbers(t.words[s.from:s.to]) && (t.blocks[t.words[s.from].block].Kind == documents.Row ||
		t.beginsLine(s.from) && (s.to == len(t.words) || t.beginsLine(s.to)))
}

// withoutCommon leaves out the differences all of whose words are on the other side of differences too.
func (c *comparison) withoutCommon(all []hunk) (fewer []hunk) {
	inFirst, inSecond := map[string]int{}, map[string]int{}
	for _, h := range all {
		for _, w := range c.a.words[h.a.from:h.a.to] {
			inFirst[w.key]++
		}
		for _, w := range c.b.words[h.b.from:h.b.to] {
			inSecond[w.key]++
		}
	}
	take := func(words []word, from map[string]int) bool {
		hasAll := true
		for _, w := range words {
			from[w.key]--
			hasAll = hasAll && from[w.key] >= 0
		}
		return hasAll
	}
	for _, h := range all {
		hasFirst := take(c.a.words[h.a.from:h.a.to], inSecond)
		if hasSecond := take(c.b.words[h.b.from:h.b.to], inFirst); !hasFirst || !hasSecond {
			fewer = append(fewer, h)
		}
	}
	return fewer
}

// unmatchChance undoes the matches of few words between long differences, and between one and the end of the texts: these are
// the same by chance.
func (c *comparison) unmatchChance() {
	const long, maxChance = 3, 2
	size := func(h hunk) int { return max(h.a.to-h.a.from, h.b.to-h.b.from) }
	var last hunk
	for _, h := range c.hunks() {
		if size(h) < long || size(last) < long || !c.areNeighbors(last, h, maxChance) {
			last = h
			continue
		}
		c.a.unmatch(span{last.a.to, h.a.from}, c.b)
		last.a.to, last.b.to = h.a.to, h.b.to
	}
	end := span{last.a.to, len(c.a.words)}
	if min(last.a.to-last.a.from, last.b.to-last.b.from) >= long && end.to-end.from <= maxChance {
		c.a.unmatch(end, c.b)
	}
}
