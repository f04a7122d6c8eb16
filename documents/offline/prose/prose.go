package prose

import (
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/numbers"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// sentenceWeight is the factor of answers from running text.
const sentenceWeight = 0.84

// maxValues limits the values of one sentence that are scored.
const maxValues = 256

// Reader finds answers in the running text of one document.
type Reader struct {
	doc    *index.Index
	set    *candidates.Set
	values *values.Reader
}

// NewReader returns a Reader for a document.
func NewReader(doc *index.Index, set *candidates.Set, v *values.Reader) *Reader {
	return &Reader{doc, set, v}
}

// FromSentences returns the values that stand beside the words of the question, in the same clause.
func (r *Reader) FromSentences(q *questions.Question) []ranking.Answer {
	var all []ranking.Answer
	isPeriod := q.AsksForStart() || q.AsksForEnd()
	for _, s := range r.set.Sentences {
		if r.doc.Watch.Stopped() {
			return nil
		}
		if isPeriod && len(r.doc.DatesIn(s)) > 0 {
			all = append(all, r.values.PeriodEnd(q, s, r.doc.TermsIn(s))...)
		}
		if !r.IsRelevant(q, s) {
			continue
		}
		switch {
		case q.Variable.Type == answers.Date || q.Shape == questions.DateShape:
			all = append(all, r.datesBeside(q, s)...)
		case q.Shape == questions.DurationShape:
			all = append(all, r.durationsBeside(q, s)...)
		case q.Variable.Type == answers.Number || q.Shape == questions.MoneyShape || q.Shape == questions.PercentShape:
			all = append(all, r.numbersBeside(q, s)...)
		default:
			all = append(all, r.textBeside(q, s)...)
			all = append(all, r.partiesIn(q, s)...)
		}
	}
	return all
}

// IsRelevant reports whether a span has a term that is relevant for the question.
func (r *Reader) IsRelevant(q *questions.Question, s scan.Span) bool {
	return r.doc.MentionsAny(q.Relevant, s)
}

func (r *Reader) datesBeside(q *questions.Question, s scan.Span) []ranking.Answer {
	days := r.doc.AllDatesIn(s)
	spans := make([]scan.Span, len(days))
	for i, d := range days {
		spans[i] = d.At
	}
	var all []ranking.Answer
	for i, score := range r.Scores(q, s, spans) {
		if score > 0 {
			a := values.DateAnswer(q, days[i], score)
			if q.Variable.Type == answers.String {
				a.Value = answers.Value{Type: answers.String, Text: a.At.In(r.doc.Text)}
			}
			all = append(all, a)
		}
	}
	return all
}

// numbersBeside returns the numbers of a sentence that have the right kind and are not the number
// of a clause.
func (r *Reader) numbersBeside(q *questions.Question, s scan.Span) []ranking.Answer {
	var found []numbers.Number
	for _, f := range r.doc.NumbersIn(s) {
		lacksCurrency := q.Shape == questions.MoneyShape && f.Currency == ""
		if f.Percent != (q.Shape == questions.PercentShape) || lacksCurrency {
			continue
		}
		if numbers.IsClauseNumber(r.doc.Text, f, q.Text()) || numbers.OpensClause(f, s, r.doc.Text) {
			continue
		}
		found = append(found, f)
	}
	spans := make([]scan.Span, len(found))
	for i, f := range found {
		spans[i] = f.At
	}
	var all []ranking.Answer
	for i, score := range r.Scores(q, s, spans) {
		if score > 0 {
			a := values.NumberAnswer(found[i], score)
			if q.Variable.Type == answers.String {
				a.Value = answers.Value{Type: answers.String, Text: a.At.In(r.doc.Text)}
			}
			all = append(all, a)
		}
	}
	return all
}

func (r *Reader) durationsBeside(q *questions.Question, s scan.Span) []ranking.Answer {
	if rates := r.ratesIn(q, s); len(rates) > 0 {
		return rates
	}
	durations := r.doc.DurationsIn(s)
	spans := make([]scan.Span, len(durations))
	for i, l := range durations {
		spans[i] = l.At
	}
	var all []ranking.Answer
	for i, score := range r.Scores(q, s, spans) {
		if a := values.DurationAnswer(r.doc.Text, q, durations[i], score); score > 0 && a.Key != "" {
			all = append(all, a)
		}
	}
	return all
}

// rateWeight is the score of "36 hours per week" as an answer to how many hours per week.
const rateWeight = 0.85

// ratesIn returns how many of one unit there are in another, if the variable asks for nothing else.
func (r *Reader) ratesIn(q *questions.Question, s scan.Span) []ranking.Answer {
	const units, maxGap = 2, 24
	asked := lexicon.Without(q.NameTerms, []string{"per", "pro", "par", "por"})
	if len(asked) != units || len(lexicon.Without(asked, lexicon.TimeUnits)) > 0 {
		return nil
	}
	var all []ranking.Answer
	for _, l := range r.doc.DurationsIn(s) {
		next := r.doc.MentionsIn(scan.Between(l.At.End, min(s.End, l.At.End+maxGap)))
		per := slices.ContainsFunc(next, func(m lexicon.Mention) bool { return m.Term == asked[1] })
		if l.Unit == asked[0] && per && !strings.ContainsAny(r.doc.Text[l.At.End:next[0].At.Start], ",;.") {
			all = append(all, values.DurationAnswer(r.doc.Text, q, l, rateWeight))
		}
	}
	return all
}

// Scores returns the score of each value of a sentence, by the words between it and the value
// before it, and by the words after it, because verbs come last in some languages.
func (r *Reader) Scores(q *questions.Question, s scan.Span, spans []scan.Span) []float64 {
	scores := make([]float64, len(spans))
	spans = spans[:min(len(spans), maxValues)] // far more than sentences have
	from := s.Start
	for i, v := range spans {
		if r.doc.Watch.Stopped() {
			break
		}
		before := r.afterAnd(scan.Between(from, max(from, v.Start))) // two amounts may share the currency between them
		scores[i] = ranking.MatchWords(q, r.doc.MentionsIn(before), r.doc.Topic) * sentenceWeight
		after := scan.Between(v.End, max(v.End, s.End)) // a range may continue in the next sentence
		if i+1 < len(spans) {
			after.End = endBeforeAnd(r.doc.Text, scan.Between(v.End, max(v.End, spans[i+1].Start)))
		}
		const afterFactor = 0.95
		around := slices.Concat(r.doc.MentionsIn(before), r.doc.MentionsIn(scan.CutAtComma(r.doc.Text, after)))
		scores[i] = max(scores[i], ranking.MatchWords(q, around, r.doc.Topic)*sentenceWeight*afterFactor)
		from = v.End
	}
	return scores
}

// ands separate two values of a sentence.
var ands = []string{" and ", " und ", " y ", " e ", " et ", " en ", " och ", " i ", " oraz ", " și ", " si ", ", ", "; "}

// afterAnd removes the words that belong to the value before: everything up to the last "and" or
// comma, if words with a meaning follow.
func (r *Reader) afterAnd(s scan.Span) scan.Span {
	last := -1
	for _, and := range ands {
		if i := strings.LastIndex(s.In(r.doc.Text), and); i >= 0 {
			last = max(last, i+len(and))
		}
	}
	if last < 0 {
		return s
	}
	rest := scan.Between(s.Start+last, s.End)
	if !slices.ContainsFunc(r.doc.MentionsIn(rest), func(m lexicon.Mention) bool {
		return lexicon.IsTerm(m.Term) && !m.Filler && !slices.Contains(lexicon.GenericTerms, m.Term)
	}) {
		return s
	}
	return rest
}

// endBeforeAnd returns where the words end that belong to the value before, at the first "and" or
// comma.
func endBeforeAnd(text string, s scan.Span) int {
	first := s.Len()
	for _, and := range ands {
		if i := strings.Index(s.In(text), and); i >= 0 {
			first = min(first, i)
		}
	}
	if first == s.Len() {
		return s.Start
	}
	return s.Start + first
}
