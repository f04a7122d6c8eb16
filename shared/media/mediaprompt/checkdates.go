package mediaprompt

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"portside/documents/lazyregexp"
)

// checkDate returns the confidence that a quote contains a date: in figures, or with the month as a
// word. A date that is written in another way, or in an unknown language, is neither contradicted nor
// verified.
func checkDate(quote, iso string) float64 {
	day, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return 0
	}
	q := quotedDay{Time: day, quote: quote, runs: digitRuns(quote)}
	if confidence, certain := q.checkFigures(); certain {
		return confidence
	}
	return q.checkWords()
}

// quotedDay is a date to look for in a quote.
type quotedDay struct {
	time.Time
	quote string
	runs  []digitRun
}

// digitRun is a run of digits with the text between it and the previous run.
type digitRun struct{ gap, text string }

func digitRuns(quote string) []digitRun {
	var all []digitRun
	end := 0
	for _, at := range digitsPattern().FindAllStringIndex(quote, -1) {
		all = append(all, digitRun{quote[end:at[0]], quote[at[0]:at[1]]})
		end = at[1]
	}
	return all
}

func (q quotedDay) has(texts ...string) bool {
	return slices.ContainsFunc(q.runs, func(r digitRun) bool { return slices.Contains(texts, r.text) })
}

func (q quotedDay) hasYear() bool { return q.has(q.Format("2006"), q.Format("06")) }

var (
	strictGap = lazyregexp.New(`^ ?(?:[./-]|[年月]) ?$`) // between the figures of a date
	looseGap  = lazyregexp.New(`^ ?(?:[./-]|[年月]|) ?$`)
)

// checkFigures looks for the date as three figures in a row, or as eight digits. The result is certain
// if it finds the date, or another date.
func (q quotedDay) checkFigures() (confidence float64, certain bool) {
	if q.has(q.Format("20060102"), q.Format("060102"), q.Format("02012006")) {
		return verified, true
	}
	other := false
	for i := range max(0, len(q.runs)-2) {
		three := q.runs[i : i+3]
		if looseGap().MatchString(three[1].gap) && looseGap().MatchString(three[2].gap) {
			confidence = max(confidence, q.matchFigures(three))
		}
		other = other || strictGap().MatchString(three[1].gap) && strictGap().MatchString(three[2].gap)
	}
	return confidence, confidence > 0 || other
}

// matchFigures compares three figures with the date, in the orders that are in use. If both the day
// and the month are 12 or less, the order may be ambiguous, but with points the month is the second.
func (q quotedDay) matchFigures(three []digitRun) float64 {
	a, b, c := three[0].text, three[1].text, three[2].text
	day, month, year := equalsNumber(q.Day()), equalsNumber(int(q.Month())), q.Format("2006")
	points := strings.Contains(three[1].gap, ".")
	isAmbiguous := q.Day() <= 12 && q.Day() != int(q.Month()) && !points
	switch {
	case a == year && month(b) && day(c):
		return verified
	case c != year && c != q.Format("06"):
	case day(a) && month(b) && !isAmbiguous, month(a) && day(b) && q.Day() > 12:
		return verified
	case isAmbiguous && (day(a) && month(b) || month(a) && day(b)):
		return plausible
	}
	if a == q.Format("06") && month(b) && day(c) {
		return plausible
	}
	return 0
}

// equalsNumber returns a function that reports whether a figure is the number, with or without a
// leading zero.
func equalsNumber(n int) func(text string) bool {
	return func(text string) bool {
		return text == strconv.Itoa(n) || len(text) == 2 && text == "0"+strconv.Itoa(n)
	}
}

var yearPattern = lazyregexp.New(`^(?:19|20)[0-9]{2}$`)

