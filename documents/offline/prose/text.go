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

// textBeside reads what follows a label in running text, for the few shapes where that can be told from the rest.
func (r *Reader) textBeside(q *questions.Question, s scan.Span) []ranking.Answer {
	words := r.doc.MentionsIn(s)
	for i := range words {
		if r.doc.Watch.Stopped() {
			return nil
		}
		end, score := ranking.PhraseAt(q, words, i)
		if score == 0 {
			if c, ok := r.codeAt(q, words[i], s); ok {
				return []ranking.Answer{c}
			}
			continue
		}
		rest := lexicon.SkipLink(r.doc.Text, scan.Span{Start: end, End: min(s.End, end+values.MaxValueBytes)})
		if c, ok := r.textAfter(q, rest); ok {
			c.Score *= score * sentenceWeight
			return []ranking.Answer{c}
		}
		if c, ok := r.nameBeside(q, scan.Span{Start: end, End: rest.End}); ok {
			c.Score *= score * sentenceWeight
			return []ranking.Answer{c}
		}
	}
	return nil
}

// codeAt reads what can only be a number right behind what it numbers: order PO-7781.
func (r *Reader) codeAt(q *questions.Question, m lexicon.Mention, s scan.Span) (ranking.Answer, bool) {
	const digits, near = 5, 2
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
	at := r.values.Identifier(scan.Span{Start: m.At.End, End: min(s.End, m.At.End+values.MaxValueBytes)})
	code := r.doc.Text[at.Start:at.End]
	isCode := strings.ContainsFunc(code, unicode.IsLetter) || len(code) >= digits
	if at.End == at.Start || at.Start-m.At.End > near || !isCode {
		return ranking.Answer{}, false
	}
	return values.StringAnswer(r.doc.Text, at, q.Patterns[i].Weight*ranking.OptionalMissing*sentenceWeight), true
}

func (r *Reader) textAfter(q *questions.Question, rest scan.Span) (ranking.Answer, bool) {
	switch q.Shape {
	case questions.IDShape:
		if at := r.values.Identifier(rest); at.End > at.Start && at.Start-rest.Start < values.NearBytes {
			return values.StringAnswer(r.doc.Text, at, 1), true
		}
	case questions.LawShape:
		if at := names.CutClause(r.doc.Text, names.CutLawPrefix(r.doc.Text, rest)); at.End > at.Start && names.LooksLikeName(r.doc.Text, at) {
			return values.StringAnswer(r.doc.Text, at, 1), true
		}
	}
	return ranking.Answer{}, false
}

// persons are roles that stand right in front of the name of who has them: "with dentist L. Verbeek".
var persons = []string{"doctor", "patient", "landlord", "tenant", "chair", "secretary", "employee", "employer", "policyholder", "passenger"}

// nameBeside reads the name after a role, or after "is".
func (r *Reader) nameBeside(q *questions.Question, s scan.Span) (ranking.Answer, bool) {
	text := strings.TrimLeft(r.doc.Text[s.Start:s.End], " ")
	rest := lexicon.SkipVerb(text)
	if q.Shape != questions.NameShape || rest == text && (r.doc.Lang == "de" || !slices.Contains(persons, q.Concept)) {
		return ranking.Answer{}, false
	}
	at := names.CapitalizedRun(r.doc.Text, scan.Span{Start: s.End - len(rest), End: s.End})
	const least = 2
	if len(strings.Fields(r.doc.Text[at.Start:at.End])) < least || r.doc.IsOnlyTerms(at) {
		return ranking.Answer{}, false
	}
	return values.StringAnswer(r.doc.Text, at, 1), true
}
