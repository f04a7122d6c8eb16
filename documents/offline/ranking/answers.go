package ranking

import (
	"math"
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// candidate is a value that may be meant.
type Answer struct {
	Value answers.Value
	At    scan.Span
	Score float64 // 0 to 1
	Key   string  // the same for values that mean the same

	Ambiguous bool // found, but to be read in another way perhaps
	NoValue   bool // said in answer, but no value; another one is no better an answer for that
}

const NoValueKey = "\x00" // of all that is void, and of nothing else

const (
	MinScore    = 0.62
	minMargin   = 0.06 // between the best value and any other one
	RepeatBonus = 0.02
	maxScore    = 1.04
)

// choose takes the best value if it is good, and better than the best of the others.
func Best(w *scan.Watch, all []Answer) (Answer, bool) {
	best := map[string]Answer{}
	var keys []string
	for _, c := range all {
		if w.Stopped() {
			return Answer{}, false
		}
		known, ok := best[c.Key]
		if !ok {
			keys = append(keys, c.Key)
			best[c.Key] = c
			continue
		}
		again := math.Max(known.Score, c.Score) + RepeatBonus
		if c.Score > known.Score {
			known = c
		}
		known.Ambiguous = known.Ambiguous && c.Ambiguous
		known.Score = math.Min(again, maxScore)
		best[c.Key] = known
	}
	slices.SortStableFunc(keys, func(a, b string) int { return compareScores(best[b].Score, best[a].Score) })
	if len(keys) == 0 || best[keys[0]].Score < MinScore {
		return Answer{}, false
	}
	first := best[keys[0]]
	for _, k := range keys[1:] {
		if best[k].Score > first.Score-minMargin && !sameName(first, best[k]) {
			return Answer{}, false
		}
	}
	return first, !first.NoValue
}

func compareScores(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// sameName reports that one text is the other with more after it.
func sameName(a, b Answer) bool {
	return a.Value.Type == answers.String && !a.NoValue && !b.NoValue && (strings.HasPrefix(a.Key, b.Key) || strings.HasPrefix(b.Key, a.Key))
}
