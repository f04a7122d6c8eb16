package ranking

import (
	"slices"

	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
)

// MatchWords scores how well the words around a value answer a question. Words with other meanings
// are common in running text, so only the terms that the concept excludes count against it.
func MatchWords(q *questions.Question, words []lexicon.Mention, topic []string) float64 {
	const maxWords = 14
	words = words[max(0, len(words)-maxWords):]
	terms := make([]string, 0, len(words))
	for _, m := range words {
		if !m.Filler {
			terms = append(terms, m.Term)
		}
	}
	best := 0.0
	for _, p := range q.Patterns {
		best = max(best, p.Weight*coverWords(q, p.Terms, terms, topic))
	}
	return best
}

// coverWords scores one pattern.
func coverWords(q *questions.Question, wanted, present, topic []string) float64 {
	score, hits := 1.0, 0
	for _, t := range wanted {
		switch {
		case lexicon.Contains(present, t):
			if !slices.Contains(q.Optional, t) && !slices.Contains(lexicon.GenericTerms, t) {
				hits++
			}
		case slices.Contains(q.Optional, t):
			score *= OptionalMissing
		case lexicon.Contains(topic, t):
			score *= knownMissing
		default:
			score *= termMissing
		}
	}
	if hits == 0 {
		return 0
	}
	for _, t := range present {
		if !slices.Contains(wanted, t) && slices.Contains(q.Excluded, t) {
			score *= excludedTerm
		}
	}
	return score
}

// PhraseAt matches the words that begin at index i with the patterns. It returns where the longest
// match ends, and its weight; the weight is 0 if there is no match.
func PhraseAt(q *questions.Question, words []lexicon.Mention, i int) (end int, score float64) {
	const maxWords = 4
	for n := 1; n <= maxWords && i+n <= len(words); n++ {
		if last := &words[i+n-1]; !last.Filler && !q.Relevant[last.Term] {
			break // no pattern has it
		}
		terms := lexicon.LabelTerms(words[i : i+n])
		for _, p := range q.Patterns {
			if lexicon.SameTerms(p.Terms, terms) && p.Weight >= score {
				end, score = words[i+n-1].At.End, p.Weight
			}
		}
	}
	return end, score
}
