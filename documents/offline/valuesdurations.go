package offline

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"portside/documents/answers"
)

// lasting is a stretch of time where a text says it: 30 days, three (3) months.
type lasting struct {
	at    span
	value string
	unit  string
}

// smallNumbers are written out in contracts.
var smallNumbers = sync.OnceValue(func() map[string]int {
	numbers := map[string]int{"thirty": 30, "treinta": 30, "trinta": 30, "trente": 30, "dreissig": 30, "trenta": 30, "dertig": 30,
		"trettio": 30, "trzydziesci": 30, "treizeci": 30,
		"fourteen": 14, "vierzehn": 14, "quinze": 15, "quince": 15, "quindici": 15, "sixty": 60, "ninety": 90, "twenty": 20, "fifteen": 15}
	for _, row := range []string{
		"one two three four five six seven eight nine ten eleven twelve",
		"un dos tres cuatro cinco seis siete ocho nueve diez once doce",
		"um dois tres quatro cinco seis sete oito nove dez onze doze",
		"un deux trois quatre cinq six sept huit neuf dix onze douze",
		"einen zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
		"un due tre quattro cinque sei sette otto nove dieci undici dodici",
		"een twee drie vier vijf zes zeven acht negen tien elf twaalf",
		"en tva tre fyra fem sex sju atta nio tio elva tolv",
		"jeden dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec jedenascie dwanascie",
		"un doi trei patru cinci sase sapte opt noua zece unsprezece doisprezece",
		"ett duas tres dwoch trzech czterech pieciu szesciu siedmiu osmiu dziewieciu dziesieciu jedenastu dwunastu",
	} {
		for i, w := range strings.Fields(row) {
			if _, known := numbers[w]; !known {
				numbers[w] = i + 1
			}
		}
	}
	numbers["ett"], numbers["duas"], numbers["tres"], numbers["uma"], numbers["una"] = 1, 2, 3, 1, 1
	for i, w := range strings.Fields("dwoch trzech czterech pieciu szesciu siedmiu osmiu dziewieciu dziesieciu jedenastu dwunastu") {
		numbers[w] = i + 2
	}
	numbers["doua"], numbers["eine"], numbers["einem"], numbers["douazeci"] = 2, 1, 1, 20
	return numbers
})

var units = []string{"DAYS", "WEEKS", "MONTHS", "YEARS", "HOURS"}

// durationsIn finds the stretches of time in a text: a unit with a number shortly before.
func (r *reading) durationsIn(s span) []lasting {
	var found []lasting
	words := r.within(s)
	for i, m := range words {
		if !slices.Contains(units, m.term) || i > 0 && words[i-1].at == m.at {
			continue
		}
		if l, ok := r.lastingAt(s, m); ok {
			found = append(found, l)
		}
	}
	return found
}

func (r *reading) lastingAt(s span, unit mention) (lasting, bool) {
	const between = 16 // bytes of words such as "calendar"
	l := lasting{at: unit.at, unit: unit.term}
	figures := r.figuresIn(span{max(s.start, unit.at.start-2*between), unit.at.start})
	before, from := r.wordBefore(s, unit.at.start)
	if len(figures) > 0 {
		f := figures[len(figures)-1]
		if unit.at.start-f.at.end <= between && f.currency == "" && !f.percent && !strings.ContainsAny(r.text[f.at.end:unit.at.start], ",.;:") {
			l.value, l.at.start = f.value, f.at.start
			l.at.start = r.writtenOut(s, f.at.start)
			return l, true
		}
	}
	if n := smallNumbers()[before]; n > 0 {
		l.value, l.at.start = strconv.Itoa(n), from
		return l, true
	}
	return lasting{}, false
}

// writtenOut takes in the word before a number in brackets: three (3) months.
func (r *reading) writtenOut(s span, at int) int {
	if at > s.start && r.text[at-1] == '(' {
		if word, from := r.wordBefore(s, at-1); smallNumbers()[word] > 0 {
			return from
		}
	}
	return at
}

func (r *reading) wordBefore(s span, at int) (word string, from int) {
	const longest = 24
	window := span{max(s.start, at-longest), at}
	for window.start < window.end && r.text[window.start]&0xC0 == 0x80 {
		window.start++
	}
	words := wordsOf(r.text[window.start:window.end])
	if len(words) == 0 {
		return "", at
	}
	last := words[len(words)-1]
	return last.text, window.start + last.at.start
}

// durationNumber reads the number of a duration with a label: of a unit, or bare where the label names the unit.
func (r *reading) durationNumber(q *query, p *pair) []candidate {
	if found := r.durationsIn(p.value); len(found) > 0 {
		return []candidate{durationCandidate(r, q, found[0], 1)}
	}
	if slices.ContainsFunc(p.label, func(t string) bool { return slices.Contains(units, t) }) {
		return oneFigure(r.figuresIn(p.value), p.value, func(f figure) bool { return f.currency == "" && !f.percent })
	}
	return nil
}

func durationCandidate(r *reading, q *query, l lasting, score float64) candidate {
	if q.variable.Type == answers.String {
		c := stringCandidate(r.text, l.at, score)
		c.key = l.value + l.unit
		return c
	}
	if asked := q.unit(); asked != "" && asked != l.unit {
		return candidate{}
	}
	return candidate{value: answers.Value{Type: answers.Number, Text: l.value}, at: l.at, score: score, key: l.value}
}

// unit is the one that the variable's name asks for.
func (q *query) unit() string {
	for _, t := range termsOfName(q.variable.Name) {
		if slices.Contains(units, t) {
			return t
		}
	}
	return ""
}

// rate is how surely "36 hours per week" answers how many hours per week.
const rate = 0.85

// ratesIn reads how many of one unit there are in another, for variables that ask for nothing else.
func (r *reading) ratesIn(q *query, s span) []candidate {
	const pair, near = 2, 24
	asked := without(q.named, []string{"per", "pro", "par", "por"})
	if len(asked) != pair || len(without(asked, units)) > 0 {
		return nil
	}
	var all []candidate
	for _, l := range r.durationsIn(s) {
		next := r.within(span{l.at.end, min(s.end, l.at.end+near)})
		per := slices.ContainsFunc(next, func(m mention) bool { return m.term == asked[1] })
		if l.unit == asked[0] && per && !strings.ContainsAny(r.text[l.at.end:next[0].at.start], ",;.") {
			all = append(all, durationCandidate(r, q, l, rate))
		}
	}
	return all
}

func (r *reading) durationsBeside(q *query, s span) []candidate {
	if rates := r.ratesIn(q, s); len(rates) > 0 {
		return rates
	}
	durations := r.durationsIn(s)
	spans := make([]span, len(durations))
	for i, l := range durations {
		spans[i] = l.at
	}
	var all []candidate
	for i, score := range r.beside(q, s, spans) {
		if c := durationCandidate(r, q, durations[i], score); score > 0 && c.key != "" {
			all = append(all, c)
		}
	}
	return all
}
