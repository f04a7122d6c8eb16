package prose

import (
	"slices"
	"strings"

	"portside/documents/offline/names"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// besideGreeting is how surely whom a letter greets is the passenger or patient that it is about: less than any label.
const greetingWeight = 0.66

// greeted are what the reader of a letter may be to its writer.
var greeted = []string{"passenger", "patient", "customer", "policyholder", "recipient", "employee", "tenant"}

// fromGreeting reads the full name behind "Dear": one word alone may be a first name or anything else.
func (r *Reader) FromGreeting(q *questions.Question) []ranking.Answer {
	if q.Shape != questions.NameShape || !slices.Contains(greeted, q.Concept) {
		return nil
	}
	for _, s := range r.set.Sentences {
		if r.doc.Watch.Stopped() {
			return nil
		}
		words := scan.Words(r.doc.Text[s.Start:min(s.End, s.Start+values.NearBytes)])
		const first = 2 // "Sehr geehrte" has the greeting second
		isGreeting := func(w scan.Word) bool { return names.Greetings()[w.Text] }
		if !slices.ContainsFunc(words[:min(first, len(words))], isGreeting) {
			continue
		}
		if name := names.AfterGreeting(r.doc.Text, s); name.End > name.Start {
			return []ranking.Answer{values.StringAnswer(r.doc.Text, name, greetingWeight)}
		}
	}
	return nil
}

// besideRole is how surely a name before a role in brackets has that role.
const roleWeight = 0.9

// partiesIn reads how contracts give parties their roles: Brightwater Ltd (the "Supplier").
func (r *Reader) partiesIn(q *questions.Question, s scan.Span) []ranking.Answer {
	if q.Shape != questions.NameShape {
		return nil
	}
	all := r.calledIn(q, s)
	for at := s.Start; at < s.End; {
		open := strings.IndexByte(r.doc.Text[at:s.End], '(')
		if open < 0 {
			return all
		}
		inner := scan.Span{Start: at + open + 1, End: s.End}
		if end := strings.IndexByte(r.doc.Text[inner.Start:s.End], ')'); end >= 0 {
			inner.End = inner.Start + end
		}
		if name := names.Last(r.doc.Text, scan.Span{Start: at, End: inner.Start - 1}); r.isRole(q, inner) && name.End > name.Start && names.LooksLikeName(r.doc.Text, name) {
			all = append(all, values.StringAnswer(r.doc.Text, name, roleWeight))
		}
		at = min(inner.End+1, s.End)
	}
	return all
}

// calledIn reads the names in front of such words, each from where the one before ended.
func (r *Reader) calledIn(q *questions.Question, s scan.Span) []ranking.Answer {
	var all []ranking.Answer
	const mostRole = 48
	from := s.Start
	lower := strings.ToLower(r.doc.Text[s.Start:s.End])
	if len(lower) != s.End-s.Start {
		return nil // offsets differ
	}
	for at := 0; at < len(lower); {
		i, size := firstOf(lower[at:], names.RolePhrases)
		if i < 0 {
			break
		}
		role := scan.Span{Start: s.Start + at + i + size, End: min(s.End, s.Start+at+i+size+mostRole)}
		if stop := strings.IndexAny(r.doc.Text[role.Start:role.End], ",;)"); stop > 0 {
			role.End = role.Start + stop
		}
		name := names.SkipTitle(r.doc.Text, names.Last(r.doc.Text, scan.Span{Start: from, End: s.Start + at + i}))
		if r.isRole(q, role) && name.End > name.Start && names.LooksLikeName(r.doc.Text, name) {
			all = append(all, values.StringAnswer(r.doc.Text, name, roleWeight))
		}
		from, at = role.End, role.End-s.Start
	}
	return all
}

// firstOf finds the first of any words.
func firstOf(text string, words []string) (at, size int) {
	at = -1
	for _, w := range words {
		if i := strings.Index(text, w); i >= 0 && (at < 0 || i < at) {
			at, size = i, len(w)
		}
	}
	return at, size
}

// isRole reports that brackets hold the role asked for, and little else.
func (r *Reader) isRole(q *questions.Question, inner scan.Span) bool {
	const most = 60
	if inner.End-inner.Start > most {
		return false
	}
	words := r.doc.MentionsIn(inner)
	for i := range words {
		if _, score := ranking.PhraseAt(q, words, i); score > 0 {
			return true
		}
	}
	return false
}
