package offline

import (
	"slices"
	"strings"
)

// boxes reads lines that begin or end with a box: "☒ Automatic renewal".
func (r *reading) boxes(q *query) []candidate {
	var all []candidate
	for _, b := range r.boxed {
		if r.watch.ended() {
			return nil
		}
		words := r.within(b.rest)
		p := pair{label: labelTerms(words), weight: byCells}
		score := q.match(&p, r.topic)
		if score < leastScore || len(p.label) == 0 {
			continue
		}
		if said := r.stanceOf(b.rest, span{}, p.label); said != depends {
			all = append(all, booleanCandidate(b.ticked != (said == denies), b.at, score))
		}
	}
	return all
}

// boxLine is a line with one box, and the rest of it.
type boxLine struct {
	at, rest span
	ticked   bool
}

// boxLines are the lines that have one box and no more.
func (r *reading) boxLines() []boxLine {
	var lines []boxLine
	for i := range r.blocks {
		at := r.blocks[i].Start
		for line := range strings.Lines(r.blocks[i].Text) {
			if r.watch.ended() {
				return nil
			}
			if b, ok := r.boxLine(span{at, at + len(line)}); ok && len(line) <= mostStretch {
				lines = append(lines, b)
			}
			at += len(line)
		}
	}
	return lines
}

func (r *reading) boxLine(s span) (boxLine, bool) {
	s = r.trim(s)
	text := r.text[s.start:s.end]
	at, ticked, ok := boxIn(text)
	if !ok {
		return boxLine{}, false
	}
	if _, _, more := boxIn(text[at.end:]); more {
		return boxLine{}, false
	}
	rest := span{s.start + at.end, s.end}
	if at.start > 0 {
		rest = span{s.start, s.start + at.start}
	}
	return boxLine{at: s, rest: rest, ticked: ticked}, true
}

func (r *reading) isNegation(m mention, after []mention) bool {
	folded := fold(r.text[m.at.start:m.at.end])
	if !negationsOf()[r.lang][folded] {
		return false
	}
	if folded != "no" || r.lang == "es" {
		return true
	}
	isNumber := strings.HasPrefix(r.text[m.at.end:], ".") && len(after) > 0 // Invoice no. 5
	return !isNumber
}

const (
	saidPlainly   = 0.86
	saidInPassing = 0.7
	mostClaim     = 40 // words of a sentence that claims something
	shortClaim    = 16
)

// claimIn reads a sentence that says all that the variable is about.
func (r *reading) claimIn(asked matter, s span) (candidate, bool) {
	wanted := asked.terms
	words := r.within(s)
	if len(words) == 0 || len(words) > mostClaim || strings.HasSuffix(r.text[s.start:s.end], "?") {
		return candidate{}, false
	}
	clause := r.clauseWith(wanted, s)
	words = r.within(clause)
	if !subsetAlike(wanted, claimTerms(words)) || r.isConditional(words) {
		return candidate{}, false
	}
	if c, sure := r.answerBehind(asked, clause, s); sure {
		return c, c.key != ""
	}
	if !r.isStatement(clause, words, wanted) {
		return candidate{}, false
	}
	said := r.stanceOf(clause, span{clause.end, s.end}, wanted)
	if said == depends || r.isDue(clause, asked) || r.isReported(clause, s) {
		return candidate{}, false
	}
	score := saidPlainly
	if len(wanted) == 1 && len(words) > shortClaim {
		score = saidInPassing * 0.8
	}
	return booleanCandidate((said == denies) == excludesTax(wanted, words), r.bare(clause), score), true
}

// excludesTax reports that prices with tax are asked for and prices without it are said.
func excludesTax(wanted []string, words []mention) bool {
	return slices.Contains(wanted, "TAX") && slices.ContainsFunc(words, func(m mention) bool { return m.term == "NET" })
}

// claimTerms takes the two ways to speak of prices with tax for what they say of it.
func claimTerms(words []mention) []string {
	terms := make([]string, 0, len(words)+2)
	for _, m := range words {
		terms = append(terms, m.term)
		if m.term == "GROSS" || m.term == "NET" {
			terms = append(terms, "TAX", "INCLUDED")
		}
	}
	return terms
}

func subsetAlike(wanted, said []string) bool {
	return !slices.ContainsFunc(wanted, func(t string) bool { return !containsTerm(said, t) })
}

// clauseWith is the part of a sentence between commas that says everything, or else the whole.
func (r *reading) clauseWith(wanted []string, s span) span {
	at := s.start
	for at < s.end {
		end := s.end
		if i := strings.IndexAny(r.text[at:s.end], ",;"); i >= 0 {
			end = at + i
		}
		part := r.trim(span{at, end})
		if subsetAlike(wanted, claimTerms(r.within(part))) {
			return part
		}
		at = end + 1
	}
	return s
}

var conditions = setsOf(`if unless whether when provided should si sauf lorsque se salvo caso wenn falls sofern soweit als indien tenzij
	mits om savida ifall jesli jezeli chyba daca cu exceptia a menos quando cuando`)

func (r *reading) isConditional(words []mention) bool {
	if len(words) == 0 {
		return true
	}
	n := min(len(words), 2)
	return slices.ContainsFunc(words[:n], func(m mention) bool {
		folded := fold(r.text[m.at.start:m.at.end])
		return folded != "om" && folded != "a" && folded != "cu" && conditions()[folded]
	})
}

// isStatement tells a sentence from a heading, which may end with a full stop where the text runs on behind it: it says how
// something is, or has more words than the matter itself, one of which may be its verb.
func (r *reading) isStatement(s span, words []mention, wanted []string) bool {
	const least = 2
	if len(words) >= least && strings.HasSuffix(r.text[s.start:s.end], ".") && r.hasState(s) {
		return true
	}
	others := 0
	for _, m := range words {
		if !containsTerm(wanted, m.term) && !isDigit(m.term[0]) {
			others++
		}
	}
	for _, w := range wordsOf(r.text[s.start:s.end]) {
		if isSmall(w.text) {
			others++
		}
	}
	return others >= least
}
