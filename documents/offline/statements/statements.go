package statements

import (
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/dates"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// subject is what a statement must be about.
type subject struct {
	terms []string
	duty  bool // the question asks what must or will be so
}

// Reader finds statements in one document.
type Reader struct {
	doc     *index.Index
	set     *candidates.Set
	values  *values.Reader
	stances stanceReader
}

// NewReader returns a Reader for a document.
func NewReader(doc *index.Index, set *candidates.Set, v *values.Reader) *Reader {
	return &Reader{doc, set, v, stanceReader{doc}}
}

// Answers returns an answer for each place that says yes or no to the question. If no place does, it
// returns nil.
func (r *Reader) Answers(q *questions.Question) []ranking.Answer {
	var all []ranking.Answer
	for i := range q.Patterns {
		if p := &q.Patterns[i]; p.Weight > 0 {
			all = append(all, r.claims(q, p)...)
		}
	}
	return all
}

// claims returns the answers to one wording of the question.
func (r *Reader) claims(q *questions.Question, asked *questions.Pattern) []ranking.Answer {
	wanted, flips := splitClaim(q, asked.Terms)
	if len(wanted) == 0 {
		return nil
	}
	about := subject{terms: wanted, duty: asksForDuty(q, asked)}
	relevant := r.doc.SimilarTerms(slices.Concat(wanted, taxWords(wanted)))
	plain := *q // the question without words for a negation or a state
	plain.Patterns = []questions.Pattern{{Terms: wanted, Weight: asked.Weight}}
	plain.Relevant = relevant
	asksForState := slices.ContainsFunc(asked.Terms, func(t string) bool { return slices.Contains(q.Optional, t) })
	all := slices.Concat(r.fromPairs(&plain, about), r.boxes(&plain), r.fromSentences(&plain, about, asked, asksForState))
	if r.doc.Watch.Stopped() {
		return nil
	}
	if flips {
		for i := range all {
			all[i] = newAnswer(all[i].Value.Text != "true", all[i].At, all[i].Score)
		}
	}
	return all
}

// fromPairs returns the answers of labels with their values.
func (r *Reader) fromPairs(q *questions.Question, about subject) []ranking.Answer {
	var all []ranking.Answer
	for i := range r.set.Pairs {
		if r.doc.Watch.Stopped() {
			return nil
		}
		if !lexicon.AnyIn(q.Relevant, r.set.Pairs[i].Label) {
			continue
		}
		if a, ok := r.pairAnswer(q, &r.set.Pairs[i], about); ok {
			all = append(all, a)
		}
	}
	return all
}

// fromSentences returns the answers of sentences. If the question asks for a state, a sentence
// without one does not answer.
func (r *Reader) fromSentences(q *questions.Question, about subject, asked *questions.Pattern,
	asksForState bool) []ranking.Answer {
	var all []ranking.Answer
	for _, s := range r.set.Sentences {
		if r.doc.Watch.Stopped() {
			return nil
		}
		if !r.doc.MentionsAny(q.Relevant, s) {
			continue
		}
		a, ok := r.claimIn(about, s)
		if ok && (!asksForState || r.hasState(a.At)) && !r.isRequirement(asked.Terms, a.At) {
			a.Score *= asked.Weight
			all = append(all, a)
		}
	}
	return all
}

// taxWords returns terms that imply tax or inclusion: a gross price includes the tax.
func taxWords(wanted []string) []string {
	if slices.Contains(wanted, "TAX") || slices.Contains(wanted, "INCLUDED") {
		return []string{"GROSS", "NET"}
	}
	return nil
}

// splitClaim returns the terms that a statement must be about. flips is true if the question asks
// whether something is not so.
func splitClaim(q *questions.Question, terms []string) (wanted []string, flips bool) {
	flips = slices.Contains(terms, "NOT")
	if less := lexicon.Without(terms, append([]string{"NOT", "is", "are", "does"}, q.Optional...)); len(less) > 0 {
		return less, flips
	}
	return lexicon.Without(terms, []string{"NOT"}), flips
}

// newAnswer returns true or false as an answer.
func newAnswer(value bool, at scan.Span, score float64) ranking.Answer {
	text := "false"
	if value {
		text = "true"
	}
	return ranking.Answer{Value: answers.Value{Type: answers.Boolean, Text: text}, At: at, Score: score, Key: text}
}

// pairAnswer reads yes, no, a check box or a state beside a label.
func (r *Reader) pairAnswer(q *questions.Question, p *candidates.Pair, asked subject) (ranking.Answer, bool) {
	score := ranking.MatchLabel(q, p, r.doc.Topic)
	if score < ranking.MinScore-ranking.RepeatBonus {
		return ranking.Answer{}, false
	}
	at := p.Value
	value, ok := readYesNo(at.In(r.doc.Text))
	if ok && value && r.stances.isLimited(r.doc.MentionsIn(at)) {
		return ranking.Answer{}, false
	}
	if !ok {
		at = firstStatement(r.doc.Text, at)
		value, ok = r.stateIn(at, p.Label, asked)
		score *= 0.9
	}
	if !ok {
		return ranking.Answer{}, false
	}
	switch r.stances.stanceOf(p.LabelAt, scan.Span{}, p.Label) {
	case denies:
		value = !value
	case depends:
		return ranking.Answer{}, false
	}
	return newAnswer(value, r.values.Clause(at), score), true
}

// firstStatement ends a span after its first sentence.
func firstStatement(text string, s scan.Span) scan.Span {
	if i := strings.Index(s.In(text), ". "); i >= 0 {
		s.End = s.Start + i
	}
	return s
}

// stateIn reads a state such as "included" or "not required" beside a label.
func (r *Reader) stateIn(s scan.Span, label []string, asked subject) (value, ok bool) {
	const maxWords = 6
	stance := r.stances.stanceOf(s, scan.Span{}, nil)
	if r.isDue(s, subject{doneStates, asked.duty}) {
		stance = depends
	}
	about := slices.Concat(label, asked.terms)
	return stance == affirms, stance != depends && r.answersWithState(s, about) && len(r.doc.MentionsIn(s)) <= maxWords
}

// answersWithState reports whether a span has a state. "See annex" is a state only if the question
// asks whether something is attached. The month of May is not a permission.
func (r *Reader) answersWithState(s scan.Span, about []string) bool {
	days := r.doc.DatesIn(s)
	return slices.ContainsFunc(r.doc.MentionsIn(s), func(m lexicon.Mention) bool {
		isMonth := slices.ContainsFunc(days, func(d dates.Date) bool { return d.At.Start <= m.At.Start && m.At.End <= d.At.End })
		return slices.Contains(states, m.Term) && !isMonth && (m.Term != "ATTACHED" || slices.Contains(about, "ATTACHED"))
	})
}

// states are the terms that say how something is.
var states = []string{"INCLUDED", "PAID", "APPROVED", "ALLOWED", "REQUIRED", "SIGN", "ATTACHED", "GROSS", "NET"}

// hasState reports whether a span has a state. Without one, a sentence about shipping does not say
// whether shipping is included.
func (r *Reader) hasState(s scan.Span) bool {
	return slices.ContainsFunc(r.doc.MentionsIn(s), func(m lexicon.Mention) bool { return slices.Contains(states, m.Term) })
}

// boxes reads lines that begin or end with a check box: "☒ Automatic renewal".
func (r *Reader) boxes(q *questions.Question) []ranking.Answer {
	var all []ranking.Answer
	for _, b := range r.set.Boxes {
		if r.doc.Watch.Stopped() {
			return nil
		}
		words := r.doc.MentionsIn(b.Label)
		p := candidates.Pair{Label: lexicon.LabelTerms(words), Weight: candidates.CellWeight}
		score := ranking.MatchLabel(q, &p, r.doc.Topic)
		if score < ranking.MinScore || len(p.Label) == 0 {
			continue
		}
		if stance := r.stances.stanceOf(b.Label, scan.Span{}, p.Label); stance != depends {
			all = append(all, newAnswer(b.Ticked != (stance == denies), b.At, score))
		}
	}
	return all
}
