package statements

import (
	"slices"
	"strings"

	"portside/documents/offline/candidates"
	"portside/documents/offline/names"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
)

var yesWords = scan.LazySet("yes true si sim oui ja tak da y x igen vrai wahr verdadeiro verdadero vero prawda")

var noWords = scan.LazySet("no false nao non nein nee nej nie nu n falsch faux falso")

// readAnswer reads yes or no, or boxes beside both.
func readYesNo(text string) (value, ok bool) {
	if strings.ContainsAny(text, candidates.TickedBoxes+candidates.EmptyBoxes) || strings.Contains(text, "[") {
		return readBoxes(text)
	}
	words := scan.Words(text)
	const mostWords = 12
	if len(words) == 0 || len(words) > mostWords {
		return false, false
	}
	end := text[words[0].At.End:]
	rest := strings.TrimLeft(end, " ")
	closes := end != "" && strings.IndexByte(",.;:(", end[0]) >= 0
	remarks := rest != end && strings.IndexAny(rest, "–-(") == 0
	isAlone := len(words) == 1 || closes || remarks
	switch {
	case !isAlone, len(words) > 1 && isUnknown(words):
		return false, false
	case yesWords()[words[0].Text]:
		return true, true
	case noWords()[words[0].Text]:
		return false, true
	}
	return false, false
}

// readBoxes reads "☒ yes ☐ no" and "yes [x] no [ ]": the ticked one counts, the words tell what for.
func readBoxes(text string) (value, ok bool) {
	at, ticked, found := candidates.FindBox(text)
	if !found {
		return false, false
	}
	before := at.Start == 0 || strings.TrimSpace(text[:at.Start]) == ""
	answers := 0
	for rest := text; ; {
		at, ticked, found := candidates.FindBox(rest)
		if !found {
			break
		}
		word := scan.FirstWord(rest[at.End:])
		if !before {
			word = scan.LastWord(rest[:at.Start])
		}
		if ticked && (yesWords()[word] || noWords()[word]) {
			value, ok = yesWords()[word], true
			answers++
		}
		rest = rest[at.End:]
	}
	if answers > 1 {
		return false, false
	}
	if !ok && strings.TrimSpace(text[:at.Start]+text[at.End:]) == "" {
		return ticked, true
	}
	return value, ok
}

// cutLabel splits "label: value" and a label and its value in two columns.
func cutLabel(text string, s scan.Span) (label, value scan.Span, ok bool) {
	part := text[s.Start:s.End]
	for i := range len(part) {
		if part[i] == '\t' || part[i] == ':' && i+1 < len(part) && strings.IndexByte(" \t\n", part[i+1]) >= 0 {
			return scan.Span{Start: s.Start, End: s.Start + i}, scan.TrimSpace(text, scan.Span{Start: s.Start + i + 1, End: s.End}), true
		}
	}
	return scan.Span{}, scan.Span{}, false
}

// answerBehind reads what stands behind a label. It is sure of no answer too: a label and a value of any other kind make no
// statement together.
func (r *Reader) answerBehind(asked subject, clause, sentence scan.Span) (c ranking.Answer, sure bool) {
	label, behind, labeled := cutLabel(r.doc.Text, clause)
	if !labeled {
		return ranking.Answer{}, false
	}
	value, ok := readYesNo(r.doc.Text[behind.Start:behind.End])
	quote := names.Trim(r.doc.Text, clause)
	if !ok && r.isDayDone(asked, scan.Span{Start: behind.Start, End: sentence.End}) {
		value, ok, quote = true, true, names.Trim(r.doc.Text, scan.Span{Start: clause.Start, End: sentence.End})
	}
	if !ok && !r.isNotYet(behind) {
		return ranking.Answer{}, r.isUnanswered(asked, label, behind)
	}
	said := r.stances.stanceOf(label, scan.Span{}, asked.terms)
	if said == depends {
		return ranking.Answer{}, true
	}
	isContrary := (said == denies) != excludesTax(asked.terms, r.doc.MentionsIn(label))
	return booleanCandidate(value != isContrary, quote, saidPlainly), true
}

// isDayDone reports that behind "Signed:" or "Approved by:" stand a day and a name at most: on that day, it was done. Any other
// word may say that it is due then.
func (r *Reader) isDayDone(asked subject, value scan.Span) bool {
	asksDone := func(t string) bool { return slices.Contains(asked.terms, t) }
	days := r.doc.DatesIn(value)
	if len(days) != 1 || !slices.ContainsFunc(doneStates, asksDone) {
		return false
	}
	others := r.doc.Text[value.Start:days[0].At.Start] + " " + r.doc.Text[days[0].At.End:value.End]
	return !slices.ContainsFunc(scan.Words(others), func(w scan.Word) bool { return others[w.At.Start] < 'A' || others[w.At.Start] > 'Z' })
}

// isUnanswered reports a label that asks what the variable asks, with nothing behind it that answers: a value of any other kind
// makes no statement of the two.
func (r *Reader) isUnanswered(asked subject, label, value scan.Span) bool {
	if isUnknown(scan.WordsIn(r.doc.Text, value)) {
		return true
	}
	words := r.doc.MentionsIn(label)
	if !subsetAlike(asked.terms, claimTerms(words)) || r.isStatement(label, words, asked.terms) {
		return false
	}
	own := r.doc.MentionsIn(value)
	repeats := subsetAlike(asked.terms, claimTerms(own)) && r.isStatement(value, own, asked.terms)
	return !repeats && !r.answersWithState(value, asked.terms)
}

// isUnknown reads n/a and its like, with or without marks between the letters.
func isUnknown(words []scan.Word) bool {
	const most = 3
	letters := make([]string, 0, most)
	for _, w := range words[:min(len(words), most)] {
		letters = append(letters, w.Text)
	}
	return len(words) <= most && unknowns()[strings.Join(letters, "")]
}

// isNotYet reads a negation by itself.
func (r *Reader) isNotYet(s scan.Span) bool {
	const most = 3
	words := scan.WordsIn(r.doc.Text, s)
	nots := 0
	for _, w := range words {
		switch {
		case negationsOf()[r.doc.Lang][w.Text]:
			nots++
		case !yets()[w.Text]:
			return false
		}
	}
	return nots == 1 && len(words) <= most
}

// yets are the small words in an answer such as "not yet".
var yets = scan.LazySet("yet as of now so far noch bisher todavia aun encore ancora ainda nog an annu jeszcze inca hasta ahora")

// unknowns stand where a form has no answer, in any language: n/a, k. A., s.o., n.v.t.
var unknowns = scan.LazySet("na ka so nvt nd nr nc tba tbc tbd")
