package offline

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// monthForms are the names of the months, with their abbreviations and cases, in all languages: no form means one month
// here and another one there.
var monthForms = [12]string{
	"january jan enero ene janeiro janvier janv januar janner gennaio gen januari januar styczen stycznia sty ianuarie ian",
	"february feb febrero fevereiro fev fevrier fevr februar feber febbraio februari luty lutego lut februarie",
	"march mar marzo marco mars marz mrz maart mrt marzec marca martie",
	"april apr abril abr avril avr aprile kwiecien kwietnia kwi aprilie",
	"may mayo maio mai maggio mag mei maj maja",
	"june jun junio junho juin juni giugno giu czerwiec czerwca cze iunie iun",
	"july jul julio julho juillet juil juli luglio lug lipiec lipca lip iulie iul",
	"august aug agosto ago aout augustus augusti sierpien sierpnia sie",
	"september sep sept septiembre setiembre setembro set septembre settembre wrzesien wrzesnia wrz septembrie",
	"october oct octubre outubro out octobre oktober okt ottobre ott pazdziernik pazdziernika paz octombrie",
	"november nov noviembre novembro novembre listopad listopada lis noiembrie noi",
	"december dec diciembre dic dezembro dez decembre dezember dicembre grudzien grudnia gru decembrie", //nolint:misspell // it is French
}

var monthsByName = sync.OnceValue(func() map[string]int {
	months := map[string]int{}
	for i, forms := range monthForms {
		for form := range strings.FieldsSeq(forms) {
			months[form] = i + 1
		}
	}
	return months
})

const longestMonth = 14 // bytes, with a mark

// month reads the name of a month and the point of an abbreviation; 0 if there is none.
func (r *dateReader) month() int {
	end := wordEnd(r.text, r.at)
	if end == r.at || end-r.at < 3 || end-r.at > longestMonth {
		return 0
	}
	m := monthsByName()[fold(r.text[r.at:end])]
	if m == 0 {
		return 0
	}
	r.at = end
	if r.at < len(r.text) && r.text[r.at] == '.' {
		r.at++
	}
	return m
}

// monthFirst reads March 5, 2026 and Mar 5th 2026.
func (r *dateReader) monthFirst() (dated, bool) {
	start := r.at
	month := r.month()
	if month == 0 || !r.skip(" ") {
		return dated{}, false
	}
	day, width := r.number()
	if width == 0 || width > 2 {
		return dated{}, false
	}
	r.ordinal()
	if !r.skip(", ") {
		return dated{}, false
	}
	return r.withYear(dated{at: span{start, 0}, month: month, day: day})
}

// dayFirst reads 5 March 2026, 5. März 2026, 1er mars 2026, 3 de marzo de 2026, 3rd day of March, 2026, 03-Mar-26.
func (r *dateReader) dayFirst() (dated, bool) {
	start := r.at
	day, width := r.number()
	if width == 0 || width > 2 {
		return dated{}, false
	}
	r.ordinal()
	if !r.skip(" -./") {
		return dated{}, false
	}
	r.small("day", "of", "de", "del", "di", "d", "the", "månaden")
	month := r.month()
	if month == 0 {
		return dated{}, false
	}
	r.skip(" -,/.")
	r.small("of", "de", "del", "do", "di", "al", "anului")
	return r.withYear(dated{at: span{start, 0}, month: month, day: day})
}

func (r *dateReader) withYear(d dated) (dated, bool) {
	r.skip("'")
	year, width := r.number()
	if (width != 4 && width != 2) || r.goesOn() {
		return dated{}, false
	}
	if width == 2 && r.at < len(r.text) && r.text[r.at] == ':' {
		return dated{}, false // it is the time of the day
	}
	d.year, d.at.end = fullYear(year, width), r.at
	return d, d.exists()
}

// ordinal passes over what makes a number an ordinal: 1st, 3.º, 1er, 3:e.
func (r *dateReader) ordinal() {
	for _, mark := range []string{".º", ".°", "º", "°", "st", "nd", "rd", "th", "er", ":e", "-go"} {
		if rest, ok := strings.CutPrefix(r.text[r.at:], mark); ok {
			next, _ := utf8.DecodeRuneInString(rest)
			if !isWordRune(next) || rest == "" {
				r.at += len(mark)
				return
			}
		}
	}
}

// small passes over any of the words, and the spaces after them.
func (r *dateReader) small(words ...string) {
	for _, w := range words {
		if rest, ok := cutWord(r.text[r.at:], w); ok {
			r.at = len(r.text) - len(rest)
			r.skip(" '")
		}
	}
}

// cutWord cuts a word off the beginning, whatever its case.
func cutWord(text, word string) (rest string, ok bool) {
	if len(text) <= len(word) || !strings.EqualFold(text[:len(word)], word) {
		return text, false
	}
	if next, _ := utf8.DecodeRuneInString(text[len(word):]); isWordRune(next) {
		return text, false
	}
	return text[len(word):], true
}
