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
	saidPlainly   = 0.86
	saidInPassing = 0.7
	mostClaim     = 40 // words of a sentence that claims something
	shortClaim    = 16
)

// claimIn reads a sentence that says all that the variable is about.
func (r *Reader) claimIn(asked subject, s scan.Span) (ranking.Answer, bool) {
	wanted := asked.terms
	words := r.doc.MentionsIn(s)
	if len(words) == 0 || len(words) > mostClaim || strings.HasSuffix(r.doc.Text[s.Start:s.End], "?") {
		return ranking.Answer{}, false
	}
	clause := r.clauseWith(wanted, s)
	words = r.doc.MentionsIn(clause)
	if !subsetAlike(wanted, claimTerms(words)) || r.isConditional(words) {
		return ranking.Answer{}, false
	}
	if c, sure := r.answerBehind(asked, clause, s); sure {
		return c, c.Key != ""
	}
	if !r.isStatement(clause, words, wanted) {
		return ranking.Answer{}, false
	}
	said := r.stances.stanceOf(clause, scan.Span{Start: clause.End, End: s.End}, wanted)
	if said == depends || r.isDue(clause, asked) || r.isReported(clause, s) {
		return ranking.Answer{}, false
	}
	score := saidPlainly
	if len(wanted) == 1 && len(words) > shortClaim {
		score = saidInPassing * 0.8
	}
	return booleanCandidate((said == denies) == excludesTax(wanted, words), names.Trim(r.doc.Text, clause), score), true
}

// excludesTax reports that prices with tax are asked for and prices without it are said.
func excludesTax(wanted []string, words []lexicon.Mention) bool {
	return slices.Contains(wanted, "TAX") && slices.ContainsFunc(words, func(m lexicon.Mention) bool { return m.Term == "NET" })
}

// claimTerms takes the two ways to speak of prices with tax for what they say of it.
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

func subsetAlike(wanted, said []string) bool {
	return !slices.ContainsFunc(wanted, func(t string) bool { return !lexicon.Contains(said, t) })
}

// clauseWith is the part of a sentence between commas that says everything, or else the whole.
func (r *Reader) clauseWith(wanted []string, s scan.Span) scan.Span {
	at := s.Start
	for at < s.End {
		end := s.End
		if i := strings.IndexAny(r.doc.Text[at:s.End], ",;"); i >= 0 {
			end = at + i
		}
		part := scan.TrimSpace(r.doc.Text, scan.Span{Start: at, End: end})
		if subsetAlike(wanted, claimTerms(r.doc.MentionsIn(part))) {
			return part
		}
		at = end + 1
	}
	return s
}

var conditions = scan.LazySet(`if unless whether when provided should si sauf lorsque se salvo caso wenn falls sofern soweit als indien tenzij
	mits om savida ifall jesli jezeli chyba daca cu exceptia a menos quando cuando`)

func (r *Reader) isConditional(words []lexicon.Mention) bool {
	if len(words) == 0 {
		return true
	}
	n := min(len(words), 2)
	return slices.ContainsFunc(words[:n], func(m lexicon.Mention) bool {
		folded := scan.Fold(r.doc.Text[m.At.Start:m.At.End])
		return folded != "om" && folded != "a" && folded != "cu" && conditions()[folded]
	})
}

// isStatement tells a sentence from a heading, which may end with a full stop where the text runs on behind it: it says how
// something is, or has more words than the matter itself, one of which may be its verb.
func (r *Reader) isStatement(s scan.Span, words []lexicon.Mention, wanted []string) bool {
	const least = 2
	if len(words) >= least && strings.HasSuffix(r.doc.Text[s.Start:s.End], ".") && r.hasState(s) {
		return true
	}
	others := 0
	for _, m := range words {
		if !lexicon.Contains(wanted, m.Term) && !scan.IsDigit(m.Term[0]) {
			others++
		}
	}
	for _, w := range scan.Words(r.doc.Text[s.Start:s.End]) {
		if lexicon.IsFiller(w.Text) {
			others++
		}
	}
	return others >= least
}

// doneStates are the states that something reaches once. What is included, allowed or required by a contract from tomorrow on
// is so by the contract; what will be paid tomorrow is not.
var doneStates = []string{"PAID", "APPROVED", "SIGN"}

// asksForDuty reports that the question is about a duty, a permission or the future itself.
func asksForDuty(q *questions.Question, asked *questions.Pattern) bool {
	often := func(t string) bool { return lexicon.Frequencies[t] != "" } // what is paid monthly is due again and again
	if slices.ContainsFunc(asked.Terms, often) || slices.Contains(asked.Terms, "REQUIRED") || slices.Contains(asked.Terms, "ALLOWED") {
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

// isDue reports that something is to be done, which says neither that it is done nor that it is not. What must not be done, or
// will not be, is not done.
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
		before, behind := scan.Span{Start: at.Start, End: m.At.Start}, scan.Span{Start: m.At.End, End: at.End}
		nots, _ := r.stances.negations(before)
		return nots == 0 && (r.isLater(at) || duties()[r.doc.Lang].count(scan.WordsIn(r.doc.Text, before)) > 0 ||
			dutiesBehind()[r.doc.Lang].count(scan.WordsIn(r.doc.Text, behind)) > 0)
	}
	return false
}

func (r *Reader) isLater(at scan.Span) bool {
	words := scan.WordsIn(r.doc.Text, at)
	passive := passives()[r.doc.Lang].count(words)
	return passive > 1 || passive > 0 && laters()[r.doc.Lang].count(words) > 0
}

// isReported reports a clause that somebody denies or doubts in the one before it: "he denies, that ...".
func (r *Reader) isReported(clause, sentence scan.Span) bool {
	before := scan.Span{Start: sentence.Start, End: clause.Start}
	if before.Start == before.End || !joiners()[scan.FirstWord(r.doc.Text[clause.Start:clause.End])] {
		return false
	}
	nots, _ := r.stances.negations(before)
	return nots > 0 || r.stances.isDoubted(before)
}

// asksLeave reports that it is said what is required, where it is asked what is allowed.
func (r *Reader) asksLeave(asked []string, s scan.Span) bool {
	said := func(term string) bool {
		return slices.ContainsFunc(r.doc.MentionsIn(s), func(m lexicon.Mention) bool { return m.Term == term })
	}
	return slices.Contains(asked, "ALLOWED") && said("REQUIRED") && !said("ALLOWED")
}

// joiners make a clause what another one says, thinks or doubts.
var joiners = scan.LazySet("that whether dass ob que qu che dat att ze iz czy ca daca")
