package summary

import (
	"slices"
	"strings"
)

// sample returns as many sentences as can be compared: those that match the hint first, then some
// of every section, including its first.
func sample(sentences []sentence, hint map[string]bool) []sentence {
	if len(sentences) <= maxCompared {
		return sentences
	}
	taken := make([]bool, len(sentences))
	left := maxCompared - takeMatching(sentences, hint, taken)
	step := (len(sentences) + left - 1) / left
	section, at := -1, 0
	for i := range sentences {
		if sentences[i].section != section {
			section, at = sentences[i].section, 0
		}
		taken[i] = taken[i] || at%step == 0
		at++
	}
	return evenly(sentences, taken)
}

// takeMatching marks sentences that contain a stem of the hint, up to half of maxCompared, and
// returns how many.
func takeMatching(sentences []sentence, hint map[string]bool, taken []bool) int {
	const minStemBytes = 4
	count := 0
	stems := make([]string, 0, len(hint))
	for stem := range hint {
		if len(stem) >= minStemBytes {
			stems = append(stems, stem)
		}
	}
	for i := range sentences {
		if count == maxCompared/2 {
			break
		}
		lower := strings.ToLower(sentences[i].text)
		if slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(lower, stem) }) {
			taken[i] = true
			count++
		}
	}
	return count
}

// evenly leaves out sentences at regular intervals if there are still too many.
func evenly(sentences []sentence, taken []bool) []sentence {
	var kept []sentence
	for i, is := range taken {
		if is {
			kept = append(kept, sentences[i])
		}
	}
	if len(kept) <= maxCompared {
		return kept
	}
	few := make([]sentence, maxCompared)
	for i := range few {
		few[i] = kept[i*len(kept)/maxCompared]
	}
	return few
}
