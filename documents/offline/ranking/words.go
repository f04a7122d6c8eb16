package ranking

import (
	"slices"

	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
)

// matchWords tells how well the words around a value answer the variable. Words with other meanings are common in running
// text; only those that the concept excludes count against it.
func MatchWords(q *questions.Question, words []lexicon.Mention, topic []string) float64 {
	const most = 14
	words = words[max(0, len(words)-most):]
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

func coverWords(q *questions.Question, wanted, said, topic []string) float64 {
	score, hits := 1.0, 0
	for _, t := range wanted {
		switch {
		case lexicon.Contains(said, t):
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
	for _, t := range said {
		if !slices.Contains(wanted, t) && slices.Contains(q.Excluded, t) {
			score *= excludedTerm
		}
	}
	return score
}

// phraseAt matches the best pattern with the words that begin at i.
func PhraseAt(q *questions.Question, words []lexicon.Mention, i int) (end int, score float64) {
	const reachWords = 4
	for n := 1; n <= reachWords && i+n <= len(words); n++ {
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
