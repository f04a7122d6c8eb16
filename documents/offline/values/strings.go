package values

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/answers"
	"portside/documents/offline/dates"
	"portside/documents/offline/names"
	"portside/documents/offline/numbers"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
)

// MaxValueBytes limits a value that is text, if it can be cut at the end of a sentence or line.
const MaxValueBytes = 240

// stringOf reads the shortest part of a span that has the shape of the question.
func (r *Reader) stringOf(q *questions.Question, s scan.Span) []ranking.Answer {
	fit := 1.0
	switch q.Shape {
	case questions.DateShape:
		return r.shownDate(q, s)
	case questions.MoneyShape, questions.PercentShape, questions.PlainShape:
		return r.shownNumber(q, s)
	case questions.IDShape:
		s = r.Identifier(s)
	case questions.NameShape:
		s = names.CutAddress(r.doc.Text, r.Clause(s))
		if r.doc.IsOnlyTerms(s) {
			return nil
		}
	case questions.IBANShape, questions.EmailShape, questions.PhoneShape, questions.CurrencyShape, questions.TimeShape:
		return r.WithShape(q.Shape, s, 1)
	case questions.LawShape:
		s = names.CutLawPrefix(r.doc.Text, r.Clause(s))
	default:
		s = r.Clause(s)
	}
	if s.IsEmpty() || !scan.HasWord(s.In(r.doc.Text)) {
		return nil
	}
	if q.Shape == questions.NameShape && !names.LooksLikeName(r.doc.Text, s) {
		fit = 0.6
	}
	if q.Shape == questions.DurationShape {
		if found := r.doc.DurationsIn(s); len(found) > 0 {
			return []ranking.Answer{DurationAnswer(r.doc.Text, q, found[0], 1)}
		}
	}
	return []ranking.Answer{StringAnswer(r.doc.Text, s, fit)}
}

// shownDate returns the text of the first date, in the document's format.
func (r *Reader) shownDate(q *questions.Question, s scan.Span) []ranking.Answer {
	if days := r.doc.AllDatesIn(s); len(days) > 0 {
		a := DateAnswer(q, days[0], 1)
		a.Value, a.Ambiguous = answers.Value{Type: answers.String, Text: a.At.In(r.doc.Text)}, false
		return []ranking.Answer{a}
	}
	return nil
}

// shownNumber returns the text of the first number of the requested kind, in the document's format.
func (r *Reader) shownNumber(q *questions.Question, s scan.Span) []ranking.Answer {
	for _, f := range r.doc.NumbersIn(s) {
		if (q.Shape == questions.PercentShape) == f.Percent {
			a := StringAnswer(r.doc.Text, f.At, 1)
			a.Key = f.Value
			return []ranking.Answer{a}
		}
	}
	return nil
}

// timeOfDay returns the first time of day in a span, such as 9:15, 9.15 or 9h15, or an empty span.
func (r *Reader) timeOfDay(s scan.Span) scan.Span {
	text := s.In(r.doc.Text)
	for i := 0; i < len(text); {
		if !scan.IsDigit(text[i]) {
			i++
			continue
		}
		end := scan.SkipDigits(text, i)
		if size := dates.ClockLength(text[i:]); size > 0 && !r.doc.IsAmountAt(s.Start+i) && !r.doc.IsDateAt(s.Start+i) {
			return scan.Between(s.Start+i, s.Start+i+size)
		}
		i = end
	}
	return scan.Between(s.Start, s.Start)
}

// Identifier returns the words of an identifier at the beginning of a span: RE-2026-17, INV 2026/4.
// Other words are left out.
func (r *Reader) Identifier(s scan.Span) scan.Span {
	s = names.Trim(r.doc.Text, s)
	end, digits := s.Start, false
	for at := s.Start; at < s.End; {
		stop := at + len(r.doc.Text[at:s.End])
		if n := strings.IndexAny(r.doc.Text[at:s.End], " \t\n,;()"); n >= 0 {
			stop = at + n
		}
		if r.doc.IsAmountAt(at) {
			break
		}
		part := r.doc.Text[at:stop]
		hasDigit := strings.ContainsAny(part, "0123456789")
		if !hasDigit && (digits || !names.IsCode(part)) || hasDigit && r.doc.IsDateAt(at) && digits {
			break
		}
		end, digits = stop, digits || hasDigit
		if stop == s.End || r.doc.Text[stop] != ' ' {
			break
		}
		at = stop + 1
	}
	if !digits || r.doc.IsDateAt(s.Start) {
		return scan.Between(s.Start, s.Start)
	}
	return names.Trim(r.doc.Text, scan.Between(s.Start, end))
}

// WithShape returns the values in a span that have a recognizable shape, such as e-mail addresses.
func (r *Reader) WithShape(s questions.Shape, in scan.Span, score float64) []ranking.Answer {
	var all []ranking.Answer
	switch s {
	case questions.EmailShape:
		for _, at := range names.Emails(r.doc.Text, in) {
			all = append(all, StringAnswer(r.doc.Text, at, score))
		}
	case questions.IBANShape:
		for _, at := range names.IBANs(r.doc.Text, in) {
			all = append(all, StringAnswer(r.doc.Text, at, score))
		}
	case questions.PhoneShape:
		if at, ok := names.Phone(r.doc.Text, in); ok && !r.doc.IsDateAt(at.Start) {
			all = append(all, StringAnswer(r.doc.Text, at, score))
		}
	case questions.CurrencyShape:
		for _, at := range currencies(r.doc.Text, in) {
			all = append(all, StringAnswer(r.doc.Text, at, score))
		}
	case questions.TimeShape:
		if at := r.timeOfDay(in); !at.IsEmpty() {
			all = append(all, StringAnswer(r.doc.Text, at, score))
		}
	}
	return all
}

// currencies returns the codes and signs of currencies in a span.
func currencies(text string, in scan.Span) []scan.Span {
	var all []scan.Span
	isInWord := false
	for at := in.Start; at < in.End; {
		char, next := utf8.DecodeRuneInString(text[at:in.End])
		_, size := numbers.CurrencyAt(text[at:in.End])
		if size > 0 && (!isInWord || !unicode.IsLetter(char)) {
			all = append(all, scan.Between(at, at+size))
			next = size
		}
		isInWord = unicode.IsLetter(char)
		at += next
	}
	return all
}

// Sentence ends a span with its sentence.
func (r *Reader) Sentence(s scan.Span) scan.Span {
	s.End = min(s.End, r.sentenceEnd(s.Start))
	return s
}

// Clause ends a span with its sentence and removes the punctuation around it.
func (r *Reader) Clause(s scan.Span) scan.Span {
	s = r.Sentence(s)
	if s.Len() > MaxValueBytes {
		text := s.In(r.doc.Text)
		if i := strings.IndexAny(text, ".;\n"); i > 0 {
			s.End = s.Start + i
		}
	}
	return names.Trim(r.doc.Text, s)
}

// sentenceEnd returns the end of the sentence that contains an offset.
func (r *Reader) sentenceEnd(at int) int {
	i := sort.Search(len(r.set.Sentences), func(i int) bool { return r.set.Sentences[i].Start > at })
	if i > 0 && r.set.Sentences[i-1].End > at {
		return r.set.Sentences[i-1].End
	}
	return len(r.doc.Text)
}
