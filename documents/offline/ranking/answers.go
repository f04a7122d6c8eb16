package ranking

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// Answer is a value that may answer a question.
type Answer struct {
	Value answers.Value
	At    scan.Span
	Score float64 // 0 to 1
	Key   string  // equal for values that mean the same

	Ambiguous bool // the text has a second reading that is less likely
	NoValue   bool // the text answers the question, but not with a value; it still rules out worse answers
}

// NoValueKey is the key of all answers without a value.
const NoValueKey = "\x00"

// MinScore is the least score of an answer. RepeatBonus is added if the document repeats a value.
const (
	MinScore    = 0.62
	minLead     = 0.06 // between the best value and every other one
	RepeatBonus = 0.02
	maxScore    = 1.04
)

// Ranked returns the answers without repetitions, the one with the highest score first. Repetitions of a value raise
// its score.
func Ranked(w *scan.Watch, all []Answer) []Answer {
	best := map[string]Answer{}
	var keys []string
	for _, a := range all {
		if w.Stopped() {
			return nil
		}
		known, ok := best[a.Key]
		if !ok {
			keys = append(keys, a.Key)
			best[a.Key] = a
			continue
		}
		score := math.Max(known.Score, a.Score) + RepeatBonus
		if a.Score > known.Score {
			known = a
		}
		known.Ambiguous = known.Ambiguous && a.Ambiguous
		known.Score = math.Min(score, maxScore)
		best[a.Key] = known
	}
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(best[b].Score, best[a].Score) })
	ranked := make([]Answer, len(keys))
	for i, k := range keys {
		ranked[i] = best[k]
	}
	return ranked
}

// Best returns the first of ranked answers. ok is false if its score is below MinScore, if
// another value is almost as good, or if the best answer has no value.
func Best(ranked []Answer) (first Answer, ok bool) {
	if len(ranked) == 0 || ranked[0].Score < MinScore {
		return Answer{}, false
	}
	first = ranked[0]
	for _, a := range ranked[1:] {
		if a.Score > first.Score-minLead && !sameName(first, a) {
			return Answer{}, false
		}
	}
	return first, !first.NoValue
}

// sameName reports whether one of two texts begins with the other.
func sameName(a, b Answer) bool {
	return a.Value.Type == answers.String && !a.NoValue && !b.NoValue &&
		(strings.HasPrefix(a.Key, b.Key) || strings.HasPrefix(b.Key, a.Key))
}
