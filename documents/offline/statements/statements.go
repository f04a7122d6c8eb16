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

// booleans finds out whether a document says that something is so. Saying nothing of it is no answer.
func (r *Reader) Answers(q *questions.Question) []ranking.Answer {
	var all []ranking.Answer
	for i := range q.Patterns {
		if p := &q.Patterns[i]; p.Weight > 0 {
			all = append(all, r.claims(q, p)...)
		}
	}
	return all
}

// claims looks for what one wording of the question asks.
func (r *Reader) claims(q *questions.Question, asked *questions.Pattern) []ranking.Answer {
	wanted, flips := splitClaim(q, asked.Terms)
	if len(wanted) == 0 {
		return nil
	}
	var all []ranking.Answer
	plainQuery := *q
	plainQuery.Patterns = []questions.Pattern{{Terms: wanted, Weight: asked.Weight}}
	m := subject{terms: wanted, duty: asksForDuty(q, asked)}
	touched := r.doc.SimilarTerms(slices.Concat(wanted, taxWords(wanted)))
	for i := range r.set.Pairs {
		if r.doc.Watch.Stopped() {
			return nil
		}
		if !lexicon.AnyIn(touched, r.set.Pairs[i].Label) {
			continue
		}
		if c, ok := r.booleanPair(&plainQuery, &r.set.Pairs[i], m); ok {
			all = append(all, c)
		}
	}
	all = append(all, r.boxes(&plainQuery)...)
	state := slices.ContainsFunc(asked.Terms, func(t string) bool { return slices.Contains(q.Optional, t) })
	for _, s := range r.set.Sentences {
		if r.doc.Watch.Stopped() {
			return nil
		}
		if !r.doc.MentionsAny(touched, s) {
			continue
		}
		c, ok := r.claimIn(m, s)
		if ok && (!state || r.hasState(c.At)) && !r.asksLeave(asked.Terms, c.At) {
			c.Score *= asked.Weight
			all = append(all, c)
		}
	}
	if flips {
		for i := range all {
			all[i] = booleanCandidate(all[i].Value.Text != "true", all[i].At, all[i].Score)
		}
	}
	return all
}

// taxWords are the terms that speak of tax and of what is included without saying so.
func taxWords(wanted []string) []string {
	if slices.Contains(wanted, "TAX") || slices.Contains(wanted, "INCLUDED") {
		return []string{"GROSS", "NET"}
	}
	return nil
}

// claim splits what is asked into what it is about, and whether it asks for the contrary.
func splitClaim(q *questions.Question, terms []string) (wanted []string, flips bool) {
	flips = slices.Contains(terms, "NOT")
	if less := lexicon.Without(terms, append([]string{"NOT", "is", "are", "does"}, q.Optional...)); len(less) > 0 {
		return less, flips
	}
	return lexicon.Without(terms, []string{"NOT"}), flips
}

func booleanCandidate(value bool, at scan.Span, score float64) ranking.Answer {
	text := "false"
	if value {
		text = "true"
	}
	return ranking.Answer{Value: answers.Value{Type: answers.Boolean, Text: text}, At: at, Score: score, Key: text}
}

// booleanPair reads yes, no or a ticked box beside a label.
func (r *Reader) booleanPair(q *questions.Question, p *candidates.Pair, asked subject) (ranking.Answer, bool) {
	score := ranking.MatchLabel(q, p, r.doc.Topic)
	if score < ranking.MinScore-ranking.RepeatBonus {
		return ranking.Answer{}, false
	}
	at := p.Value
	value, ok := readYesNo(r.doc.Text[at.Start:at.End])
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
	return booleanCandidate(value, r.values.Clause(at), score), true
}

// firstStatement ends where another one begins.
func firstStatement(text string, s scan.Span) scan.Span {
	if i := strings.Index(text[s.Start:s.End], ". "); i >= 0 {
		s.End = s.Start + i
	}
	return s
}

// stateIn reads a state such as "included" or "not required" that stands in place of yes and no.
func (r *Reader) stateIn(s scan.Span, label []string, asked subject) (value, ok bool) {
	const mostWords = 6
	said := r.stances.stanceOf(s, scan.Span{}, nil)
	if r.isDue(s, subject{doneStates, asked.duty}) {
		said = depends
	}
	return said == affirms, said != depends && r.answersWithState(s, slices.Concat(label, asked.terms)) && len(r.doc.MentionsIn(s)) <= mostWords
}

// answersWithState reports a state behind a label. "See annex" is none, unless what is attached is asked for, nor is the month
// of May.
func (r *Reader) answersWithState(s scan.Span, about []string) bool {
	days := r.doc.DatesIn(s)
	return slices.ContainsFunc(r.doc.MentionsIn(s), func(m lexicon.Mention) bool {
		isMonth := slices.ContainsFunc(days, func(d dates.Date) bool { return d.At.Start <= m.At.Start && m.At.End <= d.At.End })
		return slices.Contains(states, m.Term) && !isMonth && (m.Term != "ATTACHED" || slices.Contains(about, "ATTACHED"))
	})
}

var states = []string{"INCLUDED", "PAID", "APPROVED", "ALLOWED", "REQUIRED", "SIGN", "ATTACHED", "GROSS", "NET"}

// hasState reports a word that says how something is. Without one, speaking of shipping does not say whether it is included.
func (r *Reader) hasState(s scan.Span) bool {
	return slices.ContainsFunc(r.doc.MentionsIn(s), func(m lexicon.Mention) bool { return slices.Contains(states, m.Term) })
}

// claimReader reads statements.
type Reader struct {
	doc     *index.Index
	set     *candidates.Set
	values  *values.Reader
	stances stanceReader
}

// newClaimReader returns
func NewReader(doc *index.Index, set *candidates.Set, values *values.Reader) *Reader {
	return &Reader{doc, set, values, stanceReader{doc}}
}

// boxes reads lines that begin or end with a box: "☒ Automatic renewal".
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
		if said := r.stances.stanceOf(b.Label, scan.Span{}, p.Label); said != depends {
			all = append(all, booleanCandidate(b.Ticked != (said == denies), b.At, score))
		}
	}
	return all
}

// matter is what a claim has to be about.
type subject struct {
	terms []string
	duty  bool // what must or will be is asked for, not only what is
}
