package offline

import "strings"

// clauseNouns stand before the number of a clause.
var clauseNouns = setsOf(`section sections clause clauses article articles art artikel articulo artigo articolo artykul artykulu articolul
	paragraph absatz abs ziffer ust punkt pkt`)

// numbersClause reports a figure that tells where something stands and not how much it is: "§ 11", "article 9". Some questions
// are about just that.
func (r *reading) numbersClause(q *query, f figure) bool {
	const near = 24
	if !mayNumberClause(f) {
		return false
	}
	before := r.text[max(0, f.at.start-near):f.at.start]
	before = strings.TrimRight(before[strings.LastIndexByte(before, '\n')+1:], " .\u00a0")
	noun := lastFolded(before)
	if strings.HasSuffix(before, "§") {
		return true
	}
	return clauseNouns()[noun] && strings.HasSuffix(fold(before), noun) &&
		!strings.Contains(fold(q.variable.Name+" "+q.variable.Description), noun)
}

// opensClause reports the number of the clause that a sentence begins: "4. Penalty", "4) Penalty".
func opensClause(f figure, sentence span, text string) bool {
	before, behind := text[sentence.start:f.at.start], text[f.at.end:sentence.end]
	return mayNumberClause(f) && strings.TrimSpace(before) == "" && (strings.HasPrefix(behind, ". ") || strings.HasPrefix(behind, ") "))
}

func mayNumberClause(f figure) bool {
	const mostDigits = 3
	return f.currency == "" && !f.percent && f.fraction == "" && len(f.whole) <= mostDigits
}
