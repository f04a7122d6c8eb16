package extraction

import (
	"strings"

	"portside/documents"
	"portside/documents/offline/names"
	"portside/documents/offline/numbers"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// fromShapes returns values that are recognizable without a label: an e-mail address, an IBAN, the
// currency of all amounts.
func (e *Extractor) fromShapes(q *questions.Question) []ranking.Answer {
	const unlabeledScore = 0.8
	switch q.Shape {
	case questions.EmailShape, questions.IBANShape:
		return e.values.WithShape(q.Shape, scan.Between(0, len(e.Index.Text)), unlabeledScore)
	case questions.PhoneShape:
		return e.phonesNamed(unlabeledScore)
	case questions.CurrencyShape:
		return e.commonCurrency()
	case questions.TimeShape:
		return e.onlyTime()
	}
	return nil
}

// onlyTime returns the times of day in the document. If there are several, they have equal scores,
// so the caller chooses none.
func (e *Extractor) onlyTime() []ranking.Answer {
	const unlabeledScore = 0.7
	var all []ranking.Answer
	for s := scan.Between(0, len(e.Index.Text)); !s.IsEmpty() && !e.Index.Watch.Stopped(); {
		at := e.values.TimeOfDay(s)
		if at.IsEmpty() {
			break
		}
		if i := documents.LastBlockFrom(e.Index.Blocks, at.Start); e.Index.Blocks[i].Kind != documents.Field {
			all = append(all, values.StringAnswer(e.Index.Text, at, unlabeledScore))
		}
		s.Start = at.End
	}
	return all
}

// phonesNamed returns the phone numbers that follow a word for phone, as in "Jo Vink, tel. 030 55
// 01".
func (e *Extractor) phonesNamed(score float64) []ranking.Answer {
	var all []ranking.Answer
	for _, m := range e.Index.Mentions {
		if m.Term != "PHONE" || e.Index.Watch.Stopped() {
			continue
		}
		if at, ok := names.Phone(e.Index.Text, e.Index.Following(m.At.End)); ok && at.Start-m.At.End <= len(" us now on: ") {
			all = append(all, values.StringAnswer(e.Index.Text, at, score))
		}
	}
	return all
}

// commonCurrency returns the currency that all amounts have: the code if it is written anywhere,
// and otherwise the sign.
func (e *Extractor) commonCurrency() []ranking.Answer {
	const score = 0.8
	var best ranking.Answer
	code := ""
	for _, f := range e.Index.Numbers {
		if f.Currency == "" {
			continue
		}
		if code != "" && f.Currency != code {
			return nil
		}
		code = f.Currency
		text := f.At.In(e.Index.Text)
		if i := strings.Index(text, code); i >= 0 {
			at := f.At.Start + i
			return []ranking.Answer{values.StringAnswer(e.Index.Text, scan.Between(at, at+len(code)), score)}
		}
		if sign, ok := signIn(text); ok && best.Score == 0 {
			best = values.StringAnswer(e.Index.Text, scan.Between(f.At.Start+sign.Start, f.At.Start+sign.End), score)
		}
	}
	if best.Score == 0 {
		return e.writtenCurrency(score)
	}
	best.Key = code
	return []ranking.Answer{best}
}

// writtenCurrency returns the currency codes that stand apart from amounts.
func (e *Extractor) writtenCurrency(score float64) []ranking.Answer {
	var all []ranking.Answer
	for _, m := range e.Index.Mentions {
		if e.Index.Watch.Stopped() {
			return nil
		}
		text := m.At.In(e.Index.Text)
		if code, size := numbers.CurrencyAt(text); size == len(text) && code == text {
			all = append(all, values.StringAnswer(e.Index.Text, m.At, score))
		}
	}
	return all
}

// signIn returns the first currency in a text.
func signIn(text string) (scan.Span, bool) {
	for i := range text {
		if _, size := numbers.CurrencyAt(text[i:]); size > 0 {
			return scan.Between(i, i+size), true
		}
	}
	return scan.Span{}, false
}
