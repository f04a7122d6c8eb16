package ranking

import (
	"slices"

	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
	"portside/documents/offline/scan"
)

// The factors that a term contributes to the score of a label.
const (
	OptionalMissing = 0.97
	knownMissing    = 0.9 // the heading or the title has the term
	termMissing     = 0.35
	excludedTerm    = 0.25
	topicExtra      = 0.97
	describedExtra  = 0.96
	otherTermExtra  = 0.76
	otherWordExtra  = 0.84
	gridWordExtra   = 0.91 // names of rows often have more words
)

// Fit returns the question without patterns for other kinds of documents, and with the terms of the
// document that are relevant for it.
func Fit(doc *index.Index, q *questions.Question) *questions.Question {
	fitted := *q
	if q.WithoutEnd != nil {
		fitted.WithoutEnd = Fit(doc, q.WithoutEnd)
	}
	fitted.Patterns = slices.DeleteFunc(slices.Clone(q.Patterns), func(p questions.Pattern) bool { return !p.AppliesTo(doc.Topic) })
	for i := range fitted.Patterns {
		if fitted.Patterns[i].FromDescription {
			fitPattern(doc, &fitted.Patterns[i])
		}
	}
	var wanted []string
	for _, p := range fitted.Patterns {
		wanted = append(wanted, p.Terms...)
	}
	slices.Sort(wanted)
	fitted.Relevant = doc.SimilarTerms(slices.Compact(wanted))
	return &fitted
}

// fitPattern removes words of a description that the document never uses, because they cannot tell
// two labels apart.
func fitPattern(doc *index.Index, p *questions.Pattern) {
	const absentWeight = 0.97
	var kept []string
	for _, t := range p.Terms {
		if lexicon.IsTerm(t) || lexicon.Contains(doc.AllTerms, t) {
			kept = append(kept, t)
			continue
		}
		p.Weight *= absentWeight
	}
	p.Terms = kept
	if len(lexicon.Without(kept, lexicon.GenericTerms)) == 0 {
		p.Weight = 0
	}
}

// MatchLabel scores how well the label of a pair answers a question, and how surely its value
// belongs to it. topic has the terms of the document's title.
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

// coverLabel scores one pattern: it multiplies the factors of wanted terms that the label lacks,
// and of other terms that it has.
func coverLabel(q *questions.Question, wanted []string, p *candidates.Pair, topic []string) float64 {
	score, hits := 1.0, 0
	isBare := q.Shape == questions.DateShape && q.IsSpecific()
	for _, t := range wanted {
		switch {
		case lexicon.Contains(p.Label, t):
			isBare = isBare && slices.Contains(lexicon.GenericTerms, t)
			if q.Shape != questions.MoneyShape || !slices.Contains(lexicon.DocumentTerms, t) {
				hits++ // the word invoice beside an amount proves nothing
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

// extraTerm returns the factor of a term of the label that the pattern does not have.
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

// anyDate are terms that any label of a date may have.
var anyDate = []string{"DOCUMENT", "doc"}

// qualifies reports a term that makes the label name a date of something else.
func qualifies(t string, extra float64) bool {
	return (extra == otherTermExtra || extra == otherWordExtra) && !slices.Contains(lexicon.GenericTerms, t) &&
		!slices.Contains(anyDate, t)
}
