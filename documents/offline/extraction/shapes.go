package extraction

import (
	"strings"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/names"
	"portside/documents/offline/numbers"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// fromShapes finds values that show by themselves what they are: an address of e-mail, an IBAN, the currency of all amounts.
func (r *Document) fromShapes(q *questions.Question) []ranking.Answer {
	const unlabelled = 0.8
	switch q.Shape {
	case questions.EmailShape, questions.IBANShape:
		return r.values.WithShape(q.Shape, scan.Span{Start: 0, End: len(r.Index.Text)}, unlabelled)
	case questions.PhoneShape:
		return r.phonesNamed(unlabelled)
	case questions.CurrencyShape:
		return r.commonCurrency()
	case questions.TimeShape:
		return r.onlyTime()
	}
	return nil
}

// onlyTime is the time of the day that a document names, if it names but one.
func (r *Document) onlyTime() []ranking.Answer {
	const unlabelled = 0.7
	var all []ranking.Answer
	for s := (scan.Span{Start: 0, End: len(r.Index.Text)}); s.Start < s.End && !r.Index.Watch.Stopped(); {
		at := r.values.TimeOfDay(s)
		if at.End <= at.Start {
			break
		}
		if i := index.BlockAt(r.Index.Blocks, at.Start); r.Index.Blocks[i].Kind != documents.Field {
			all = append(all, values.StringAnswer(r.Index.Text, at, unlabelled))
		}
		s.Start = at.End
	}
	return all
}

// phonesNamed are the telephone numbers that follow such a word anywhere, as in "Jo Vink, tel. 030 55 01".
func (r *Document) phonesNamed(score float64) []ranking.Answer {
	var all []ranking.Answer
	for _, m := range r.Index.Mentions {
		if m.Term != "PHONE" || r.Index.Watch.Stopped() {
			continue
		}
		if at, ok := names.Phone(r.Index.Text, r.Index.Following(m.At.End)); ok && at.Start-m.At.End <= len(" us now on: ") {
			all = append(all, values.StringAnswer(r.Index.Text, at, score))
		}
	}
	return all
}

// commonCurrency is the one that all amounts have: its code if it is written anywhere, its sign otherwise.
func (r *Document) commonCurrency() []ranking.Answer {
	const score = 0.8
	var best ranking.Answer
	code := ""
	for _, f := range r.Index.Numbers {
		if f.Currency == "" {
			continue
		}
		if code != "" && f.Currency != code {
			return nil
		}
		code = f.Currency
		text := r.Index.Text[f.At.Start:f.At.End]
		if i := strings.Index(text, code); i >= 0 {
			at := f.At.Start + i
			return []ranking.Answer{values.StringAnswer(r.Index.Text, scan.Span{Start: at, End: at + len(code)}, score)}
		}
		if sign, ok := signIn(text); ok && best.Score == 0 {
			best = values.StringAnswer(r.Index.Text, scan.Span{Start: f.At.Start + sign.Start, End: f.At.Start + sign.End}, score)
		}
	}
	if best.Score == 0 {
		return r.writtenCurrency(score)
	}
	best.Key = code
	return []ranking.Answer{best}
}

// writtenCurrency is the code that a document writes apart from its amounts.
func (r *Document) writtenCurrency(score float64) []ranking.Answer {
	var all []ranking.Answer
	for _, m := range r.Index.Mentions {
		if r.Index.Watch.Stopped() {
			return nil
		}
		text := r.Index.Text[m.At.Start:m.At.End]
		if code, size := numbers.CurrencyAt(text); size == len(text) && code == text {
			all = append(all, values.StringAnswer(r.Index.Text, m.At, score))
		}
	}
	return all
}

func signIn(text string) (scan.Span, bool) {
	for i := range text {
		if _, size := numbers.CurrencyAt(text[i:]); size > 0 {
			return scan.Span{Start: i, End: i + size}, true
		}
	}
	return scan.Span{}, false
}