// checkWords looks for the date if there are no three figures in a row: with the month as a word, or
// without a year.
func (q quotedDay) checkWords() float64 {
	named := monthsIn(q.quote)
	month := slices.Contains(named, q.Month())
	years := func(r digitRun) bool { return yearPattern().MatchString(r.text) }
	switch {
	case len(named) > 0 && !month && !q.hasDayAndMonth():
		return 0
	case len(q.runs) == 0:
		return unverified
	case !q.has(strconv.Itoa(q.Day()), q.Format("02")), !q.has(q.Format("2006")) && slices.ContainsFunc(q.runs, years):
		return 0
	case month && q.isBesideMonth() && q.hasYear():
		return verified
	case month, q.hasDayAndMonth():
		return partial
	case !strings.ContainsFunc(q.quote, unicode.IsLetter), q.hasAnyDayAndMonth():
		return 0
	case q.hasYear():
		return partial // probably the month is in an unknown language
	}
	return unverified
}

// hasDayAndMonth reports whether the quote has the day and the month as two figures, such as 05.03.
func (q quotedDay) hasDayAndMonth() bool {
	day, month := equalsNumber(q.Day()), equalsNumber(int(q.Month()))
	return q.anyPair(func(a, b string) bool { return day(a) && month(b) || month(a) && day(b) })
}

// hasAnyDayAndMonth reports whether the quote has any day and month as two figures.
func (q quotedDay) hasAnyDayAndMonth() bool {
	return q.anyPair(func(a, b string) bool { return len(a) <= 2 && len(b) <= 2 })
}

func (q quotedDay) anyPair(are func(a, b string) bool) bool {
	for i := range max(0, len(q.runs)-1) {
		if strictGap().MatchString(q.runs[i+1].gap) && are(q.runs[i].text, q.runs[i+1].text) {
			return true
		}
	}
	return false
}

var piecePattern = lazyregexp.New(`[0-9]+|\p{L}+`)

// isBesideMonth reports whether the day is next to the name of the month. Only words that belong to a
// date may be between them.
func (q quotedDay) isBesideMonth() bool {
	const between = " st nd rd th er e a ª º de di del den der of the do da al "
	all := slices.DeleteFunc(piecePattern().FindAllString(strings.ToLower(q.quote), -1), func(piece string) bool {
		return strings.Contains(between, " "+piece+" ")
	})
	day := equalsNumber(q.Day())
	for i := range max(0, len(all)-1) {
		if day(all[i]) && isMonth(all[i+1], q.Month()) || isMonth(all[i], q.Month()) && day(all[i+1]) {
			return true
		}
	}
	return false
}

// monthsIn returns the months that the words of a quote may name.
func monthsIn(quote string) []time.Month {
	var all []time.Month
	for _, word := range wordPattern().FindAllString(strings.ToLower(quote), -1) {
		for month := time.January; month <= time.December; month++ {
			if isMonth(word, month) {
				all = append(all, month)
			}
		}
	}
	return all
}

func isMonth(word string, month time.Month) bool {
	return slices.Contains(strings.Fields(monthNames[month-1]), word)
}

// monthNames are the names of each month in en, es, pt, fr, de, it, nl, sv, pl and ro, with abbreviations and
// grammatical cases.
//
//nolint:misspell // words of other languages
var monthNames = [...]string{
	"january jan enero ene janeiro janvier janv januar jänner jän jaenner gennaio gen januari styczeń stycznia sty ianuarie ian",
	"february feb febrero fevereiro fev février févr fév fevrier februar febbraio februari luty lutego lut februarie",
	"march mar marzo março marco mars märz mär mrz maerz maart mrt marzec marca martie",
	"april apr abril abr avril avr aprile kwiecień kwietnia kwi aprilie",
	"may mayo maio mai maggio mag mei maj maja",
	"june jun junio junho juin juni giugno giu czerwiec czerwca cze iunie iun",
	"july jul julio julho juillet juil juli luglio lug lipiec lipca lip iulie iul",
	"august aug agosto ago août aout augustus augusti sierpień sierpnia sie",
	"september sep sept septiembre setiembre set setembro septembre settembre wrzesień września wrz septembrie",
	"october oct octubre outubro out octobre oktober okt ottobre ott październik października paź octombrie",
	"november nov noviembre novembro novembre listopad listopada lis noiembrie noi",
	"december dec diciembre dic dezembro dez décembre déc decembre dezember dicembre grudzień grudnia gru decembrie",
}
