package mediaprompt

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"portside/documents/lazyregexp"
)

// dateIn looks for the day, the month and the year, in figures or with the month as a word. What is written in another way, or
// in another language, is not contradicted, and not shown either.
func dateIn(quote, iso string) float64 {
	day, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return 0
	}
	q := quotedDay{Time: day, quote: quote, runs: runsOf(quote)}
	if confidence, certain := q.inFigures(); certain {
		return confidence
	}
	return q.inWords()
}

// quotedDay is a day that is looked for in a quote.
type quotedDay struct {
	time.Time
	quote string
	runs  []run
}

// run is a run of digits, with what is before it since the last one.
type run struct{ gap, text string }

func runsOf(quote string) []run {
	var all []run
	end := 0
	for _, at := range digits().FindAllStringIndex(quote, -1) {
		all = append(all, run{quote[end:at[0]], quote[at[0]:at[1]]})
		end = at[1]
	}
	return all
}

func (q quotedDay) has(texts ...string) bool {
	return slices.ContainsFunc(q.runs, func(r run) bool { return slices.Contains(texts, r.text) })
}

func (q quotedDay) hasYear() bool { return q.has(q.Format("2006"), q.Format("06")) }

var (
	firm  = lazyregexp.New(`^ ?(?:[./-]|[年月]) ?$`) // between the figures of a date
	loose = lazyregexp.New(`^ ?(?:[./-]|[年月]|) ?$`)
)

// inFigures looks for three figures in a row that are the day, or for eight digits. It is certain if they are there, or others
// that are another day.
func (q quotedDay) inFigures() (confidence float64, certain bool) {
	if q.has(q.Format("20060102"), q.Format("060102"), q.Format("02012006")) {
		return shown, true
	}
	other := false
	for i := range max(0, len(q.runs)-2) {
		three := q.runs[i : i+3]
		if loose().MatchString(three[1].gap) && loose().MatchString(three[2].gap) {
			confidence = max(confidence, q.matches(three))
		}
		other = other || firm().MatchString(three[1].gap) && firm().MatchString(three[2].gap)
	}
	return confidence, confidence > 0 || other
}

// matches reads three figures in the orders that are in use. Which of two small ones is the month may be open, but not between
// points, where it is the second.
func (q quotedDay) matches(three []run) float64 {
	a, b, c := three[0].text, three[1].text, three[2].text
	day, month, year := isNumber(q.Day()), isNumber(int(q.Month())), q.Format("2006")
	points := strings.Contains(three[1].gap, ".")
	open := q.Day() <= 12 && q.Day() != int(q.Month()) && !points
	switch {
	case a == year && month(b) && day(c):
		return shown
	case c != year && c != q.Format("06"):
	case day(a) && month(b) && !open, month(a) && day(b) && q.Day() > 12:
		return shown
	case open && (day(a) && month(b) || month(a) && day(b)):
		return read
	}
	if a == q.Format("06") && month(b) && day(c) {
		return read
	}
	return 0
}

// isNumber compares a figure of a day or a month.
func isNumber(n int) func(text string) bool {
	return func(text string) bool {
		return text == strconv.Itoa(n) || len(text) == 2 && text == "0"+strconv.Itoa(n)
	}
}

var year = lazyregexp.New(`^(?:19|20)[0-9]{2}$`)

// inWords is for what has no three figures in a row: the month may be a word, and the year may be missing.
func (q quotedDay) inWords() float64 {
	named := monthsIn(q.quote)
	month := slices.Contains(named, q.Month())
	years := func(r run) bool { return year().MatchString(r.text) }
	switch {
	case len(named) > 0 && !month && !q.inTwoFigures():
		return 0
	case len(q.runs) == 0:
		return written
	case !q.has(strconv.Itoa(q.Day()), q.Format("02")), !q.has(q.Format("2006")) && slices.ContainsFunc(q.runs, years):
		return 0
	case month && q.besideMonth() && q.hasYear():
		return shown
	case month, q.inTwoFigures():
		return partly
	case !strings.ContainsFunc(q.quote, unicode.IsLetter), q.twoOther():
		return 0
	case q.hasYear():
		return partly // a month of another language, as it seems
	}
	return written
}

// inTwoFigures reports whether the quote has the day and the month as 05.03.
func (q quotedDay) inTwoFigures() bool {
	day, month := isNumber(q.Day()), isNumber(int(q.Month()))
	return q.anyTwo(func(a, b string) bool { return day(a) && month(b) || month(a) && day(b) })
}

// twoOther reports whether the quote has some day and month in figures.
func (q quotedDay) twoOther() bool {
	return q.anyTwo(func(a, b string) bool { return len(a) <= 2 && len(b) <= 2 })
}

func (q quotedDay) anyTwo(are func(a, b string) bool) bool {
	for i := range max(0, len(q.runs)-1) {
		if firm().MatchString(q.runs[i+1].gap) && are(q.runs[i].text, q.runs[i+1].text) {
			return true
		}
	}
	return false
}

var pieces = lazyregexp.New(`[0-9]+|\p{L}+`)

// besideMonth reports whether the day stands next to the month's name, with nothing between but what belongs to a date.
func (q quotedDay) besideMonth() bool {
	const between = " st nd rd th er e a ª º de di del den der of the do da al "
	all := slices.DeleteFunc(pieces().FindAllString(strings.ToLower(q.quote), -1), func(piece string) bool {
		return strings.Contains(between, " "+piece+" ")
	})
	day := isNumber(q.Day())
	for i := range max(0, len(all)-1) {
		if day(all[i]) && isMonth(all[i+1], q.Month()) || isMonth(all[i], q.Month()) && day(all[i+1]) {
			return true
		}
	}
	return false
}

// monthsIn are the months that the words of a quote may name.
func monthsIn(quote string) []time.Month {
	var all []time.Month
	for _, word := range words().FindAllString(strings.ToLower(quote), -1) {
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

// monthNames are those of each month in en, es, pt, fr, de, it, nl, sv, pl and ro, with their abbreviations and cases.
//
//nolint:misspell // other languages
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
