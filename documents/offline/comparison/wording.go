package comparison

import (
	"strconv"
	"strings"
	"time"

	"portside/documents/answers"
)

// phrase identifies a template. {a} and {b} are the values, {c} is the difference.
type phrase int

const (
	sameValue phrase = iota
	noDifference
	sameButForm
	firstWithin
	secondWithin
	differentValues
	higher
	lower
	later
	earlier
	onlyFirst
	onlySecond
	neitherFound
	yes
	no
	percentSign
	doubtInSecond
	doubtInFirst
	otherSign
)

// quotes are the quotation marks of each language, in the style of its books.
var quotes = map[answers.Lang][2]string{
	"en": {"“", "”"}, "es": {"«", "»"}, "pt": {"«", "»"}, "fr": {"«" + noBreak, noBreak + "»"}, "de": {"„", "“"},
	"it": {"«", "»"}, "nl": {"“", "”"}, "sv": {"”", "”"}, "pl": {"„", "”"}, "ro": {"„", "”"},
}

func (w wording) quoted(text string) string { return quotes[w.lang][0] + text + quotes[w.lang][1] }

// count returns a number with the right form of its unit.
func (w wording) count(n int, u unit) string {
	forms := unitForms[w.lang][u]
	return w.number(strconv.Itoa(n)) + " " + forms[pluralForm(w.lang, n)]
}

// pluralForm returns the index of the form for a number: one, few or many. Languages with two forms
// use the first two.
func pluralForm(lang answers.Lang, n int) int {
	switch lang {
	case "fr", "pt":
		if n <= 1 {
			return 0
		}
		return 1
	case "pl":
		return polishForm(n)
	case "ro":
		return romanianForm(n)
	}
	if n == 1 {
		return 0
	}
	return 1
}

// polishForm returns the form of 1 dzień, 2 lata, 5 lat, 12 lat, 22 lata.
func polishForm(n int) int {
	switch ones, tens := n%10, n%100; {
	case n == 1:
		return 0
	case ones >= 2 && ones <= 4 && (tens < 12 || tens > 14):
		return 1
	}
	return 2
}

// romanianForm returns the form of o zi, 19 zile, 20 de zile, 101 zile.
func romanianForm(n int) int {
	const lastWithoutDe = 19
	switch rest := n % 100; {
	case n == 1:
		return 0
	case n == 0 || rest >= 1 && rest <= lastWithoutDe:
		return 1
	}
	return 2
}

// number writes a plain decimal with the separators of the language.
func (w wording) number(plain string) string {
	sign := ""
	if rest, ok := strings.CutPrefix(plain, "-"); ok {
		sign, plain = "−", rest
	}
	whole, fraction, _ := strings.Cut(plain, ".")
	group, mark := marksOf(w.lang)
	whole = grouping(whole, group, w.lang)
	if fraction == "" {
		return sign + whole
	}
	return sign + whole + mark + fraction
}

const noBreak = "\u00a0"

func marksOf(lang answers.Lang) (group, decimal string) {
	switch lang {
	case "en":
		return ",", "."
	case "fr", "sv", "pl":
		return noBreak, ","
	}
	return ".", ","
}

const digitsPerGroup = 3

// grouping inserts a mark before every three digits. Spanish, Portuguese and Polish do not group
// numbers of four digits.
func grouping(whole, mark string, lang answers.Lang) string {
	const four = 4
	if len(whole) <= digitsPerGroup || len(whole) == four && (lang == "es" || lang == "pt" || lang == "pl") {
		return whole
	}
	first := len(whole) % digitsPerGroup
	if first == 0 {
		first = digitsPerGroup
	}
	var out strings.Builder
	out.WriteString(whole[:first])
	for i := first; i < len(whole); i += digitsPerGroup {
		out.WriteString(mark + whole[i:i+digitsPerGroup])
	}
	return out.String()
}

// date writes a date in the customs of the language.
func (w wording) date(day time.Time) string {
	name := strings.Fields(monthNamesOf[w.lang])[day.Month()-1]
	d, y := strconv.Itoa(day.Day()), strconv.Itoa(day.Year())
	switch w.lang {
	case "es", "pt":
		return d + " de " + name + " de " + y
	case "de":
		return d + ". " + name + " " + y
	case "fr":
		if day.Day() == 1 {
			d = "1er"
		}
	}
	return d + " " + name + " " + y
}

// grammar is the place of a date in a sentence.
type grammar int

const (
	alone   grammar = iota
	said            // as the object of "say"
	instead         // after "instead of", with the preposition where it contracts with the article
)

// articles are those in front of a date, in the languages that use one, by grammar.
var articles = map[answers.Lang][3]string{
	"de": {"der ", "den ", "des "}, "es": {"el ", "el ", "del "}, "fr": {"le ", "le ", "du "}, "it": {"il ", "il ", "del "},
	"sv": {"den ", "den ", "den "},
}

// dateIn writes a date with its article.
func (w wording) dateIn(g grammar, day time.Time) string {
	article := articles[w.lang][g]
	if n := day.Day(); w.lang == "it" && (n == 8 || n == 11) { // otto and undici begin with a vowel
		article = strings.NewReplacer("il ", "l’", "del ", "dell’").Replace(article)
	}
	return article + w.date(day)
}

// monthNamesOf are the month names in the form that stands in a date.
var monthNamesOf = map[answers.Lang]string{
	"en": "January February March April May June July August September October November December",
	"es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
	"pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
	"fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
	"de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
	"it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
	"nl": "januari februari maart april mei juni juli augustus september oktober november december",
	"sv": "januari februari mars april maj juni juli augusti september oktober november december",
	"pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
	"ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
}

type unit int

const (
	dayUnit unit = iota
	weekUnit
	monthUnit
	yearUnit
)

// unitForms are the units of time in the forms for one, few and many.
var unitForms = map[answers.Lang][4][3]string{
	"en": {{"day", "days"}, {"week", "weeks"}, {"month", "months"}, {"year", "years"}},
	"es": {{"día", "días"}, {"semana", "semanas"}, {"mes", "meses"}, {"año", "años"}},
	"pt": {{"dia", "dias"}, {"semana", "semanas"}, {"mês", "meses"}, {"ano", "anos"}},
	"fr": {{"jour", "jours"}, {"semaine", "semaines"}, {"mois", "mois"}, {"an", "ans"}},
	"de": {{"Tag", "Tage"}, {"Woche", "Wochen"}, {"Monat", "Monate"}, {"Jahr", "Jahre"}},
	"it": {{"giorno", "giorni"}, {"settimana", "settimane"}, {"mese", "mesi"}, {"anno", "anni"}},
	"nl": {{"dag", "dagen"}, {"week", "weken"}, {"maand", "maanden"}, {"jaar", "jaar"}},
	"sv": {{"dag", "dagar"}, {"vecka", "veckor"}, {"månad", "månader"}, {"år", "år"}},
	"pl": {{"dzień", "dni", "dni"}, {"tydzień", "tygodnie", "tygodni"}, {"miesiąc", "miesiące", "miesięcy"},
		{"rok", "lata", "lat"}},
	"ro": {{"zi", "zile", "de zile"}, {"săptămână", "săptămâni", "de săptămâni"}, {"lună", "luni", "de luni"},
		{"an", "ani", "de ani"}},
}
