package values

import (
	"slices"

	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/dates"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/numbers"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
)

// Reader reads values of one document.
type Reader struct {
	doc *index.Index
	set *candidates.Set
}

// NewReader returns a Reader for a document.
func NewReader(doc *index.Index, set *candidates.Set) *Reader { return &Reader{doc, set} }

// A value has a lower score if it is farther from its label than NearBytes, or if several values fit.
const (
	farPenalty     = 0.8  // factor if other text is between the label and the value
	severalPenalty = 0.85 // factor if several values fit
	NearBytes      = 24   // maximum distance of a value that is directly beside its label
)

// Read reads the value of a pair as the type of the variable. score is the score of the label.
// Package statements reads values of type boolean.
func (r *Reader) Read(q *questions.Question, p *candidates.Pair, score float64) []ranking.Answer {
	var all []ranking.Answer
	switch q.Variable.Type {
	case answers.Date:
		all = r.dateOf(q, p.Value)
	case answers.Number:
		all = r.numberOf(q, p)
	case answers.String:
		all = r.stringOf(q, p.Value)
	default:
		return nil
	}
	for i := range all {
		all[i].Score *= score
		all[i].Score += r.early(all[i].At.Start)
	}
	return all
}

// early returns a small bonus for values at the beginning of the document.
func (r *Reader) early(at int) float64 {
	const maxBonus = 0.02
	return maxBonus * (1 - float64(at)/float64(len(r.doc.Text)+1))
}

// dateOf reads the first date of a span.
func (r *Reader) dateOf(q *questions.Question, s scan.Span) []ranking.Answer {
	days := r.doc.AllDatesIn(s)
	if len(days) == 0 {
		return nil
	}
	a := DateAnswer(q, days[0], 1)
	if days[0].At.Start-s.Start > NearBytes {
		a.Score *= farPenalty
	}
	if len(days) > 1 {
		a.Score *= severalPenalty
	}
	return []ranking.Answer{a}
}

// numberOf reads the number of a pair that fits the shape of the question.
func (r *Reader) numberOf(q *questions.Question, p *candidates.Pair) []ranking.Answer {
	found := r.doc.NumbersIn(p.Value)
	switch q.Shape {
	case questions.DurationShape:
		return r.durationNumber(q, p)
	case questions.PercentShape:
		found = slices.Concat(found, r.doc.NumbersIn(p.LabelAt))
		return onlyNumber(found, p.Value, func(f numbers.Number) bool { return f.Percent })
	case questions.MoneyShape:
		if with := onlyNumber(found, p.Value, func(f numbers.Number) bool { return f.Currency != "" && !f.Percent }); with != nil {
			return with
		}
		return onlyNumber(found, p.Value, func(f numbers.Number) bool {
			return !f.Percent && !r.doc.HasUnit(f) && !numbers.IsClauseNumber(r.doc.Text, f, q.Text())
		})
	case questions.IDShape:
		return onlyNumber(found, p.Value, func(f numbers.Number) bool { return f.Fraction == "" && f.Currency == "" && !f.Percent })
	}
	counts := slices.Contains(q.NameTerms, "QUANTITY")
	return onlyNumber(found, p.Value, func(f numbers.Number) bool {
		return (!counts || f.Currency == "" && !f.Percent) && !numbers.IsClauseNumber(r.doc.Text, f, q.Text())
	})
}

// onlyNumber returns the only number that fits. If several fit, it returns the first one, with a
// lower score.
func onlyNumber(found []numbers.Number, s scan.Span, fit func(numbers.Number) bool) []ranking.Answer {
	var fitting []numbers.Number
	for _, f := range found {
		if fit(f) {
			fitting = append(fitting, f)
		}
	}
	if len(fitting) == 0 {
		return nil
	}
	a := NumberAnswer(fitting[0], 1)
	if len(fitting) > 1 && fitting[1].Value != fitting[0].Value {
		a.Score *= severalPenalty
	}
	if fitting[0].At.Start-s.Start > NearBytes {
		a.Score *= farPenalty
	}
	return []ranking.Answer{a}
}

// durationNumber reads the number of a duration. If the label names the unit, the number may stand
// alone.
func (r *Reader) durationNumber(q *questions.Question, p *candidates.Pair) []ranking.Answer {
	if found := r.doc.DurationsIn(p.Value); len(found) > 0 {
		return []ranking.Answer{DurationAnswer(r.doc.Text, q, found[0], 1)}
	}
	if slices.ContainsFunc(p.Label, func(t string) bool { return slices.Contains(lexicon.TimeUnits, t) }) {
		return onlyNumber(r.doc.NumbersIn(p.Value), p.Value, func(f numbers.Number) bool { return f.Currency == "" && !f.Percent })
	}
	return nil
}

// DateAnswer returns a date as an answer. The answer has no value if the date is invalid or if a
// period is only counted from it.
func DateAnswer(q *questions.Question, d dates.Date, score float64) ranking.Answer {
	a := dateAnswer(d, score)
	if d.Invalid || d.Anchor == dates.PeriodOffset || d.Anchor == dates.PeriodStart && !q.AcceptsStart {
		a.NoValue, a.Key = true, ranking.NoValueKey
	}
	return a
}

func dateAnswer(d dates.Date, score float64) ranking.Answer {
	value := answers.Value{Type: answers.Date, Text: d.ISO()}
	return ranking.Answer{Value: value, At: d.At, Score: score, Key: d.ISO(), Ambiguous: d.Ambiguous}
}

// NumberAnswer returns a number as an answer.
func NumberAnswer(f numbers.Number, score float64) ranking.Answer {
	return ranking.Answer{Value: answers.Value{Type: answers.Number, Text: f.Value}, At: f.At, Score: score, Key: f.Value}
}

// DurationAnswer returns a duration as an answer. It is empty if the variable asks for another
// unit.
func DurationAnswer(text string, q *questions.Question, l index.Duration, score float64) ranking.Answer {
	if q.Variable.Type == answers.String {
		a := StringAnswer(text, l.At, score)
		a.Key = l.Value + l.Unit
		return a
	}
	if asked := q.Unit(); asked != "" && asked != l.Unit {
		return ranking.Answer{}
	}
	return ranking.Answer{Value: answers.Value{Type: answers.Number, Text: l.Value}, At: l.At, Score: score, Key: l.Value}
}

// StringAnswer returns a span of the text as an answer.
func StringAnswer(text string, at scan.Span, score float64) ranking.Answer {
	quote := at.In(text)
	return ranking.Answer{Value: answers.Value{Type: answers.String, Text: quote}, At: at, Score: score,
		Key: scan.Key(quote)}
}
