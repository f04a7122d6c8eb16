package index

import (
	"slices"
	"strings"

	"portside/documents/offline/dates"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// pasts and sinces connect a period with the date from which it is counted. besideCounts may stand
// next to them.
var (
	pasts = scan.LazySet(`after following past before prior nach vor apres suivant avant despues tras siguientes antes apos depois
		subsequentes seguintes dopo successivi prima na voor volgend efter fore po przed dupa inainte later`)
	sinces = scan.LazySet(`from of since starting beginning commencing counted counting
		ab seit von vom gerechnet beginnend
		de du depuis des compter partir
		del desde contar da dal dalla di decorrere partire
		van vanaf gerekend fran av raknat rakna od liczac din incepand`)
	besideCounts = scan.LazySet(`the to on than as a au le la el al o os il lo i dem den der op het de den och med dnia daty data cu
		date datum dia`)
)

// countAdjectives may stand between a unit and the word that connects it: jours ouvrables après.
var countAdjectives = scan.LazySet(`calendaires ouvrables ouvres francs net nets naturales habiles laborables corridos uteis
	lavorativi solari kalendarzowych roboczych calendaristice lucratoare netto`)

// markAnchors sets the anchor of each date.
func markAnchors(ix *Index) {
	for i := range ix.Dates {
		if ix.Watch.Stopped() {
			return
		}
		ix.Dates[i].Anchor = anchorOf(ix, ix.Dates[i].At.Start)
	}
}

// anchorOf reads back from a date, over the connecting words, to a unit of time.
func anchorOf(ix *Index, date int) dates.Anchor {
	from := phraseStart(ix.Text, date)
	words := scan.Words(ix.Text[from:date])
	anchor := dates.NotAnchor
	n := len(words) - 1
	for ; n >= 0; n-- {
		word := words[n].Text
		switch {
		case pasts()[word]:
			anchor = dates.PeriodOffset
		case sinces()[word]:
			anchor = max(anchor, dates.PeriodStart)
		case !besideCounts()[word]:
			if anchor == dates.NotAnchor {
				return dates.NotAnchor
			}
			return anchorAfter(ix, anchor, from, words[:n+1])
		}
	}
	return dates.NotAnchor
}

// anchorAfter returns the anchor if the words before the connecting ones end with a period. The
// period needs a number, unless the connecting words are clear without it.
func anchorAfter(ix *Index, anchor dates.Anchor, from int, words []scan.Word) dates.Anchor {
	if n := len(words) - 1; n > 0 && countAdjectives()[words[n].Text] {
		words = words[:n]
	}
	end := from + words[len(words)-1].At.End
	s := scan.Between(from, end)
	for _, l := range ix.DurationsIn(s) {
		if l.At.End == end {
			return anchor
		}
	}
	for _, m := range ix.MentionsIn(s) {
		if m.At.End == end && anchor == dates.PeriodOffset &&
			(m.Term == "DATE" || slices.Contains(lexicon.TimeUnits, m.Term)) {
			return anchor
		}
	}
	return dates.NotAnchor
}

// phraseStart returns the start of the words that may belong to a date. They begin in the same line
// and clause, unless the line break is within a sentence.
func phraseStart(text string, date int) int {
	const maxBytes = 80
	from := scan.RuneStart(text, max(0, date-maxBytes), date)
	if i := strings.LastIndexAny(text[from:date], "\t,;:.|"); i >= 0 {
		from += i + 1
	}
	for i := date - 1; i >= from; i-- {
		if text[i] == '\n' && (i+1 < date && !scan.IsLower(text[i+1]) || i > from && text[i-1] == '\n') {
			return i + 1
		}
	}
	return from
}
