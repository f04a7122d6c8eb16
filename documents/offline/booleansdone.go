package offline

import (
	"slices"
	"strings"
)

// matter is what a claim has to be about.
type matter struct {
	terms []string
	duty  bool // what must or will be is asked for, not only what is
}

// doneStates are the states that something reaches once. What is included, allowed or required by a contract from tomorrow on
// is so by the contract; what will be paid tomorrow is not.
var doneStates = []string{"PAID", "APPROVED", "SIGN"}

// asksForDuty reports that the question is about a duty, a permission or the future itself.
func (q *query) asksForDuty(asked *pattern) bool {
	often := func(t string) bool { return howOften[t] != "" } // what is paid monthly is due again and again
	if slices.ContainsFunc(asked.terms, often) || slices.Contains(asked.terms, "REQUIRED") || slices.Contains(asked.terms, "ALLOWED") {
		return true
	}
	text := spaced(q.variable.Name)
	if isNoise(q.variable.Name) {
		text = boundedText(q.variable.Description)
	}
	words := wordsOf(text)
	for _, phrases := range duties() {
		if phrases.count(words) > 0 {
			return true
		}
	}
	return false
}

// wordsIn are all words of a stretch, those too that are no mention.
func (r *reading) wordsIn(s span) []word { return wordsOf(r.text[s.start:s.end]) }

// isDoubted reports a word that leaves open whether what is said is so.
func (r *reading) isDoubted(at span) bool { return doubts()[r.lang].count(r.wordsIn(at)) > 0 }

// isDue reports that something is to be done, which says neither that it is done nor that it is not. What must not be done, or
// will not be, is not done.
func (r *reading) isDue(at span, asked matter) bool {
	if asked.duty {
		return false
	}
	words := r.within(at)
	isDone := func(m mention) bool {
		return slices.Contains(doneStates, m.term) && slices.Contains(asked.terms, m.term)
	}
	for _, m := range slices.Backward(words) {
		if !isDone(m) {
			continue
		}
		before, behind := span{at.start, m.at.start}, span{m.at.end, at.end}
		nots, _ := r.negations(before)
		return nots == 0 && (r.isLater(at) || duties()[r.lang].count(r.wordsIn(before)) > 0 ||
			dutiesBehind()[r.lang].count(r.wordsIn(behind)) > 0)
	}
	return false
}

func (r *reading) isLater(at span) bool {
	words := r.wordsIn(at)
	passive := passives()[r.lang].count(words)
	return passive > 1 || passive > 0 && laters()[r.lang].count(words) > 0
}

// isReported reports a clause that somebody denies or doubts in the one before it: "he denies, that ...".
func (r *reading) isReported(clause, sentence span) bool {
	before := span{sentence.start, clause.start}
	if before.start == before.end || !joiners()[firstFolded(r.text[clause.start:clause.end])] {
		return false
	}
	nots, _ := r.negations(before)
	return nots > 0 || r.isDoubted(before)
}

// cutLabel splits "label: value" and a label and its value in two columns.
func (r *reading) cutLabel(s span) (label, value span, ok bool) {
	text := r.text[s.start:s.end]
	for i := range len(text) {
		if text[i] == '\t' || text[i] == ':' && i+1 < len(text) && strings.IndexByte(" \t\n", text[i+1]) >= 0 {
			return span{s.start, s.start + i}, r.trim(span{s.start + i + 1, s.end}), true
		}
	}
	return span{}, span{}, false
}

// answerBehind reads what stands behind a label. It is sure of no answer too: a label and a value of any other kind make no
// statement together.
func (r *reading) answerBehind(asked matter, clause, sentence span) (c candidate, sure bool) {
	label, behind, labeled := r.cutLabel(clause)
	if !labeled {
		return candidate{}, false
	}
	value, ok := readAnswer(r.text[behind.start:behind.end])
	quote := r.bare(clause)
	if !ok && r.isDayDone(asked, span{behind.start, sentence.end}) {
		value, ok, quote = true, true, r.bare(span{clause.start, sentence.end})
	}
	if !ok && !r.isNotYet(behind) {
		return candidate{}, r.isUnanswered(asked, label, behind)
	}
	said := r.stanceOf(label, span{}, asked.terms)
	if said == depends {
		return candidate{}, true
	}
	isContrary := (said == denies) != excludesTax(asked.terms, r.within(label))
	return booleanCandidate(value != isContrary, quote, saidPlainly), true
}

// isDayDone reports that behind "Signed:" or "Approved by:" stand a day and a name at most: on that day, it was done. Any other
// word may say that it is due then.
func (r *reading) isDayDone(asked matter, value span) bool {
	asksDone := func(t string) bool { return slices.Contains(asked.terms, t) }
	days := r.datesIn(value)
	if len(days) != 1 || !slices.ContainsFunc(doneStates, asksDone) {
		return false
	}
	others := r.text[value.start:days[0].at.start] + " " + r.text[days[0].at.end:value.end]
	return !slices.ContainsFunc(wordsOf(others), func(w word) bool { return others[w.at.start] < 'A' || others[w.at.start] > 'Z' })
}

// isUnanswered reports a label that asks what the variable asks, with nothing behind it that answers: a value of any other kind
// makes no statement of the two.
func (r *reading) isUnanswered(asked matter, label, value span) bool {
	if isUnknown(r.wordsIn(value)) {
		return true
	}
	words := r.within(label)
	if !subsetAlike(asked.terms, claimTerms(words)) || r.isStatement(label, words, asked.terms) {
		return false
	}
	own := r.within(value)
	repeats := subsetAlike(asked.terms, claimTerms(own)) && r.isStatement(value, own, asked.terms)
	return !repeats && !r.answersWithState(value, asked.terms)
}

// isUnknown reads n/a and its like, with or without marks between the letters.
func isUnknown(words []word) bool {
	const most = 3
	letters := make([]string, 0, most)
	for _, w := range words[:min(len(words), most)] {
		letters = append(letters, w.text)
	}
	return len(words) <= most && unknowns()[strings.Join(letters, "")]
}

// isNotYet reads a negation by itself.
func (r *reading) isNotYet(s span) bool {
	const most = 3
	words := r.wordsIn(s)
	nots := 0
	for _, w := range words {
		switch {
		case negationsOf()[r.lang][w.text]:
			nots++
		case !yets()[w.text]:
			return false
		}
	}
	return nots == 1 && len(words) <= most
}
