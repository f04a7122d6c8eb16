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

// unknowns fill fields without an answer, in any language: n/a, k. A., s.o., n.v.t.
var unknowns = scan.LazySet("na ka so nvt nd nr nc tba tbc tbd")

// yets are the words that can follow no in answers such as "not yet".
var yets = scan.LazySet("yet as of now so far noch bisher todavia aun encore ancora ainda nog an annu jeszcze inca hasta ahora")

// readYesNo reads yes or no, or check boxes beside these words. ok is false if the text has
// neither.
func readYesNo(text string) (value, ok bool) {
	if strings.ContainsAny(text, candidates.TickedBoxes+candidates.EmptyBoxes) || strings.Contains(text, "[") {
		return readBoxes(text)
	}
	words := scan.Words(text)
	const maxWords = 12
	if len(words) == 0 || len(words) > maxWords {
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

// readBoxes reads "☒ yes ☐ no" and "yes [x] no [ ]". The word beside the ticked box is the answer.
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

// isUnknown reports n/a and similar abbreviations.
func isUnknown(words []scan.Word) bool {
	const maxWords = 3
	letters := make([]string, 0, maxWords)
	for _, w := range words[:min(len(words), maxWords)] {
		letters = append(letters, w.Text)
	}
	return len(words) <= maxWords && unknowns()[strings.Join(letters, "")]
}

// isNotYet reports an answer that is only a negation.
func (r *Reader) isNotYet(s scan.Span) bool {
	const maxWords = 3
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
	return nots == 1 && len(words) <= maxWords
}

// cutLabel splits "label: value", and a label and its value in two columns.
func cutLabel(text string, s scan.Span) (label, value scan.Span, ok bool) {
	part := s.In(text)
	for i := range len(part) {
		if part[i] == '\t' || part[i] == ':' && i+1 < len(part) && strings.IndexByte(" \t\n", part[i+1]) >= 0 {
			return scan.Between(s.Start, s.Start+i), scan.TrimSpace(text, scan.Between(s.Start+i+1, s.End)), true
		}
	}
	return scan.Span{}, scan.Span{}, false
}

// answerBehind reads the answer after a label. isFinal is true if the clause is a label with a
// value, even if the value does not answer the question, because a label and a value of another kind do not form a
// statement.
func (r *Reader) answerBehind(asked subject, clause, sentence scan.Span) (a ranking.Answer, isFinal bool) {
	label, behind, labeled := cutLabel(r.doc.Text, clause)
	if !labeled {
		return ranking.Answer{}, false
	}
	value, ok := readYesNo(behind.In(r.doc.Text))
	quote := names.Trim(r.doc.Text, clause)
	if !ok && r.isDayDone(asked, scan.Between(behind.Start, sentence.End)) {
		value, ok, quote = true, true, names.Trim(r.doc.Text, scan.Between(clause.Start, sentence.End))
	}
	if !ok && !r.isNotYet(behind) {
		return ranking.Answer{}, r.isUnanswered(asked, label, behind)
	}
	stance := r.stances.stanceOf(label, scan.Span{}, asked.terms)
	if stance == depends {
		return ranking.Answer{}, true
	}
	isContrary := (stance == denies) != excludesTax(asked.terms, r.doc.MentionsIn(label))
	return newAnswer(value != isContrary, quote, plainScore), true
}

// isDayDone reports whether "Signed:" or "Approved by:" is followed by a date and at most a name,
// so it was done on that day. Other words may say that it is due on that day.
func (r *Reader) isDayDone(asked subject, value scan.Span) bool {
	asksDone := func(t string) bool { return slices.Contains(asked.terms, t) }
	days := r.doc.DatesIn(value)
	if len(days) != 1 || !slices.ContainsFunc(doneStates, asksDone) {
		return false
	}
	others := r.doc.Text[value.Start:days[0].At.Start] + " " + r.doc.Text[days[0].At.End:value.End]
	return !slices.ContainsFunc(scan.Words(others), func(w scan.Word) bool { return others[w.At.Start] < 'A' || others[w.At.Start] > 'Z' })
}

// isUnanswered reports whether a label asks the same as the question and its value does not answer.
func (r *Reader) isUnanswered(asked subject, label, value scan.Span) bool {
	if isUnknown(scan.WordsIn(r.doc.Text, value)) {
		return true
	}
	words := r.doc.MentionsIn(label)
	if !hasAll(asked.terms, claimTerms(words)) || r.isStatement(label, words, asked.terms) {
		return false
	}
	own := r.doc.MentionsIn(value)
	repeats := hasAll(asked.terms, claimTerms(own)) && r.isStatement(value, own, asked.terms)
	return !repeats && !r.answersWithState(value, asked.terms)
}
