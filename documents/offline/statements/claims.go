package statements

import (
	"slices"
	"strings"

	"portside/documents/offline/lexicon"
	"portside/documents/offline/names"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
)

const (
	plainScore      = 0.86
	passingScore    = 0.7
	maxClaimWords   = 40
	shortClaimWords = 16
)

// claimIn reads a sentence that mentions everything that the question is about.
func (r *Reader) claimIn(asked subject, s scan.Span) (ranking.Answer, bool) {
	wanted := asked.terms
	words := r.doc.MentionsIn(s)
	if len(words) == 0 || len(words) > maxClaimWords || strings.HasSuffix(s.In(r.doc.Text), "?") {
		return ranking.Answer{}, false
	}
	clause := r.clauseWith(wanted, s)
	words = r.doc.MentionsIn(clause)
	if !hasAll(wanted, claimTerms(words)) || r.isConditional(words) {
		return ranking.Answer{}, false
	}
	if a, isFinal := r.answerBehind(asked, clause, s); isFinal {
		return a, a.Key != ""
	}
	if !r.isStatement(clause, words, wanted) {
		return ranking.Answer{}, false
	}
	stance := r.stances.stanceOf(clause, scan.Between(clause.End, s.End), wanted)
	if stance == depends || r.isDue(clause, asked) || r.isReported(clause, s) {
		return ranking.Answer{}, false
	}
	score := plainScore
	if len(wanted) == 1 && len(words) > shortClaimWords {
		score = passingScore * 0.8
	}
	return newAnswer((stance == denies) == excludesTax(wanted, words), names.Trim(r.doc.Text, clause), score), true
}

// clauseWith returns the part of a sentence between commas that has all wanted terms, or the whole
// sentence.
func (r *Reader) clauseWith(wanted []string, s scan.Span) scan.Span {
	at := s.Start
	for at < s.End {
		end := s.End
		if i := strings.IndexAny(r.doc.Text[at:s.End], ",;"); i >= 0 {
			end = at + i
		}
		part := scan.TrimSpace(r.doc.Text, scan.Between(at, end))
		if hasAll(wanted, claimTerms(r.doc.MentionsIn(part))) {
			return part
		}
		at = end + 1
	}
	return s
}

// excludesTax reports whether the question asks for prices with tax and the words are about prices
// without tax.
func excludesTax(wanted []string, words []lexicon.Mention) bool {
	return slices.Contains(wanted, "TAX") && slices.ContainsFunc(words, func(m lexicon.Mention) bool { return m.Term == "NET" })
}

// claimTerms returns the terms of words. Gross and net prices are about tax and inclusion too.
func claimTerms(words []lexicon.Mention) []string {
	terms := make([]string, 0, len(words)+2)
	for _, m := range words {
		terms = append(terms, m.Term)
		if m.Term == "GROSS" || m.Term == "NET" {
			terms = append(terms, "TAX", "INCLUDED")
		}
	}
	return terms
}

// hasAll reports whether present has all wanted terms or similar words.
func hasAll(wanted, present []string) bool {
	return !slices.ContainsFunc(wanted, func(t string) bool { return !lexicon.Contains(present, t) })
}

// conditions open a conditional clause.
var conditions = scan.LazySet(`if unless whether when provided should si sauf lorsque se salvo caso wenn falls sofern soweit als
	indien tenzij mits om savida ifall jesli jezeli chyba daca cu exceptia a menos quando cuando`)

// isConditional reports whether words begin with a condition.
func (r *Reader) isConditional(words []lexicon.Mention) bool {
	if len(words) == 0 {
		return true
	}
	n := min(len(words), 2)
	return slices.ContainsFunc(words[:n], func(m lexicon.Mention) bool {
		folded := scan.Fold(m.At.In(r.doc.Text))
		return folded != "om" && folded != "a" && folded != "cu" && conditions()[folded]
	})
}

