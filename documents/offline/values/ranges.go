package values

import (
	"slices"

	"portside/documents/answers"
	"portside/documents/offline/index"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
)

// RangeAt returns the range that a value is an end of, and which end it is. The end is [questions.NoEnd] if the value
// is in no range, or contains both ends.
func (r *Reader) RangeAt(at scan.Span) (index.Range, questions.End) {
	const maxRangeBytes = 256
	for _, b := range r.doc.RangesFrom(scan.Between(at.Start-maxRangeBytes, at.End)) {
		if at.Start <= b.Ends[0].Start && at.End >= b.Ends[1].End {
			continue
		}
		for i, value := range b.Ends {
			if at.Start < value.End && value.Start < at.End {
				return b, questions.End(i + 1)
			}
		}
	}
	return index.Range{}, questions.NoEnd
}

// IsOtherEnd reports whether a value is the end of a range that the question does not ask for. Only dates, numbers and
// durations are ends.
func (r *Reader) IsOtherEnd(q *questions.Question, at scan.Span) bool {
	shapes := []questions.Shape{questions.DateShape, questions.MoneyShape, questions.PercentShape, questions.DurationShape}
	if q.Variable.Type == answers.String && !slices.Contains(shapes, q.Shape) {
		return false
	}
	b, end := r.RangeAt(at)
	return end != questions.NoEnd && (b.Either || end != q.End)
}

// FirstDays returns the first days of ranges whose month stands only at the second day, such as "from 20 to 27 November
// 2026".
func (r *Reader) FirstDays() []ranking.Answer {
	var all []ranking.Answer
	for _, b := range r.doc.Ranges {
		if b.IsDate && len(r.doc.DatesIn(b.Ends[0])) == 0 {
			value := answers.Value{Type: answers.Date, Text: b.Values[0]}
			all = append(all, ranking.Answer{Value: value, At: b.At, Key: b.Values[0], Ambiguous: b.Ambiguous})
		}
	}
	return all
}
