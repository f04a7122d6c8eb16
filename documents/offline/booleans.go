package offline

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"portside/documents/answers"
)

// negations are words that turn a statement round, by language: the same word may mean nothing of the kind in another one.
var negations = map[answers.Lang]string{
	"en": "not no non never without neither nor none cannot",
	"es": "no sin nunca ningun ninguna ni tampoco",
	"pt": "nao sem nunca nenhum nenhuma nem",
	"fr": "pas sans jamais aucun aucune ni non",
	"de": "nicht kein keine keinen keiner keinem keines ohne nie niemals",
	"it": "non senza mai nessun nessuna nessuno",
	"nl": "niet geen zonder nooit",
	"sv": "inte ej icke utan ingen inget inga aldrig",
	"pl": "nie bez brak nigdy zaden zadna",
	"ro": "nu fara niciun nicio niciodata nici",
}

var negationsOf = sync.OnceValue(func() map[answers.Lang]map[string]bool {
	all := map[answers.Lang]map[string]bool{}
	for lang, list := range negations {
		all[lang] = setOf(list)
	}
	return all
})

var yesWords = setsOf("yes true si sim oui ja tak da y x igen vrai wahr verdadeiro verdadero vero prawda")
var noWords = setsOf("no false nao non nein nee nej nie nu n falsch faux falso")

func setsOf(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return setOf(list) })
}

// booleans finds out whether a document says that something is so. Saying nothing of it is no answer.
func (r *reading) booleans(q *query) []candidate {
	var all []candidate
	for i := range q.patterns {
		if p := &q.patterns[i]; p.weight > 0 {
			all = append(all, r.claims(q, p)...)
		}
	}
	return all
}

// claims looks for what one wording of the question asks.
func (r *reading) claims(q *query, asked *pattern) []candidate {
	wanted, flips := q.claim(asked.terms)
	if len(wanted) == 0 {
		return nil
	}
	var all []candidate
	plainQuery := *q
	plainQuery.patterns = []pattern{{terms: wanted, weight: asked.weight}}
	m := matter{terms: wanted, duty: q.asksForDuty(asked)}
	touched := r.touching(slices.Concat(wanted, taxWords(wanted)))
	for i := range r.pairs {
		if r.watch.ended() {
			return nil
		}
		if !touchesAny(touched, r.pairs[i].label) {
			continue
		}
		if c, ok := r.booleanPair(&plainQuery, &r.pairs[i], m); ok {
			all = append(all, c)
		}
	}
	all = append(all, r.boxes(&plainQuery)...)
	state := slices.ContainsFunc(asked.terms, func(t string) bool { return slices.Contains(q.soft, t) })
	for _, s := range r.sentences {
		if r.watch.ended() {
			return nil
		}
		if !r.mentionsAny(touched, s) {
			continue
		}
		c, ok := r.claimIn(m, s)
		if ok && (!state || r.hasState(c.at)) && !r.asksLeave(asked.terms, c.at) {
			c.score *= asked.weight
			all = append(all, c)
		}
	}
	if flips {
		for i := range all {
			all[i] = booleanCandidate(all[i].value.Text != "true", all[i].at, all[i].score)
		}
	}
	return all
}

// taxWords are the terms that speak of tax and of what is included without saying so.
func taxWords(wanted []string) []string {
	if slices.Contains(wanted, "TAX") || slices.Contains(wanted, "INCLUDED") {
		return []string{"GROSS", "NET"}
	}
	return nil
}

// claim splits what is asked into what it is about, and whether it asks for the contrary.
func (q *query) claim(terms []string) (wanted []string, flips bool) {
	flips = slices.Contains(terms, "NOT")
	if less := without(terms, append([]string{"NOT", "is", "are", "does"}, q.soft...)); len(less) > 0 {
		return less, flips
	}
	return without(terms, []string{"NOT"}), flips
}

func booleanCandidate(value bool, at span, score float64) candidate {
	text := "false"
	if value {
		text = "true"
	}
	return candidate{value: answers.Value{Type: answers.Boolean, Text: text}, at: at, score: score, key: text}
}

// booleanPair reads yes, no or a ticked box beside a label.
func (r *reading) booleanPair(q *query, p *pair, asked matter) (candidate, bool) {
	score := q.match(p, r.topic)
	if score < leastScore-againBonus {
		return candidate{}, false
	}
	at := p.value
	value, ok := readAnswer(r.text[at.start:at.end])
	if ok && value && r.isLimited(r.within(at)) {
		return candidate{}, false
	}
	if !ok {
		at = r.firstStatement(at)
		value, ok = r.stateIn(at, p.label, asked)
		score *= 0.9
	}
	if !ok {
		return candidate{}, false
	}
	switch r.stanceOf(p.labelAt, span{}, p.label) {
	case denies:
		value = !value
	case depends:
		return candidate{}, false
	}
	return booleanCandidate(value, r.clause(at), score), true
}

