package learned

import (
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/names"
	"portside/documents/offline/questions"
	"portside/documents/offline/scan"
)

// opposites are groups of terms that rule each other out: a value whose label has one of them does not answer a question
// that has another one of the group.
var opposites = [...][]string{
	{"NET", "GROSS", "TAX", "DISCOUNT", "SHIPPING", "DEPOSIT", "SUBTOTAL", "PENALTY"},
	{"START", "END", "ISSUE", "DUE", "PAID", "DELIVERY", "SIGN", "BIRTH", "NEXT"},
	roles,
	{"QUANTITY", "PRICE"},
	{"OPENING", "CLOSING"},
	{"ARRIVAL", "DEPARTURE"},
	{"CHAIR", "SECRETARY"},
	{"EMAIL", "PHONE", "WEBSITE"},
	{"IBAN", "BIC", "TAXID"},
	{"MINIMUM", "MAXIMUM"},
	secretRoles,
}

// secretRoles are the terms of the roles of the parties of an agreement about secrets.
var secretRoles = []string{"DISCLOSER", "RECEIVER"}

// roles are the terms of the roles of parties.
var roles = []string{"SUPPLIER", "CUSTOMER", "LANDLORD", "TENANT", "EMPLOYER", "EMPLOYEE", "CARRIER", "POLICYHOLDER", "PATIENT", "DOCTOR"}

// synonyms are terms of a group that may mean the same.
var synonyms = [][2]string{{"DUE", "END"}, {"ISSUE", "SIGN"}, {"SUBTOTAL", "NET"}, {"SIGN", "START"}, {"ISSUE", "START"}}

// contradicts reports whether the label of a value says that the value is something else than the question asks for.
func (r *Reader) contradicts(q *questions.Question, c *candidate) bool {
	if role := r.roleOf(c); len(role) > 0 && q.Variable.Type == answers.String {
		return areOpposite(q.NameTerms, role) // the role after the name, and not the one before it, which may be another's
	}
	if end := r.labelEnd(q, c); end != questions.NoEnd && end != q.End {
		return true // the old price for the new one
	}
	if c.number != nil && c.number.Currency != "" && q.Shape == questions.PlainShape {
		return true // an amount of money is not a weight
	}
	label := lexicon.LabelTerms(r.ownLabel(c))
	if q.Shape == questions.IDShape && areOfOtherThings(q.NameTerms, label) {
		return true
	}
	return areOpposite(q.NameTerms, label)
}

// numbered are things that have an identifier.
var numbered = []string{"INVOICE", "ORDER", "CUSTOMER", "DELIVERY", "OFFER", "POLICY", "TAXID", "BOOKING", "EMPLOYEE", "PROJECT"}

// areOfOtherThings reports whether a label says that a number identifies something else than the question asks for: the
// number of a customer for the tax number.
func areOfOtherThings(asked, label []string) bool {
	wanted, said := common(numbered, asked), common(numbered, label)
	return len(wanted) > 0 && len(said) > 0 && !lexicon.Overlap(wanted, said)
}

// labelEnd returns the end of a change or a range that the label of a value names, if the question asks for one.
func (r *Reader) labelEnd(q *questions.Question, c *candidate) questions.End {
	if q.WithoutEnd == nil || lexicon.Overlap([]string{"START", "END"}, q.NameTerms) {
		return questions.NoEnd
	}
	own := r.ownLabel(c)
	if len(own) == 0 {
		return questions.NoEnd
	}
	return questions.EndOf(r.ix.Text[own[0].At.Start:max(own[0].At.End, own[len(own)-1].At.End)])
}

// roleOf returns the terms of the role that is defined after a name: X (the "Tenant"), or X, hereinafter the Tenant. The
// result is cached, because many questions ask about the same name.
func (r *Reader) roleOf(c *candidate) []string {
	return remembered(r.roles, c.answer.At, func() []string { return r.findRole(c) })
}

func (r *Reader) findRole(c *candidate) []string {
	const reach = 80 // bytes
	end := scan.RuneStart(r.ix.Text, min(len(r.ix.Text), c.answer.At.End+reach), len(r.ix.Text))
	rest := strings.TrimLeft(r.ix.Text[c.answer.At.End:end], " ,\n")
	from := end - len(rest)
	lower := strings.ToLower(rest)
	isPhrase := slices.ContainsFunc(names.RolePhrases, func(p string) bool { return strings.HasPrefix(lower, p) })
	if !strings.HasPrefix(rest, "(") && !isPhrase {
		return nil
	}
	if i := strings.IndexAny(rest[1:], ");.\n"); i >= 0 {
		rest = rest[:i+1]
	}
	return common(slices.Concat(roles, secretRoles), lexicon.LabelTerms(r.ix.MentionsIn(scan.Between(from, from+len(rest)))))
}

// ownLabel returns the label that belongs to a value most likely: the nearest one that has words.
func (r *Reader) ownLabel(c *candidate) label {
	all := r.labels(c)
	for _, where := range []place{near, inline, left, over, head} {
		if len(lexicon.LabelTerms(all[where])) > 0 {
			return all[where]
		}
	}
	return nil
}

// areOpposite reports whether terms of a label rule out terms of a question.
func areOpposite(asked, label []string) bool {
	for _, group := range opposites {
		wanted, said := common(group, asked), common(group, label)
		if len(wanted) > 0 && len(said) > 0 && !slices.ContainsFunc(wanted, func(w string) bool { return meansOneOf(w, said) }) {
			return true
		}
	}
	return false
}

// common returns the terms of a group that a list has.
func common(group, list []string) []string {
	var found []string
	for _, t := range group {
		if slices.Contains(list, t) {
			found = append(found, t)
		}
	}
	return found
}

func meansOneOf(wanted string, said []string) bool {
	return slices.ContainsFunc(said, func(s string) bool {
		return s == wanted || slices.Contains(synonyms, [2]string{s, wanted}) || slices.Contains(synonyms, [2]string{wanted, s})
	})
}
