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

// roleWeight is the score of a name before a role in brackets.
const roleWeight = 0.9

// partiesIn reads how contracts give roles to parties: Brightwater Ltd (the "Supplier").
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
		inner := scan.Between(at+open+1, s.End)
		if end := strings.IndexByte(r.doc.Text[inner.Start:s.End], ')'); end >= 0 {
			inner.End = inner.Start + end
		}
		name := names.Last(r.doc.Text, scan.Between(at, inner.Start-1))
		if r.isRole(q, inner) && !name.IsEmpty() && names.LooksLikeName(r.doc.Text, name) {
			all = append(all, values.StringAnswer(r.doc.Text, name, roleWeight))
		}
		at = min(inner.End+1, s.End)
	}
	return all
}

// calledIn reads the names before phrases such as "hereinafter".
func (r *Reader) calledIn(q *questions.Question, s scan.Span) []ranking.Answer {
	var all []ranking.Answer
	const maxRoleBytes = 48
	from := s.Start
	lower := strings.ToLower(s.In(r.doc.Text))
	if len(lower) != s.Len() {
		return nil // lower case has other offsets
	}
	for at := 0; at < len(lower); {
		i, size := firstOf(lower[at:], names.RolePhrases)
		if i < 0 {
			break
		}
		role := scan.Between(s.Start+at+i+size, min(s.End, s.Start+at+i+size+maxRoleBytes))
		if stop := strings.IndexAny(role.In(r.doc.Text), ",;)"); stop > 0 {
			role.End = role.Start + stop
		}
		name := names.SkipTitle(r.doc.Text, names.Last(r.doc.Text, scan.Between(from, s.Start+at+i)))
		if r.isRole(q, role) && !name.IsEmpty() && names.LooksLikeName(r.doc.Text, name) {
			all = append(all, values.StringAnswer(r.doc.Text, name, roleWeight))
		}
		from, at = role.End, role.End-s.Start
	}
	return all
}

// firstOf returns the position and length of the first of any words, or -1.
func firstOf(text string, words []string) (at, size int) {
	at = -1
	for _, w := range words {
		if i := strings.Index(text, w); i >= 0 && (at < 0 || i < at) {
			at, size = i, len(w)
		}
	}
	return at, size
}

// isRole reports whether a span is the role that the question asks for, with few other words.
func (r *Reader) isRole(q *questions.Question, inner scan.Span) bool {
	const maxRoleBytes = 60
	if inner.Len() > maxRoleBytes {
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

// greetingWeight is the score of the name in a greeting. It is lower than that of any label.
const greetingWeight = 0.66

// greeted are the concepts that the recipient of a letter may have.
var greeted = []string{"passenger", "patient", "customer", "policyholder", "recipient", "employee", "tenant"}

// FromGreeting returns the full name after "Dear". The recipient of a letter is often the passenger
// or patient that it is about.
func (r *Reader) FromGreeting(q *questions.Question) []ranking.Answer {
	if q.Shape != questions.NameShape || !slices.Contains(greeted, q.Concept) {
		return nil
	}
	for _, s := range r.set.Sentences {
		if r.doc.Watch.Stopped() {
			return nil
		}
		words := scan.Words(r.doc.Text[s.Start:min(s.End, s.Start+values.NearBytes)])
		const greetingWords = 2 // in "Sehr geehrte" the second word is the greeting
		isGreeting := func(w scan.Word) bool { return names.Greetings()[w.Text] }
		if !slices.ContainsFunc(words[:min(greetingWords, len(words))], isGreeting) {
			continue
		}
		if name := names.AfterGreeting(r.doc.Text, s); !name.IsEmpty() {
			return []ranking.Answer{values.StringAnswer(r.doc.Text, name, greetingWeight)}
		}
	}
	return nil
}