// firstStatement ends where another one begins.
func (r *reading) firstStatement(s span) span {
	if i := strings.Index(r.text[s.start:s.end], ". "); i >= 0 {
		s.end = s.start + i
	}
	return s
}

// stateIn reads a state such as "included" or "not required" that stands in place of yes and no.
func (r *reading) stateIn(s span, label []string, asked matter) (value, ok bool) {
	const mostWords = 6
	said := r.stanceOf(s, span{}, nil)
	if r.isDue(s, matter{doneStates, asked.duty}) {
		said = depends
	}
	return said == affirms, said != depends && r.answersWithState(s, slices.Concat(label, asked.terms)) && len(r.within(s)) <= mostWords
}

// answersWithState reports a state behind a label. "See annex" is none, unless what is attached is asked for, nor is the month
// of May.
func (r *reading) answersWithState(s span, about []string) bool {
	days := r.datesIn(s)
	return slices.ContainsFunc(r.within(s), func(m mention) bool {
		isMonth := slices.ContainsFunc(days, func(d dated) bool { return d.at.start <= m.at.start && m.at.end <= d.at.end })
		return slices.Contains(states, m.term) && !isMonth && (m.term != "ATTACHED" || slices.Contains(about, "ATTACHED"))
	})
}

var states = []string{"INCLUDED", "PAID", "APPROVED", "ALLOWED", "REQUIRED", "SIGN", "ATTACHED", "GROSS", "NET"}

// hasState reports a word that says how something is. Without one, speaking of shipping does not say whether it is included.
func (r *reading) hasState(s span) bool {
	return slices.ContainsFunc(r.within(s), func(m mention) bool { return slices.Contains(states, m.term) })
}

const (
	tickedBoxes = "☒☑✓✔✅🗹"
	emptyBoxes  = "☐□✗✘❌"
)

// readAnswer reads yes or no, or boxes beside both.
func readAnswer(text string) (value, ok bool) {
	if strings.ContainsAny(text, tickedBoxes+emptyBoxes) || strings.Contains(text, "[") {
		return readBoxes(text)
	}
	words := wordsOf(text)
	const mostWords = 12
	if len(words) == 0 || len(words) > mostWords {
		return false, false
	}
	end := text[words[0].at.end:]
	rest := strings.TrimLeft(end, " ")
	closes := end != "" && strings.IndexByte(",.;:(", end[0]) >= 0
	remarks := rest != end && strings.IndexAny(rest, "–-(") == 0
	isAlone := len(words) == 1 || closes || remarks
	switch {
	case !isAlone, len(words) > 1 && isUnknown(words):
		return false, false
	case yesWords()[words[0].text]:
		return true, true
	case noWords()[words[0].text]:
		return false, true
	}
	return false, false
}

// boxIn finds the first box of a text.
func boxIn(text string) (at span, ticked, ok bool) {
	for i, c := range text {
		size := utf8.RuneLen(c)
		switch {
		case strings.ContainsRune(tickedBoxes, c):
			return span{i, i + size}, true, true
		case strings.ContainsRune(emptyBoxes, c):
			return span{i, i + size}, false, true
		case c == '[' && len(text) > i+2 && text[i+2] == ']' && strings.IndexByte("xX ", text[i+1]) >= 0:
			return span{i, i + 3}, text[i+1] != ' ', true
		case c == '[' && len(text) > i+1 && text[i+1] == ']':
			return span{i, i + 2}, false, true
		}
	}
	return span{}, false, false
}

// readBoxes reads "☒ yes ☐ no" and "yes [x] no [ ]": the ticked one counts, the words tell what for.
func readBoxes(text string) (value, ok bool) {
	at, ticked, found := boxIn(text)
	if !found {
		return false, false
	}
	before := at.start == 0 || strings.TrimSpace(text[:at.start]) == ""
	answers := 0
	for rest := text; ; {
		at, ticked, found := boxIn(rest)
		if !found {
			break
		}
		word := firstFolded(rest[at.end:])
		if !before {
			word = lastFolded(rest[:at.start])
		}
		if ticked && (yesWords()[word] || noWords()[word]) {
			value, ok = yesWords()[word], true
			answers++
		}
		rest = rest[at.end:]
	}
	if answers > 1 {
		return false, false
	}
	if !ok && strings.TrimSpace(text[:at.start]+text[at.end:]) == "" {
		return ticked, true
	}
	return value, ok
}

func firstFolded(text string) string {
	words := wordsOf(text[:min(len(text), 24)])
	if len(words) == 0 {
		return ""
	}
	return words[0].text
}

func lastFolded(text string) string {
	words := wordsOf(text)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1].text
}
