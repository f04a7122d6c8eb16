package extraction

import (
	"slices"
	"sort"

	"portside/documents/answers"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// fromEnds answers questions about one end of a range, such as the highest price. It returns ends
// of ranges that are about the rest of the question, and values beside a word for that end.
func (e *Extractor) fromEnds(q *questions.Question) []ranking.Answer {
	if q.WithoutEnd == nil || q.End == questions.NoEnd {
		return nil
	}
	var all []ranking.Answer
	for i := range e.Candidates.Pairs {
		p := &e.Candidates.Pairs[i]
		if e.Index.Watch.Stopped() {
			return nil
		}
		if !lexicon.AnyIn(q.WithoutEnd.Relevant, p.Label) {
			continue
		}
		score := ranking.MatchLabel(q.WithoutEnd, p, e.Index.Topic)
		if score <= ranking.MinScore-ranking.RepeatBonus {
			continue
		}
		for _, b := range e.Index.RangesFrom(scan.Between(p.Value.Start, min(p.Value.End, p.Value.Start+values.NearBytes))) {
			all = append(all, e.endOf(q, b, score)...)
		}
		if questions.EndIn(p.LabelAt.In(e.Index.Text)) == q.End {
			all = append(all, e.withoutRanges(q, e.values.Read(q.WithoutEnd, p, score))...)
		}
	}
	for _, s := range e.Candidates.Sentences {
		if e.Index.Watch.Stopped() {
			return nil
		}
		if ranges := e.Index.RangesFrom(s); len(ranges) > 0 && e.prose.IsRelevant(q.WithoutEnd, s) {
			all = append(all, e.endsIn(q, s, ranges)...)
		}
	}
	return append(all, e.endsBeside(q)...)
}

// endsIn returns the ends of the ranges in a sentence, scored by the words around each.
func (e *Extractor) endsIn(q *questions.Question, s scan.Span, ranges []index.Range) []ranking.Answer {
	var spans []scan.Span
	for _, b := range ranges {
		spans = append(spans, b.At)
	}
	var all []ranking.Answer
	for i, score := range e.prose.Scores(q.WithoutEnd, s, spans) {
		all = append(all, e.endOf(q, ranges[i], score)...)
	}
	return all
}

// endOf returns the end of a range that the question asks for.
func (e *Extractor) endOf(q *questions.Question, b index.Range, score float64) []ranking.Answer {
	if score == 0 || b.Either || !fitsRange(&b, q.WithoutEnd) {
		return nil
	}
	n := int(q.End) - 1
	a := ranking.Answer{Value: answers.Value{Type: q.Variable.Type, Text: b.Values[n]}, At: b.Ends[n], Score: score, Key: b.Values[n],
		Ambiguous: b.Ambiguous}
	const maxDayBytes = 2
	if b.IsDate && a.At.Len() <= maxDayBytes {
		a.At = b.At // the day without its month would not be a useful quote
	}
	if q.Variable.Type == answers.String {
		a = values.StringAnswer(e.Index.Text, a.At, score)
	}
	return []ranking.Answer{a}
}

// fitsRange reports whether the values of a range have the type and shape of the question.
func fitsRange(b *index.Range, q *questions.Question) bool {
	isDate := q.Variable.Type == answers.Date || q.Shape == questions.DateShape
	switch {
	case isDate || b.IsDate:
		return isDate == b.IsDate
	case q.Variable.Type != answers.Number && q.Shape == questions.AnyShape:
		return false
	case q.Shape == questions.DurationShape:
		return b.HasUnit
	}
	return b.Percent == (q.Shape == questions.PercentShape)
}

// endsBeside returns values of sentences that name the end: the new price is 45 EUR.
func (e *Extractor) endsBeside(q *questions.Question) []ranking.Answer {
	var all []ranking.Answer
	for _, a := range e.withoutRanges(q, e.prose.FromSentences(q.WithoutEnd)) {
		if e.Index.Watch.Stopped() {
			return nil
		}
		i := sort.Search(len(e.Candidates.Sentences), func(i int) bool { return e.Candidates.Sentences[i].Start > a.At.Start }) - 1
		if i < 0 {
			continue
		}
		before := scan.Between(e.Candidates.Sentences[i].Start, a.At.Start)
		for _, f := range e.Index.NumbersIn(before) {
			before.Start = max(before.Start, f.At.End)
		}
		for _, d := range e.Index.DatesIn(before) {
			before.Start = max(before.Start, d.At.End)
		}
		if questions.EndIn(before.In(e.Index.Text)) == q.End {
			all = append(all, a)
		}
	}
	return all
}

// withoutRanges removes answers that are an end of a range, unless the question asks for that end.
func (e *Extractor) withoutRanges(q *questions.Question, all []ranking.Answer) []ranking.Answer {
	shapes := []questions.Shape{questions.TimeShape, questions.IDShape, questions.IBANShape, questions.PhoneShape,
		questions.NameShape, questions.ListShape, questions.TextShape}
	if len(e.Index.Ranges) == 0 || q.Variable.Type == answers.String && (q.Shape == questions.AnyShape || slices.Contains(shapes, q.Shape)) {
		return all
	}
	const maxRangeBytes = 256
	return slices.DeleteFunc(all, func(a ranking.Answer) bool {
		near := e.Index.RangesFrom(scan.Between(a.At.Start-maxRangeBytes, a.At.End))
		return slices.ContainsFunc(near, func(b index.Range) bool { return forbids(b, q.End, a.At) })
	})
}

// forbids reports whether the value at a span is an end of the range and not the one that the
// question asks for.
func forbids(b index.Range, asked questions.End, at scan.Span) bool {
	for i, value := range b.Ends {
		isBoth := at.Start <= b.Ends[0].Start && at.End >= b.Ends[1].End
		if at.Start < value.End && value.Start < at.End && !isBoth {
			return b.Either || asked != questions.End(i+1)
		}
	}
	return false
}
