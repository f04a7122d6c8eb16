package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/answers"
)

// figure is a number where a text says it.
type figure struct {
	at        span   // with sign, currency, percent and multiplier
	digits    span   // the digits and what separates them
	value     string // plain decimal
	currency  string // ISO 4217; empty if none is said
	percent   bool
	whole     string // digits before and after the decimal mark
	fraction  string
	ambiguous byte // the one separator that may be a decimal mark or a thousands separator
	zeros     int  // of the multiplier
	negative  bool
	unclear   bool // whether it is negative, or whether it is all of a number
}

// figuresOf finds the numbers of a text, in order and without overlaps. Parts of names, dates and telephone numbers are none.
// Where 1.234 could be two numbers, the other numbers of the document decide which mark it uses for decimals, and then the
// habit of its language.
func figuresOf(text string, lang answers.Lang) []figure { return readFigures(nil, text, lang) }

func readFigures(w *watch, text string, lang answers.Lang) []figure {
	var found []figure
	var all, money markVotes
	for i := 0; i < len(text) && !w.ended(); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		f, vote, ok := figureAt(text, i)
		i = max(f.at.end, f.digits.end)
		if vote != 0 && !f.isReference(text) {
			all.count(vote)
			if f.currency != "" {
				money.count(vote)
			}
		}
		if n := len(found); n > 0 && f.at.start < found[n-1].at.end {
			f.at.start = f.digits.start // the currency before it belongs to the number before it
		}
		if ok {
			found = append(found, f)
		}
	}
	mark := all.mark(habit(lang))
	priced := money.mark(0) // prices have thousands, hardly ever thousandths
	for i := range found {
		if found[i].currency != "" {
			found[i].settle(priced)
		} else {
			found[i].settle(mark)
		}
	}
	return found
}

// markVotes count the decimal marks that numbers show by themselves. About a price only prices know: those who write them may
// number clauses 4.2 and still write 1.450 EUR.
type markVotes struct{ points, commas int }

func (v *markVotes) count(mark byte) {
	if mark == '.' {
		v.points++
	} else {
		v.commas++
	}
}

// mark is the one that most show, or the one given if there is none.
func (v *markVotes) mark(otherwise byte) byte {
	switch {
	case v.points > v.commas:
		return '.'
	case v.commas > v.points:
		return ','
	}
	return otherwise
}

// habit is the decimal mark of a language.
func habit(lang answers.Lang) byte {
	if lang == "en" {
		return '.'
	}
	return ','
}

// referenceWords stand before a number with a point that is a clause, a version or a time of the day, and hourWords behind it.
var (
	referenceWords = setsOf("ziffern punkte nr no num numero clausula clausulas clausola clausole punto punti punt ponto point points " +
		"punctul alinea alineatul alin lid paragraf paragrafo parrafo kapitel chapter chapitre capitolo capitulo " + //nolint:misspell // Spanish
		"version versie versione versao wersja versiunea release " +
		"kl klockan um at om ore orele ora godz godzinie")
	hourWords = setsOf("uhr uur h hrs hours am pm ore")
)

// isReference reports a number that tells nothing of the decimal mark: clause 4.2, version 2.10, 14.30 Uhr, "4.2 Die Kosten".
func (f *figure) isReference(text string) bool {
	const near = 24
	before := text[max(0, f.at.start-near):f.at.start]
	before = strings.TrimRight(before[strings.LastIndexAny(before, "\n\t")+1:], " .\u00a0")
	if strings.HasSuffix(before, "§") {
		return true
	}
	if unicode.IsLetter(lastRune(before)) {
		if noun := lastFolded(before); clauseNouns()[noun] || referenceWords()[noun] {
			return true
		}
	}
	rest, gap := cutSpace(text[f.digits.end:])
	word := shortWord(rest)
	return timeSize(text[f.digits.start:]) > 0 && hourWords()[fold(word)] || gap > 0 && f.numbersHeading(text, word)
}

// numbersHeading reports 4.2 at the beginning of a line with a word in capitals after it.
func (f *figure) numbersHeading(text, word string) bool {
	const most = 2
	first, _ := utf8.DecodeRuneInString(word)
	opens := f.at.start == 0 || text[f.at.start-1] == '\n'
	return opens && f.at == f.digits && len(f.whole) <= most && len(f.fraction) <= most && unicode.IsUpper(first)
}

