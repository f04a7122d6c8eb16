package mediaoffline

import "strings"

// besideRole is how surely a name before a role in brackets has that role.
const besideRole = 0.9

// partiesIn reads how contracts give parties their roles: Brightwater Ltd (the "Supplier").
func (r *reading) partiesIn(q *query, s span) []candidate {
	if q.shape != nameShape {
		return nil
	}
	var all []candidate
	for at := s.start; at < s.end; {
		open := strings.IndexByte(r.text[at:s.end], '(')
		if open < 0 {
			return all
		}
		inner := span{at + open + 1, s.end}
		if end := strings.IndexByte(r.text[inner.start:s.end], ')'); end >= 0 {
			inner.end = inner.start + end
		}
		if name := r.nameBefore(span{at, inner.start - 1}); r.isRole(q, inner) && name.end > name.start && r.isName(name) {
			all = append(all, stringCandidate(r.text, name, besideRole))
		}
		at = min(inner.end+1, s.end)
	}
	return all
}

// isRole reports that brackets hold the role asked for, and little else.
func (r *reading) isRole(q *query, inner span) bool {
	const most = 60
	if inner.end-inner.start > most {
		return false
	}
	words := r.within(inner)
	for i := range words {
		if _, score := q.phraseAt(words, i); score > 0 {
			return true
		}
	}
	return false
}

var partyLinks = []string{
	"between ", " and ", "zwischen ", " und ", "entre ", " y ", " e ", " et ", " tra ", "tussen ", " en ", "mellan ", " och ",
	"pomiędzy ", "między ", " a ",
	" oraz ", " i ", "între ", " și ", "by ", "der ", "la société ", "la empresa ", "a empresa ", "società ",
}

// nameBefore is the name at the end of a stretch, without its address.
func (r *reading) nameBefore(s span) span {
	s.start = r.afterOpening(s)
	start := s.start
	for _, link := range partyLinks {
		text := r.text[s.start:s.end]
		for i := strings.LastIndex(text, link); i >= 0; i = strings.LastIndex(text[:i], link) {
			if next := i + len(link); next < len(text) && (isUpper(text[next]) || text[next] >= 0x80) {
				start = max(start, s.start+next)
				break
			}
		}
	}
	return r.name(r.bare(span{start, s.end}))
}

// afterOpening passes over the first word of a sentence that names the parties.
func (r *reading) afterOpening(s span) int {
	s = r.trim(s)
	for _, w := range []string{"between", "zwischen", "entre", "tra", "fra", "tussen", "mellan", "pomiędzy", "między", "între",
		"and", "und", "y", "e", "et", "en", "och", "a", "i", "și"} {
		if rest, ok := cutWord(r.text[s.start:s.end], w); ok {
			return s.end - len(rest)
		}
	}
	return s.start
}
