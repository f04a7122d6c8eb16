package offline

import (
	"slices"
	"strings"
)

// counting tells whether a day is said for itself or only to count from: 30 days after 5 May 2026 is not 5 May.
type counting int

const (
	notCounted  counting = iota
	countedFrom          // a stretch of time begins with it
	countedPast          // what is meant lies so long after or before it
)

// pasts and sinces join a stretch of time with the day that it is counted from; others may stand beside them.
var (
	pasts = setsOf(`after following past before prior nach vor apres suivant avant despues tras siguientes antes apos depois
		subsequentes seguintes dopo successivi prima na voor volgend efter fore po przed dupa inainte later`)
	sinces = setsOf(`from of since starting beginning commencing counted counting
		ab seit von vom gerechnet beginnend
		de du depuis des compter partir
		del desde contar da dal dalla di decorrere partire
		van vanaf gerekend fran av raknat rakna od liczac din incepand`)
	besideCounts = setsOf("the to on than as a au le la el al o os il lo i dem den der op het de den och med dnia daty data cu date datum dia")
)

// countAdjectives may stand between a unit and the word that joins it: jours ouvrables après.
var countAdjectives = setsOf(`calendaires ouvrables ouvres francs net nets naturales habiles laborables corridos uteis lavorativi solari
	kalendarzowych roboczych calendaristice lucratoare netto`)

// markCounted notes of each day what is counted from it.
func (r *reading) markCounted() {
	for i := range r.dates {
		if r.watch.ended() {
			return
		}
		r.dates[i].counted = r.countingBefore(r.dates[i].at.start)
	}
}

// countingBefore reads back from a day over the joining words to a unit of time.
func (r *reading) countingBefore(day int) counting {
	from := r.phraseStart(day)
	words := wordsOf(r.text[from:day])
	how := notCounted
	n := len(words) - 1
	for ; n >= 0; n-- {
		word := words[n].text
		switch {
		case pasts()[word]:
			how = countedPast
		case sinces()[word]:
			how = max(how, countedFrom)
		case !besideCounts()[word]:
			if how == notCounted {
				return notCounted
			}
			return r.countedBy(how, from, words[:n+1])
		}
	}
	return notCounted
}

// countedBy reports how a day is counted from if the words before the joining ones end with a stretch of time: with its number,
// or where what joins leaves no doubt, without.
func (r *reading) countedBy(how counting, from int, words []word) counting {
	if n := len(words) - 1; n > 0 && countAdjectives()[words[n].text] {
		words = words[:n]
	}
	end := from + words[len(words)-1].at.end
	s := span{from, end}
	for _, l := range r.durationsIn(s) {
		if l.at.end == end {
			return how
		}
	}
	for _, m := range r.within(s) {
		if m.at.end == end && how == countedPast && (m.term == "DATE" || slices.Contains(units, m.term)) {
			return how
		}
	}
	return notCounted
}

// phraseStart is where the words begin that may belong to a day: no further back than its line and its clause, unless the line
// goes on in the middle of a sentence.
func (r *reading) phraseStart(day int) int {
	const longest = 80
	from := max(0, day-longest)
	for from < day && r.text[from]&0xC0 == 0x80 {
		from++
	}
	if i := strings.LastIndexAny(r.text[from:day], "\t,;:.|"); i >= 0 {
		from += i + 1
	}
	for i := day - 1; i >= from; i-- {
		if r.text[i] == '\n' && (i+1 < day && !isLower(r.text[i+1]) || i > from && r.text[i-1] == '\n') {
			return i + 1
		}
	}
	return from
}

func isLower(b byte) bool { return b >= 'a' && b <= 'z' }

// dayOf is a day as an answer: none, though said, where it is void or only counted from.
func (q *query) dayOf(d dated, score float64) candidate {
	c := dateCandidate(d, score)
	if d.void || d.counted == countedPast || d.counted == countedFrom && !q.begins {
		c.void, c.key = true, voidKey
	}
	return c
}

// asksForBeginning reports that the day with which a stretch of time begins may be meant.
func (q *query) asksForBeginning() bool {
	return q.end == firstEnd || q.asksForStart() || slices.Contains(q.named, "START") || slices.Contains(q.told, "START")
}
