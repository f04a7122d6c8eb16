package summary

import (
	"slices"
	"strings"
)

// sample leaves as many sentences as can be compared: what the hint asks for first, then some of every section, its first
// always, evenly spread.
func sample(sentences []sentence, hint map[string]bool) []sentence {
	if len(sentences) <= maxCompared {
		return sentences
	}
	taken := make([]bool, len(sentences))
	left := maxCompared - takeAsked(sentences, hint, taken)
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

// takeAsked marks sentences with a word that begins like one of the hint's stems, up to half of all.
func takeAsked(sentences []sentence, hint map[string]bool, taken []bool) int {
	const shortestStem = 4
	count := 0
	stems := make([]string, 0, len(hint))
	for stem := range hint {
		if len(stem) >= shortestStem {
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

// evenly drops some of those that are still too many, as many sections have their first.
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