// isStatement reports whether a span is a sentence and not a heading: it has a state, or it has
// more words than the subject, one of which may be a verb.
func (r *Reader) isStatement(s scan.Span, words []lexicon.Mention, wanted []string) bool {
	const minWords = 2
	if len(words) >= minWords && strings.HasSuffix(s.In(r.doc.Text), ".") && r.hasState(s) {
		return true
	}
	others := 0
	for _, m := range words {
		if !lexicon.Contains(wanted, m.Term) && !scan.IsDigit(m.Term[0]) {
			others++
		}
	}
	for _, w := range scan.Words(s.In(r.doc.Text)) {
		if lexicon.IsFiller(w.Text) {
			others++
		}
	}
	return others >= minWords
}

// doneStates are the states that something reaches once. A contract that includes something from
// tomorrow includes it; something that is paid tomorrow is not paid.
var doneStates = []string{"PAID", "APPROVED", "SIGN"}

// asksForDuty reports whether the question is about a duty, a permission or the future.
func asksForDuty(q *questions.Question, asked *questions.Pattern) bool {
	often := func(t string) bool { return lexicon.Frequencies[t] != "" } // a monthly payment is a duty
	if slices.ContainsFunc(asked.Terms, often) || slices.Contains(asked.Terms, "REQUIRED") ||
		slices.Contains(asked.Terms, "ALLOWED") {
		return true
	}
	text := questions.SplitName(q.Variable.Name)
	if questions.IsUninformative(q.Variable.Name) {
		text = questions.Shorten(q.Variable.Description)
	}
	words := scan.Words(text)
	for _, phrases := range duties() {
		if phrases.count(words) > 0 {
			return true
		}
	}
	return false
}

// isDue reports whether something is still to be done, so that it is neither done nor refused.
// Something that must not be done is not done.
func (r *Reader) isDue(at scan.Span, asked subject) bool {
	if asked.duty {
		return false
	}
	words := r.doc.MentionsIn(at)
	isDone := func(m lexicon.Mention) bool {
		return slices.Contains(doneStates, m.Term) && slices.Contains(asked.terms, m.Term)
	}
	for _, m := range slices.Backward(words) {
		if !isDone(m) {
			continue
		}
		before, behind := scan.Between(at.Start, m.At.Start), scan.Between(m.At.End, at.End)
		nots, _ := r.stances.negations(before)
		return nots == 0 && (r.isLater(at) || duties()[r.doc.Lang].count(scan.WordsIn(r.doc.Text, before)) > 0 ||
			dutiesBehind()[r.doc.Lang].count(scan.WordsIn(r.doc.Text, behind)) > 0)
	}
	return false
}

// isLater reports a passive that is about the future.
func (r *Reader) isLater(at scan.Span) bool {
	words := scan.WordsIn(r.doc.Text, at)
	passive := passives()[r.doc.Lang].count(words)
	return passive > 1 || passive > 0 && laters()[r.doc.Lang].count(words) > 0
}

// joiners open a clause that another clause reports or doubts.
var joiners = scan.LazySet("that whether dass ob que qu che dat att ze iz czy ca daca")

// isReported reports a clause that the clause before it denies or doubts: "he denies that ...".
func (r *Reader) isReported(clause, sentence scan.Span) bool {
	before := scan.Between(sentence.Start, clause.Start)
	if before.Start == before.End || !joiners()[scan.FirstWord(clause.In(r.doc.Text))] {
		return false
	}
	nots, _ := r.stances.negations(before)
	return nots > 0 || r.stances.isDoubted(before)
}

// isRequirement reports whether the question asks for a permission and the span states a
// requirement.
func (r *Reader) isRequirement(asked []string, s scan.Span) bool {
	mentions := func(term string) bool {
		return slices.ContainsFunc(r.doc.MentionsIn(s), func(m lexicon.Mention) bool { return m.Term == term })
	}
	return slices.Contains(asked, "ALLOWED") && mentions("REQUIRED") && !mentions("ALLOWED")
}
