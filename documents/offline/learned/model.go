package learned

import (
	"cmp"
	"slices"

	"portside/documents/answers"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
)

// Kind is a kind of values. Each has separate trees.
type Kind string

// The kinds.
const (
	Dates     Kind = "dates"
	Amounts   Kind = "amounts" // of money
	Numbers   Kind = "numbers"
	Durations Kind = "durations"
	Codes     Kind = "codes" // identifiers
	Names     Kind = "names"
	Laws      Kind = "laws"   // laws and places of jurisdiction
	Titles    Kind = "titles" // of documents
	Addresses Kind = "addresses"
	AnyTexts  Kind = "texts"
)

// Kinds are all kinds.
var Kinds = []Kind{Dates, Amounts, Numbers, Durations, Codes, Names, Laws, Titles, Addresses, AnyTexts}

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
	case q.Shape == questions.TitleShape:
		return Titles
	case q.Shape == questions.AddressShape:
		return Addresses
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
	IsLikely bool // has a label, a rule or a place that few candidates have
}

// Candidates returns the candidates of a question as if the document did not have some of the answers.
func (r *Reader) Candidates(q *questions.Question, rules Rules, isGone func(ranking.Answer) bool) []Candidate {
	rules = rules.without(isGone)
	left := slices.DeleteFunc(r.candidates(q, rules), func(c candidate) bool { return isGone(c.answer) })
	found := r.described(q, left, rules, allFormulas)
	all := make([]Candidate, len(found))
	for i := range found {
		f := &found[i].features
		isLikely := slices.ContainsFunc([]int{bestLabel, ruleScore, inFirstPieces, hasLegalForm, afterLaws, hasDocumentWord},
			func(feature int) bool { return f[feature] > 0 })
		all[i] = Candidate{found[i].answer, *f, isLikely}
	}
	return all
}

// described sets the features of candidates.
func (r *Reader) described(q *questions.Question, all []candidate, rules Rules, used formulaSet) []candidate {
	for i := range all {
		if r.ix.Watch.Stopped() {
			return nil
		}
		r.describe(q, &all[i], used)
	}
	compare(q, all)
	compareWithRules(all, rules)
	return all
}

// Likely is the least probability of an answer.
const Likely = 0.65

// Rank returns the possible answers to a question, the likeliest first. The trees give the probabilities. Then rules for
// values without a label and for cells of tables raise or lower some of them. If the first answer is also that of the rules,
// it has the place that they found, because that has a label.
func (r *Reader) Rank(q *questions.Question, rules Rules) []ranking.Answer {
	model := modelOf(KindOf(q))
	found := r.described(q, r.candidates(q, rules), rules, model.formulas)
	scores := make([]float64, len(found))
	list := make([]ranking.Answer, len(found))
	for i := range found {
		scores[i], list[i] = model.trees.Score(&found[i].features), found[i].answer
	}
	ranked := Calibrate(q, Ranked(list, Probabilities(scores)))
	ranked = doubtUnrelated(q, ranked, found)
	ranked = r.preferRounded(q, ranked)
	ranked = r.raiseOnly(q, ranked, found, rules)
	ranked = r.raiseHead(q, ranked)
	ranked = raiseCross(ranked, found)
	ranked = r.raiseCounted(q, ranked, found)
	ranked = r.raiseCell(q, ranked, found)
	ranked = r.doubtRepeated(q, ranked)
	if len(ranked) > 0 && rules.Found && rules.Ranked[0].Key == ranked[0].Key {
		p := ranked[0].Score
		ranked[0] = rules.Ranked[0]
		ranked[0].Score = p
	}
	return ranked
}

// Calibrate corrects the probabilities that the cross-validation showed to be too high or too low. For addresses and titles,
// it also replaces the first answer by a longer variant.
//
// The trees divide a probability of 1 among all answers and no answer. But a question can have several right answers:
// an agreement has two or more parties. So the best party gets the probability of the second one too. Durations are
// halved if the trees are not sure, because only 4 of 10 durations with a probability below 0.9 were right.
func Calibrate(q *questions.Question, ranked []ranking.Answer) []ranking.Answer {
	const sureDuration, doubtFactor = 0.9, 0.5
	switch {
	case len(ranked) > 1 && q.Shape == questions.NameShape && lexicon.Contains(q.NameTerms, "PARTY"):
		ranked[0].Score += ranked[1].Score
	case KindOf(q) == Durations:
		for i := range ranked {
			if ranked[i].Score < sureDuration {
				ranked[i].Score *= doubtFactor
			}
		}
	case q.Shape == questions.AddressShape || q.Shape == questions.TitleShape:
		return joinVariants(ranked)
	}
	return ranked
}

// joinVariants gives the best of the ranked answers the probabilities of the others at its place: an address with and
// without its last line is one address. The longest variant with at least half of the probability of the best one takes its
// place, and the others are removed.
func joinVariants(ranked []ranking.Answer) []ranking.Answer {
	const minShare = 0.5 // of the probability of the best variant
	if len(ranked) == 0 {
		return nil
	}
	best, total := ranked[0], 0.0
	longest, others := best, []ranking.Answer{}
	for _, a := range ranked {
		if a.At.Start >= best.At.End || best.At.Start >= a.At.End {
			others = append(others, a)
			continue
		}
		total += a.Score
		if a.Score >= minShare*best.Score && a.At.Len() > longest.At.Len() {
			longest = a
		}
	}
	longest.Score = total
	return append([]ranking.Answer{longest}, others...)
}

// Ranked returns the answers without repetitions, the one with the highest probability first, at the place with the
// highest probability. Scores are probabilities. The probabilities of equal answers add up.
func Ranked(list []ranking.Answer, probabilities []float64) []ranking.Answer {
	type group struct {
		answer ranking.Answer
		top    float64 // the highest probability of a place
	}
	byKey := map[string]int{}
	var groups []group
	for i, a := range list {
		p := probabilities[i]
		at, isKnown := byKey[a.Key]
		if !isKnown {
			byKey[a.Key] = len(groups)
			a.Score = p
			groups = append(groups, group{a, p})
			continue
		}
		sum := groups[at].answer.Score + p
		if p > groups[at].top {
			groups[at] = group{a, p}
		}
		groups[at].answer.Score = sum
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.answer.Score, a.answer.Score), cmp.Compare(b.top, a.top))
	})
	ranked := make([]ranking.Answer, len(groups))
	for i := range groups {
		ranked[i] = groups[i].answer
	}
	return ranked
}
