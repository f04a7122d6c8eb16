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

// besidesRanges leaves out values that are ends of a range and not the end asked for.
func (r *Document) besidesRanges(q *questions.Question, all []ranking.Answer) []ranking.Answer {
	shapes := []questions.Shape{questions.TimeShape, questions.IDShape, questions.IBANShape, questions.PhoneShape, questions.NameShape, questions.ListShape, questions.TextShape}
	if len(r.Index.Ranges) == 0 || q.Variable.Type == answers.String && (q.Shape == questions.AnyShape || slices.Contains(shapes, q.Shape)) {
		return all
	}
	const longest = 256 // of a range: two values and what joins them
	return slices.DeleteFunc(all, func(c ranking.Answer) bool {
		near := r.Index.RangesFrom(scan.Span{Start: c.At.Start - longest, End: c.At.End})
		return slices.ContainsFunc(near, func(b index.Range) bool { return forbids(b, q.End, c.At) })
	})
}

// forbids reports that a value is an end, but not the one asked for.
func forbids(b index.Range, asked questions.End, at scan.Span) bool {
	for i, e := range b.Ends {
		isBoth := at.Start <= b.Ends[0].Start && at.End >= b.Ends[1].End
		if at.Start < e.End && e.Start < at.End && !isBoth {
			return b.Either || asked != questions.End(i+1)
		}
	}
	return false
}

// fromEnds are the values that stand at the end asked for of a range about the matter, or beside a word for that end.
func (r *Document) fromEnds(q *questions.Question) []ranking.Answer {
	if q.WithoutEnd == nil || q.End == questions.NoEnd {
		return nil
	}
	var all []ranking.Answer
	for i := range r.Set.Pairs {
		p := &r.Set.Pairs[i]
		if r.Index.Watch.Stopped() {
			return nil
		}
		if !lexicon.AnyIn(q.WithoutEnd.Relevant, p.Label) {
			continue
		}
		score := ranking.MatchLabel(q.WithoutEnd, p, r.Index.Topic)
		if score <= ranking.MinScore-ranking.RepeatBonus {
			continue
		}
		for _, b := range r.Index.RangesFrom(scan.Span{Start: p.Value.Start, End: min(p.Value.End, p.Value.Start+values.NearBytes)}) {
			all = append(all, r.endOf(q, b, score)...)
		}
		if questions.EndIn(r.Index.Text[p.LabelAt.Start:p.LabelAt.End]) == q.End {
			all = append(all, r.besidesRanges(q, r.values.Read(q.WithoutEnd, p, score))...)
		}
	}
	for _, s := range r.Set.Sentences {
		if r.Index.Watch.Stopped() {
			return nil
		}
		if ranges := r.Index.RangesFrom(s); len(ranges) > 0 && r.prose.IsRelevant(q.WithoutEnd, s) {
			all = append(all, r.endsIn(q, s, ranges)...)
		}
	}
	return append(all, r.endsBeside(q)...)
}

// endsIn reads the ends of the ranges of a sentence, each by the words around it.
func (r *Document) endsIn(q *questions.Question, s scan.Span, ranges []index.Range) []ranking.Answer {
	var spans []scan.Span
	for _, b := range ranges {
		spans = append(spans, b.At)
	}
	var all []ranking.Answer
	for i, score := range r.prose.Scores(q.WithoutEnd, s, spans) {
		all = append(all, r.endOf(q, ranges[i], score)...)
	}
	return all
}

// endOf is the end asked for of a range.
func (r *Document) endOf(q *questions.Question, b index.Range, score float64) []ranking.Answer {
	if score == 0 || b.Either || !fitsRange(&b, q.WithoutEnd) {
		return nil
	}
	n := int(q.End) - 1
	c := ranking.Answer{Value: answers.Value{Type: q.Variable.Type, Text: b.Values[n]}, At: b.Ends[n], Score: score, Key: b.Values[n],
		Ambiguous: b.Ambiguous}
	const mostDay = 2
	if b.IsDate && c.At.End-c.At.Start <= mostDay {
		c.At = b.At // a day without its month says nothing by itself
	}
	if q.Variable.Type == answers.String {
		c = values.StringAnswer(r.Index.Text, c.At, score)
	}
	return []ranking.Answer{c}
}

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

// endsBeside reads sentences that name the end: the new price is 45 EUR.
func (r *Document) endsBeside(q *questions.Question) []ranking.Answer {
	var all []ranking.Answer
	for _, c := range r.besidesRanges(q, r.prose.FromSentences(q.WithoutEnd)) {
		if r.Index.Watch.Stopped() {
			return nil
		}
		i := sort.Search(len(r.Set.Sentences), func(i int) bool { return r.Set.Sentences[i].Start > c.At.Start }) - 1
		if i < 0 {
			continue
		}
		before := scan.Span{Start: r.Set.Sentences[i].Start, End: c.At.Start}
		for _, f := range r.Index.NumbersIn(before) {
			before.Start = max(before.Start, f.At.End)
		}
		for _, d := range r.Index.DatesIn(before) {
			before.Start = max(before.Start, d.At.End)
		}
		if questions.EndIn(r.Index.Text[before.Start:before.End]) == q.End {
			all = append(all, c)
		}
	}
	return all
}