// settle decides an ambiguous separator and writes the value.
func (f *figure) settle(mark byte) {
	if f.ambiguous == mark && f.ambiguous != 0 {
		const groupDigits = 3
		cut := len(f.whole) - groupDigits
		f.whole, f.fraction = f.whole[:cut], f.whole[cut:]
	}
	for range f.zeros {
		f.shift()
	}
	f.value = plainDecimal(f.whole, f.fraction)
	if f.negative && f.value != "0" {
		f.value = "-" + f.value
	}
}

// shift multiplies by ten.
func (f *figure) shift() {
	next := "0"
	if f.fraction != "" {
		next, f.fraction = f.fraction[:1], f.fraction[1:]
	}
	f.whole += next
}

func plainDecimal(whole, fraction string) string {
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

const (
	mostDigits = 24
	groupSize  = 3
)

// figureAt reads the number that begins at a digit. Where ok is false, what was passed over is still set. The vote is the
// decimal mark that the number shows by itself.
func figureAt(text string, i int) (f figure, vote byte, ok bool) {
	groups, marks, end := digitGroups(text, i)
	f.digits = span{i, end}
	f.at = f.digits
	if partOfName(text, i) || partOfFigure(text[:i]) {
		return f, 0, false
	}
	vote, ok = f.divide(groups, marks)
	if !ok || len(f.whole)+len(f.fraction) > mostDigits {
		return f, 0, false
	}
	f.signs(text)
	return f, vote, !f.unclear && f.endsWell(text) && !f.isPiece(text)
}

// digitGroups reads groups of digits and the marks between them.
func digitGroups(text string, i int) (groups []string, marks []byte, end int) {
	for {
		end = skipDigits(text, i)
		groups = append(groups, text[i:end])
		mark, next := separator(text, end, len(marks) == 0 && len(groups[0]) > groupSize)
		if mark == 0 {
			return groups, marks, end
		}
		marks, i = append(marks, mark), next
	}
}

// separator reads one mark before more digits. A space separates only full groups, because it stands between two numbers
// as well.
func separator(text string, i int, tooLong bool) (mark byte, next int) {
	if i >= len(text)-1 {
		return 0, i
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	next = i + size
	if next >= len(text) || !isDigit(text[next]) {
		return 0, i
	}
	switch r {
	case '.', ',':
		return byte(r), next
	case '\'', '’', ' ':
		if !tooLong && skipDigits(text, next)-next == groupSize {
			return ' ', next
		}
	}
	return 0, i
}

// partOfName reports that the digits at i belong to something before them.
func partOfName(text string, i int) bool {
	if i == 0 {
		return false
	}
	before, size := utf8.DecodeLastRuneInString(text[:i])
	switch {
	case isWordRune(before) && before != 'R':
		return !endsWithCurrency(text[:i])
	case isDash(before) && i > size && isDash(lastRune(text[:i-size])):
		return true // of no number is it known what two signs mean
	case isHyphen(before) || before == '/' || before == '.' || before == ':' || before == '_':
		if i == size {
			return !isHyphen(before)
		}
		further, _ := utf8.DecodeLastRuneInString(text[:i-size])
		return isWordRune(further) || before == '/'
	}
	return false
}

func isDash(r rune) bool { return isHyphen(r) || r == '−' || r == '–' || r == '—' }

// isHyphen reports what joins the parts of names and may be a minus.
func isHyphen(r rune) bool { return r == '-' || r == '‐' || r == '‑' }

func lastRune(text string) rune {
	last, _ := utf8.DecodeLastRuneInString(text)
	return last
}

// partOfFigure reports that what comes next goes on with a number: the 50 of 5€50, the 6 of 10^6.
func partOfFigure(before string) bool {
	if last := lastRune(before); last == '^' || last == '⁄' {
		return true
	}
	for _, c := range currencies {
		if left, ok := strings.CutSuffix(before, c.sign); ok && left != "" && isDigit(left[len(left)-1]) {
			return true
		}
	}
	return false
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"

// moreWords make something else of a number before them than is read here.
var moreWords = setsOf("dozen dozens dutzend docena docenas douzaine douzaines dozzina dozzine dozijn dussin tuzin tuziny tuzinow duzina " +
	"duzini duzia duzias hundreds thousands billions billionen billon billones trillion trillions trillionen")

// isPiece reports that the number goes on: 10^6, 10⁶, 3 × 10⁶, 3 1/2, 5 dozen.
func (f *figure) isPiece(text string) bool {
	rest := restOfLine(text[f.at.end:])
	next, _ := utf8.DecodeRuneInString(rest)
	const most = 3 // of the digits of a power; at a larger number it is a footnote
	if next == '^' || next == '⁄' ||
		strings.ContainsRune(superscripts, next) && len(f.whole) <= most && f.fraction == "" && f.currency == "" {
		return true
	}
	rest, gap := cutSpace(rest)
	if moreWords()[fold(shortWord(rest))] || gap > 0 && opensFraction(rest) {
		return true
	}
	for _, times := range []string{"x", "×", "·", "*"} {
		if power, ok := strings.CutPrefix(rest, times); ok {
			power, ok = strings.CutPrefix(strings.TrimLeft(power, " "), "10")
			first, _ := utf8.DecodeRuneInString(power)
			return ok && power != "" && strings.ContainsRune("^"+superscripts, first)
		}
	}
	return false
}

// opensFraction reports the 1/2 of 3 1/2.
func opensFraction(text string) bool {
	const size = len("1/2")
	return len(text) >= size && isDigit(text[0]) && text[1] == '/' && isDigit(text[2]) && text[0] < text[2] &&
		(len(text) == size || !isLetterOrDigit(text[size]) && text[size] != '/')
}

// divide finds out which of the marks is the decimal one.
func (f *figure) divide(groups []string, marks []byte) (vote byte, ok bool) {
	last := len(marks) - 1
	if last < 0 {
		f.whole = groups[0]
		return 0, true
	}
	mark := marks[last]
	switch {
	case mark == ' ':
		f.whole = strings.Join(groups, "")
		return 0, allEqual(marks) && grouped(groups)
	case last > 0 && allEqual(marks):
		f.whole = strings.Join(groups, "")
		return other(mark), grouped(groups)
	case last > 0:
		f.whole, f.fraction = strings.Join(groups[:last+1], ""), groups[last+1]
		return mark, allEqual(marks[:last]) && grouped(groups[:last+1])
	case len(groups[1]) == groupSize && len(groups[0]) <= groupSize && groups[0][0] != '0':
		f.whole, f.ambiguous = groups[0]+groups[1], mark
		return 0, true
	}
	f.whole, f.fraction = groups[0], groups[1]
	return mark, true
}

func allEqual(marks []byte) bool {
	for _, m := range marks {
		if m != marks[0] {
			return false
		}
	}
	return true
}

func grouped(groups []string) bool {
	for _, g := range groups[1:] {
		if len(g) != groupSize {
			return false
		}
	}
	return len(groups[0]) <= groupSize && groups[0][0] != '0'
}

func other(mark byte) byte {
	if mark == '.' {
		return ','
	}
	return '.'
}

// endsWell reports that nothing follows that makes the digits part of a name, a date or an ordinal.
func (f *figure) endsWell(text string) bool {
	rest := text[f.at.end:]
	if rest == "" {
		return true
	}
	next, size := utf8.DecodeRuneInString(rest)
	further, _ := utf8.DecodeRuneInString(rest[size:])
	switch {
	case isWordRune(next):
		unit := shortWord(rest)
		return f.at.end == f.digits.end && isUnit(fold(unit))
	case strings.ContainsRune("-/:.", next) && size < len(rest):
		return !isDigit(rest[size]) && (next == '.' || next == ':' || !isWordRune(further) || f.currency != "")
	}
	return true
}

// shortWord is the word that a text begins with, or the beginning of one that is too long to be any that is looked for.
func shortWord(text string) string {
	const most = 24
	return text[:wordEnd(text[:min(len(text), most)], 0)]
}

func isUnit(word string) bool {
	switch word {
	case "kg", "m3", "km2", "lb", "lbs", "g", "t", "km", "m", "cm", "mm", "l", "h", "min", "gb", "mb", "kwh", "m2", "x", "pcs", "st":
		return true
	}
	return false
}
