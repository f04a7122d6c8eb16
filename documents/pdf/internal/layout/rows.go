package layout

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// row is the words on one baseline, from left to right.
type row struct {
	words    []word
	baseline float64
	size     float64
}

// joinRows puts words on common baselines, from top to bottom. A smaller word that is raised or lowered,
// like an exponent, belongs to the row beside it.
func joinRows(words []word) []row {
	sorted := slices.Clone(words)
	slices.SortStableFunc(sorted, func(a, b word) int { return cmp.Compare(a.baseline, b.baseline) })
	var rows []row
	for _, w := range sorted {
		if n := len(rows) - 1; n >= 0 && rows[n].accepts(w) {
			rows[n].add(w)
			continue
		}
		rows = append(rows, row{[]word{w}, w.baseline, w.size})
	}
	rows = joinRaised(rows)
	for i := range rows {
		slices.SortStableFunc(rows[i].words, func(a, b word) int { return cmp.Compare(a.left, b.left) })
	}
	return rows
}

// joinRaised moves the words of a smaller row that are raised above the row below, like exponents, to
// that row.
func joinRaised(rows []row) []row {
	const maxSize, maxRaise = 0.8, 0.5
	joined := rows[:0:0]
	for i, r := range rows {
		isRaised := i+1 < len(rows) && r.size < maxSize*rows[i+1].size &&
			rows[i+1].baseline-r.baseline <= maxRaise*rows[i+1].size &&
			!slices.ContainsFunc(r.words, func(w word) bool { return !rows[i+1].touches(w) })
		if isRaised {
			rows[i+1].words = append(rows[i+1].words, r.words...)
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// accepts reports whether the next word by height belongs to the row.
func (r *row) accepts(w word) bool {
	smaller, larger := min(w.size, r.size), max(w.size, r.size)
	shift := w.baseline - r.baseline
	if smaller >= 0.8*larger {
		return shift <= 0.35*smaller
	}
	return shift <= 0.1*smaller || shift <= min(0.5*larger, 0.9*smaller) && r.touches(w)
}

// touches reports whether the word is close beside one of the last words of the row.
func (r *row) touches(w word) bool {
	const maxCompared = 64
	const maxOverlap, maxGap = 0.3, 0.5
	for _, other := range r.words[max(0, len(r.words)-maxCompared):] {
		em := min(w.size, other.size)
		gapAfter, gapBefore := w.left-other.right, other.left-w.right
		if gapAfter > -maxOverlap*em && gapAfter < maxGap*em || gapBefore > -maxOverlap*em && gapBefore < maxGap*em {
			return true
		}
	}
	return false
}

// add adds a word. The largest word determines the baseline.
func (r *row) add(w word) {
	if w.size > r.size {
		r.baseline, r.size = w.baseline, w.size
	}
	r.words = append(r.words, w)
}

// splitAt returns the words that begin left of x, and the rest.
func (r *row) splitAt(x float64) (left, right []word) {
	i := sort.Search(len(r.words), func(i int) bool { return r.words[i].left >= x })
	return r.words[:i], r.words[i:]
}

// isClearAt reports whether no word crosses x.
func (r *row) isClearAt(x float64) bool {
	before, _ := r.splitAt(x)
	return !slices.ContainsFunc(before, func(w word) bool { return w.right > x-0.25*r.size })
}

// isOneSided reports whether all words are on the same side of x.
func (r *row) isOneSided(x float64) bool {
	before, after := r.splitAt(x)
	return (len(before) > 0) != (len(after) > 0)
}

// isJustified reports whether the gaps between the words are equal and wider than a space, as in a
// justified line.
func (r *row) isJustified() bool {
	narrowest, widest, gaps := math.Inf(1), 0.0, 0
	for i := 1; i < len(r.words); i++ {
		gap := r.words[i].left - r.words[i-1].right
		if gap < minSpace*r.size {
			continue // between parts of one word
		}
		narrowest, widest, gaps = min(narrowest, gap), max(widest, gap), gaps+1
	}
	return gaps >= 2 && widest < 1.12*narrowest && widest < 5*r.size
}
