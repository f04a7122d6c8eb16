package dates

import (
	"strings"
	"sync"

	"portside/documents/offline/scan"
)

// monthForms are the names of the months with their abbreviations and cases in all languages. No
// form means different months in two languages.
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

const maxMonthBytes = 14

// month reads the name of a month and the full stop of an abbreviation. It returns 0 if there is
// none.
func (r *dateReader) month() int {
	end := scan.WordEnd(r.text, r.at)
	if end == r.at || end-r.at < 3 || end-r.at > maxMonthBytes {
		return 0
	}
	m := monthsByName()[scan.Fold(r.text[r.at:end])]
	if m == 0 {
		return 0
	}
	r.at = end
	if r.at < len(r.text) && r.text[r.at] == '.' {
		r.at++
	}
	return m
}
