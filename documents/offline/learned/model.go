package learned

import (
	"slices"

	"portside/documents/answers"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
)

// Kind is a kind of values. Each has trees of its own.
type Kind string

// The kinds.
const (
	Dates     Kind = "dates"
	Amounts   Kind = "amounts" // of money
	Numbers   Kind = "numbers"
	Durations Kind = "durations"
	Codes     Kind = "codes" // identifiers
	Names     Kind = "names"
	Laws      Kind = "laws" // laws and places of jurisdiction
	AnyTexts  Kind = "texts"
)

// Kinds are all kinds.
var Kinds = []Kind{Dates, Amounts, Numbers, Durations, Codes, Names, Laws, AnyTexts}

// KindOf returns the kind of values that answer a question.
func KindOf(q *questions.Question) Kind {
	switch {
	case q.Shape == questions.DurationShape:
		return Durations
	case q.Shape == questions.LawShape || q.Concept == "jurisdiction":
		return Laws
	case q.Variable.Type == answers.Date:
		return Dates
	case q.Variable.Type == answers.Number && q.Shape == questions.MoneyShape:
		return Amounts
	case q.Variable.Type == answers.Number:
		return Numbers
	case q.Shape == questions.IDShape:
		return Codes
	case q.Shape == questions.NameShape:
		return Names
	}
	return AnyTexts
}

// Rules is what the rules say about a question.
type Rules struct {
	Ranked []ranking.Answer // the best first
	Found  bool             // the first is the answer; otherwise the rules have none, or the best contradict each other
}

// without returns what the rules would say if the document did not have some of the answers.
func (r Rules) without(isGone func(ranking.Answer) bool) Rules {
	if r.Found && isGone(r.Ranked[0]) {
		return Rules{}
	}
	r.Ranked = slices.DeleteFunc(slices.Clone(r.Ranked), isGone)
	return r
}

// Candidate is a value with its features, for training.
type Candidate struct {
	Answer   ranking.Answer
	Features Features
}

// Candidates returns the candidates of a question as if the document did not have some of the answers.
func (r *Reader) Candidates(q *questions.Question, rules Rules, isGone func(ranking.Answer) bool) []Candidate {
	rules = rules.without(isGone)
	left := slices.DeleteFunc(r.candidates(q, rules), func(c candidate) bool { return isGone(c.answer) })
	found := r.described(q, left, rules)
	all := make([]Candidate, len(found))
	for i := range found {
		all[i] = Candidate{found[i].answer, found[i].features}
	}
	return all
}

// described sets the features of candidates.
func (r *Reader) described(q *questions.Question, all []candidate, rules Rules) []candidate {
	for i := range all {
		if r.ix.Watch.Stopped() {
			return nil
		}
		r.describe(q, &all[i])
	}
	compare(q, all)
	compareWithRules(all, rules)
	return all
}

// Likely is the least probability of an answer.
const Likely = 0.7

// Find returns the answer to a question with the highest probability. ok is false if its probability is below Likely. The score of
// the answer is the probability.
func (r *Reader) Find(q *questions.Question, rules Rules) (best ranking.Answer, ok bool) {
	found := r.described(q, r.candidates(q, rules), rules)
	scores := make([]float64, len(found))
	trees := treesOf()[KindOf(q)]
	list := make([]ranking.Answer, len(found))
	for i := range found {
		scores[i], list[i] = trees.Score(&found[i].features), found[i].answer
	}
	best, _ = Best(list, Probabilities(scores))
	if rules.Found && rules.Ranked[0].Key == best.Key {
		p := best.Score
		best = rules.Ranked[0] // whose place has a label
		best.Score = p
	}
	return best, best.Score >= Likely
}

// Best returns the answer with the highest probability and its index, or -1. Equal answers add up.
func Best(list []ranking.Answer, probabilities []float64) (best ranking.Answer, index int) {
	byKey := map[string]float64{}
	for i := range list {
		byKey[list[i].Key] += probabilities[i]
	}
	index = -1
	for i := range list {
		p := byKey[list[i].Key]
		if index < 0 || p > best.Score || p == best.Score && probabilities[i] > probabilities[index] {
			index, best = i, list[i]
			best.Score = p
		}
	}
	return best, index
}
