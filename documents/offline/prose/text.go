package prose

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents/offline/lexicon"
	"portside/documents/offline/names"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// textBeside returns the text after the words of the question, for the shapes that can be
// recognized in running text.
func (r *Reader) textBeside(q *questions.Question, s scan.Span) []ranking.Answer {
	words := r.doc.MentionsIn(s)
	for i := range words {
		if r.doc.Watch.Stopped() {
			return nil
		}
		end, score := ranking.PhraseAt(q, words, i)
		if score == 0 {
			if a, ok := r.codeAt(q, words[i], s); ok {
				return []ranking.Answer{a}
			}
			continue
		}
		rest := lexicon.SkipLink(r.doc.Text, scan.Between(end, min(s.End, end+values.MaxValueBytes)))
		if a, ok := r.textAfter(q, rest); ok {
			a.Score *= score * sentenceWeight
			return []ranking.Answer{a}
		}
		if a, ok := r.nameBeside(q, scan.Between(end, rest.End)); ok {
			a.Score *= score * sentenceWeight
			return []ranking.Answer{a}
		}
	}
	return nil
}

// textAfter reads an identifier or a law at the beginning of a span.
func (r *Reader) textAfter(q *questions.Question, rest scan.Span) (ranking.Answer, bool) {
	switch q.Shape {
	case questions.IDShape:
		if at := r.values.Identifier(rest); !at.IsEmpty() && at.Start-rest.Start < values.NearBytes {
			return values.StringAnswer(r.doc.Text, at, 1), true
		}
	case questions.LawShape:
		if at := names.CutClause(r.doc.Text, names.CutLawPrefix(r.doc.Text, rest)); !at.IsEmpty() && names.LooksLikeName(r.doc.Text, at) {
			return values.StringAnswer(r.doc.Text, at, 1), true
		}
	}
	return ranking.Answer{}, false
}

// codeAt returns an identifier directly after the noun that it identifies: order PO-7781.
func (r *Reader) codeAt(q *questions.Question, m lexicon.Mention, s scan.Span) (ranking.Answer, bool) {
	const minDigits, maxGap = 5, 2
	if q.Shape != questions.IDShape {
		return ranking.Answer{}, false
	}
	numbered := func(p questions.Pattern) bool {
		return lexicon.SameTerms(lexicon.Without(p.Terms, q.Optional), []string{m.Term}) && !slices.Contains(q.Optional, m.Term)
	}
	i := slices.IndexFunc(q.Patterns, numbered)
	if i < 0 {
		return ranking.Answer{}, false
	}
	at := r.values.Identifier(scan.Between(m.At.End, min(s.End, m.At.End+values.MaxValueBytes)))
	code := at.In(r.doc.Text)
	isCode := strings.ContainsFunc(code, unicode.IsLetter) || len(code) >= minDigits
	if at.IsEmpty() || at.Start-m.At.End > maxGap || !isCode {
		return ranking.Answer{}, false
	}
	return values.StringAnswer(r.doc.Text, at, q.Patterns[i].Weight*ranking.OptionalMissing*sentenceWeight), true
}

// persons are concepts that stand directly before the name of a person: "with dentist L. Verbeek".
var persons = []string{"doctor", "patient", "landlord", "tenant", "chair", "secretary", "employee", "employer", "policyholder", "passenger"}

// nameBeside returns the name after a role, or after a role and "is".
func (r *Reader) nameBeside(q *questions.Question, s scan.Span) (ranking.Answer, bool) {
	text := strings.TrimLeft(s.In(r.doc.Text), " ")
	rest := lexicon.SkipVerb(text)
	if q.Shape != questions.NameShape || rest == text && (r.doc.Lang == "de" || !slices.Contains(persons, q.Concept)) {
		return ranking.Answer{}, false
	}
	at := names.CapitalizedRun(r.doc.Text, scan.Between(s.End-len(rest), s.End))
	const minWords = 2
	if len(strings.Fields(at.In(r.doc.Text))) < minWords || r.doc.IsOnlyTerms(at) {
		return ranking.Answer{}, false
	}
	return values.StringAnswer(r.doc.Text, at, 1), true
}
