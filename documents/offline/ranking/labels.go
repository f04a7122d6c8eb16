package ranking

import (
	"slices"

	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
	"portside/documents/offline/scan"
)

// fitted leaves out what is meant for other kinds of documents, and of a description the words that the document never uses:
// they cannot tell one place of it from another.
func Fit(r *index.Index, q *questions.Question) *questions.Question {
	const absent = 0.97
	if q.WithoutEnd != nil {
		Fit(r, q.WithoutEnd)
	}
	q.Patterns = slices.DeleteFunc(q.Patterns, func(p questions.Pattern) bool { return !p.AppliesTo(r.Topic) })
	for i := range q.Patterns {
		p := &q.Patterns[i]
		if !p.FromDescription {
			continue
		}
		var kept []string
		for _, t := range p.Terms {
			if lexicon.IsTerm(t) || lexicon.Contains(r.AllTerms, t) {
				kept = append(kept, t)
				continue
			}
			p.Weight *= absent
		}
		p.Terms = kept
		if len(lexicon.Without(kept, lexicon.GenericTerms)) == 0 {
			p.Weight = 0
		}
	}
	var wanted []string
	for _, p := range q.Patterns {
		wanted = append(wanted, p.Terms...)
	}
	slices.Sort(wanted)
	q.Relevant = r.SimilarTerms(slices.Compact(wanted))
	return q
}

// match tells how well a label asks what the variable asks, and how surely its value belongs to it.
func MatchLabel(q *questions.Question, p *candidates.Pair, topic []string) float64 {
	best := 0.0
	for i := range q.Patterns {
		own := &q.Patterns[i]
		if p.IsSentDate && !q.AsksWhenSent() {
			continue
		}
		if score := own.Weight * coverLabel(q, own.Terms, p, topic); score > best {
			best = score
		}
	}
	return best * p.Weight
}

// What a term does to a match.
const (
	OptionalMissing = 0.97
	knownMissing    = 0.9 // the heading or the title says it
	termMissing     = 0.35
	excludedTerm    = 0.25
	topicExtra      = 0.97
	describedExtra  = 0.96
	otherTermExtra  = 0.76
	otherWordExtra  = 0.84
	gridWordExtra   = 0.91 // what else a row is called; another row that fits as well is still another value
)

func coverLabel(q *questions.Question, wanted []string, p *candidates.Pair, topic []string) float64 {
	score, hits := 1.0, 0
	isBare := q.Shape == questions.DateShape && q.IsSpecific()
	for _, t := range wanted {
		switch {
		case lexicon.Contains(p.Label, t):
			isBare = isBare && slices.Contains(lexicon.GenericTerms, t)
			if q.Shape != questions.MoneyShape || !slices.Contains(lexicon.DocumentTerms, t) {
				hits++ // an amount is not that of an invoice because it stands beside its number
			}
		case slices.Contains(q.Optional, t) && (!p.InGrid || t != "QUANTITY"):
			score *= OptionalMissing
		case t == "DOCUMENT" || lexicon.Contains(p.Heading, t) || lexicon.Contains(topic, t):
			score *= knownMissing
		default:
			score *= termMissing
		}
	}
	if hits == 0 || score < MinScore/2 {
		return 0
	}
	for _, t := range p.Label {
		if lexicon.Contains(wanted, t) {
			continue
		}
		extra := extraTerm(q, t, topic)
		if isBare && qualifies(t, extra) {
			return 0 // the date of something else
		}
		if p.InGrid && extra == otherWordExtra {
			extra = gridWordExtra
		}
		score *= extra
	}
	return score
}

// extra tells what a term of the label means that the variable does not ask for.
func extraTerm(q *questions.Question, t string, topic []string) float64 {
	switch {
	case slices.Contains(q.Excluded, t):
		return excludedTerm
	case scan.IsDigit(t[0]) || lexicon.IsNeutral(t) || slices.Contains(q.Optional, t):
		return 1
	case slices.Contains(q.DescriptionTerms, t):
		return describedExtra
	case slices.Contains(lexicon.DocumentTerms, t) && slices.Contains(topic, t):
		return topicExtra
	case lexicon.IsTerm(t):
		return otherTermExtra
	}
	return otherWordExtra
}

// qualifies reports a term that says of what a label has the date, if it is not what the variable asks of.
func qualifies(t string, extra float64) bool {
	return (extra == otherTermExtra || extra == otherWordExtra) && !slices.Contains(lexicon.GenericTerms, t) && !slices.Contains(anyDate, t)
}

// anyDate are what labels of dates say besides of what they have it: that it is that of the document itself.
var anyDate = []string{"DOCUMENT", "doc"}
