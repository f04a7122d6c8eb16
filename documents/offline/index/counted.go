package index

import (
	"slices"
	"strings"

	"portside/documents/offline/dates"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// pasts and sinces join a stretch of time with the day that it is counted from; others may stand beside them.
var (
	pasts = scan.LazySet(`after following past before prior nach vor apres suivant avant despues tras siguientes antes apos depois
		subsequentes seguintes dopo successivi prima na voor volgend efter fore po przed dupa inainte later`)
	sinces = scan.LazySet(`from of since starting beginning commencing counted counting
		ab seit von vom gerechnet beginnend
		de du depuis des compter partir
		del desde contar da dal dalla di decorrere partire
		van vanaf gerekend fran av raknat rakna od liczac din incepand`)
	besideCounts = scan.LazySet("the to on than as a au le la el al o os il lo i dem den der op het de den och med dnia daty data cu date datum dia")
)

// countAdjectives may stand between a unit and the word that joins it: jours ouvrables après.
var countAdjectives = scan.LazySet(`calendaires ouvrables ouvres francs net nets naturales habiles laborables corridos uteis lavorativi solari
	kalendarzowych roboczych calendaristice lucratoare netto`)

// markCounted notes of each day what is counted from it.
func (r *Index) markAnchors() {
	for i := range r.Dates {
		if r.Watch.Stopped() {
			return
		}
		r.Dates[i].Anchor = r.anchorOf(r.Dates[i].At.Start)
	}
}

// countingBefore reads back from a day over the joining words to a unit of time.
func (r *Index) anchorOf(day int) dates.Anchor {
	from := phraseStart(r.Text, day)
	words := scan.Words(r.Text[from:day])
	how := dates.NotAnchor
	n := len(words) - 1
	for ; n >= 0; n-- {
		word := words[n].Text
		switch {
		case pasts()[word]:
			how = dates.PeriodOffset
		case sinces()[word]:
			how = max(how, dates.PeriodStart)
		case !besideCounts()[word]:
			if how == dates.NotAnchor {
				return dates.NotAnchor
			}
			return r.anchorAfter(how, from, words[:n+1])
		}
	}
	return dates.NotAnchor
}

// countedBy reports how a day is counted from if the words before the joining ones end with a stretch of time: with its number,
// or where what joins leaves no doubt, without.
func (r *Index) anchorAfter(how dates.Anchor, from int, words []scan.Word) dates.Anchor {
	if n := len(words) - 1; n > 0 && countAdjectives()[words[n].Text] {
		words = words[:n]
	}
	end := from + words[len(words)-1].At.End
	s := scan.Span{Start: from, End: end}
	for _, l := range r.DurationsIn(s) {
		if l.At.End == end {
			return how
		}
	}
	for _, m := range r.MentionsIn(s) {
		if m.At.End == end && how == dates.PeriodOffset && (m.Term == "DATE" || slices.Contains(lexicon.TimeUnits, m.Term)) {
			return how
		}
	}
	return dates.NotAnchor
}

// phraseStart is where the words begin that may belong to a day: no further back than its line and its clause, unless the line
// goes on in the middle of a sentence.
func phraseStart(text string, day int) int {
	const longest = 80
	from := max(0, day-longest)
	for from < day && text[from]&0xC0 == 0x80 {
		from++
	}
	if i := strings.LastIndexAny(text[from:day], "\t,;:.|"); i >= 0 {
		from += i + 1
	}
	for i := day - 1; i >= from; i-- {
		if text[i] == '\n' && (i+1 < day && !scan.IsLower(text[i+1]) || i > from && text[i-1] == '\n') {
			return i + 1
		}
	}
	return from
}
