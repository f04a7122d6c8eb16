package offline

import "strings"

// besideRole is how surely a name before a role in brackets has that role.
const besideRole = 0.9

// partiesIn reads how contracts give parties their roles: Brightwater Ltd (the "Supplier").
func (r *reading) partiesIn(q *query, s span) []candidate {
	if q.shape != nameShape {
		return nil
	}
	all := r.calledIn(q, s)
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

// callings lead from a party's name to its role, without brackets: X, hereinafter "the Supplier".
var callings = []string{
	"hereinafter", "hereafter", "en adelante", "en lo sucesivo", "adiante designado", "adiante designada", "doravante", "di seguito", "d'ora in avanti",
	"d'ora innanzi", "ci-après", "nachfolgend", "im folgenden", "nachstehend", "hierna", "verder te noemen", "nedan kallad",
	"nedan", "härefter", "fortsättningsvis", "zwanym", "zwaną", "zwany", "zwana", "zwanymi", "denumit", "numit", "în calitate de",
	"in qualità di", "en calidad de", "na qualidade de", "en qualité de", "as the", "in de hoedanigheid van", "w charakterze",
}

// calledIn reads the names in front of such words, each from where the one before ended.
func (r *reading) calledIn(q *query, s span) []candidate {
	var all []candidate
	const mostRole = 48
	from := s.start
	lower := strings.ToLower(r.text[s.start:s.end])
	if len(lower) != s.end-s.start {
		return nil // offsets differ
	}
	for at := 0; at < len(lower); {
		i, size := firstOf(lower[at:], callings)
		if i < 0 {
			break
		}
		role := span{s.start + at + i + size, min(s.end, s.start+at+i+size+mostRole)}
		if stop := strings.IndexAny(r.text[role.start:role.end], ",;)"); stop > 0 {
			role.end = role.start + stop
		}
		name := r.withoutTitle(r.nameBefore(span{from, s.start + at + i}))
		if r.isRole(q, role) && name.end > name.start && r.isName(name) {
			all = append(all, stringCandidate(r.text, name, besideRole))
		}
		from, at = role.end, role.end-s.start
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

// withoutTitle cuts off the small words in front of a name: il signor, mevrouw.
func (r *reading) withoutTitle(s span) span {
	for _, w := range wordsOf(r.text[s.start:s.end]) {
		if isUpper(r.text[s.start+w.at.start]) || r.text[s.start+w.at.start] >= 0x80 {
			return span{s.start + w.at.start, s.end}
		}
	}
	return s
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
	": ", "between ", " and ", "zwischen ", " und ", "entre ", " y ", " e ", " et ", " tra ", "tussen ", " en ", "mellan ", " och ",
	"pomiędzy ", "między ", " a ",
	" oraz ", " i ", "între ", " și ", "by ", "der ", "la société ", "la empresa ", "a empresa ", "società ",
	"De una parte, ", "De otra parte, ", "De una, ", "De otra, ", "de una parte, ", "de otra parte, ", "de otra, ", "de una, ", "por uma parte, ", "d'une part, ", "d'autre part, ",
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
