package numbers

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/lazyregexp"
	"portside/documents/offline/dates"
	"portside/documents/offline/scan"
)

// referenceWords come before a number with a point that is a clause, a version or a time of day.
// hourWords come after a time of day.
var (
	referenceWords = scan.LazySet("ziffern punkte nr no num numero clausula clausulas clausola clausole punto punti punt ponto point points " +
		"punctul alinea alineatul alin lid paragraf paragrafo parrafo kapitel chapter chapitre capitolo capitulo " + //nolint:misspell // Spanish
		"version versie versione versao wersja versiunea release " +
		"kl klockan um at om ore orele ora godz godzinie")
	hourWords = scan.LazySet("uhr uur h hrs hours am pm ore")
)

// isReference reports a number that does not show how the text writes decimals: clause 4.2, version
// 2.10, 14.30 Uhr, "4.2 Die Kosten".
func (n *Number) isReference(text string) bool {
	const near = 24
	before := text[max(0, n.At.Start-near):n.At.Start]
	before = strings.TrimRight(before[strings.LastIndexAny(before, "\n\t")+1:], " .\u00a0")
	if strings.HasSuffix(before, "§") {
		return true
	}
	if unicode.IsLetter(scan.LastRune(before)) {
		if noun := scan.LastWord(before); clauseNouns()[noun] || referenceWords()[noun] {
			return true
		}
	}
	rest, gap := cutSpace(text[n.digits.End:])
	word := shortWord(rest)
	return dates.ClockLength(text[n.digits.Start:]) > 0 && hourWords()[scan.Fold(word)] || gap > 0 &&
		n.numbersHeading(text, word)
}

// numbersHeading reports a number such as 4.2 at the beginning of a line, before a word with a
// capital.
func (n *Number) numbersHeading(text, word string) bool {
	const maxPartDigits = 2
	first, _ := utf8.DecodeRuneInString(word)
	opens := n.At.Start == 0 || text[n.At.Start-1] == '\n'
	return opens && n.At == n.digits && len(n.whole) <= maxPartDigits && len(n.Fraction) <= maxPartDigits &&
		unicode.IsUpper(first)
}

// partOfName reports whether the digits at offset i belong to a name, a date or a longer number
// before them.
func partOfName(text string, i int) bool {
	if i == 0 {
		return false
	}
	before, size := utf8.DecodeLastRuneInString(text[:i])
	switch {
	case scan.IsWordRune(before) && before != 'R':
		return !endsWithCurrency(text[:i])
	case isDash(before) && i > size && isDash(scan.LastRune(text[:i-size])):
		return true // the meaning of two signs is not known
	case isHyphen(before) || before == '/' || before == '.' || before == ':' || before == '_':
		if i == size {
			return !isHyphen(before)
		}
		further, _ := utf8.DecodeLastRuneInString(text[:i-size])
		return scan.IsWordRune(further) || before == '/'
	}
	return false
}

// continuesNumber reports whether the next digits belong to a number before them: the 50 of 5€50,
// the 6 of 10^6.
func continuesNumber(before string) bool {
	if last := scan.LastRune(strings.TrimSuffix(before, "-")); last == '^' || last == '⁄' {
		return true
	}
	if rest, ok := strings.CutSuffix(before, ","); ok && strings.TrimRight(rest, " \t") != rest || before == "," {
		return true // ,5 is the end of a number
	}
	for _, c := range currencies {
		if left, ok := strings.CutSuffix(before, c.sign); ok && left != "" && scan.IsDigit(left[len(left)-1]) {
			return true
		}
	}
	return false
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"

// unsupportedMultipliers follow a number and change its value in a way that this package does not
// compute.
var unsupportedMultipliers = scan.LazySet(`dozen dozens dutzend docena docenas douzaine douzaines dozzina dozzine
	dozijn dussin tuzin tuziny tuzinow duzina
	duzini duzia duzias hundreds thousands billions billionen billon billones trillion trillions trillionen`)

// isPartial reports whether the number is only a part of a longer one: 10^6, 10⁶, 3 × 10⁶, 3
// 1/2, 5 dozen.
func (n *Number) isPartial(text string) bool {
	rest := restOfLine(text[n.At.End:])
	next, _ := utf8.DecodeRuneInString(rest)
	const maxBaseDigits = 3 // behind a longer number, a superscript is a footnote
	if next == '^' || next == '⁄' ||
		strings.ContainsRune(superscripts, next) && len(n.whole) <= maxBaseDigits && n.Fraction == "" && n.Currency == "" {
		return true
	}
	rest, gap := cutSpace(rest)
	if unsupportedMultipliers()[scan.Fold(shortWord(rest))] || gap > 0 && opensFraction(rest) || n.isDivided(text) {
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

var (
	// fractionBehind matches a fraction in words behind a number: 3 million and a half.
	fractionBehind = lazyregexp.New(`(?i)^ (and|und|et|y|e|en|och|i|și) (an? |eine? |une? |uma? |un |en |ett )?` +
		`(half|quarter|third|halb|viertel|drittel|demie?|quart|tiers|` +
		`media|medio|cuarto|tercio|meia|meio|quarto|terço|mezz[oa]|half|kwart|halv|fjärdedel|połow[ay]|pół|ćwierć|jumătate|sfert)`)
	// subunitBehind matches the cents behind a price: 5 euro 50, 15 dollars and 15 cents.
	subunitBehind = lazyregexp.New(`(?i)^ ((and|und|et|y|e|en|och|i|și|con|com) )?\d{1,2}` +
		`( ?(cents?|ct|c|centimes?|céntimos|centavos|cêntimos|centesimi|öre|ore|groszy|bani|pence|p)\b|[^\pL\d]?$)`)
	// divisionBehind and divisionBefore match the words of a division, whose result this package does not compute.
	divisionBehind = lazyregexp.New(`(?i)^ ` + division)
	divisionBefore = lazyregexp.New(`(?i)` + division + ` $`)
)

const division = `(divided by|geteilt durch|divisé par|dividido (por|entre)|diviso( per)?|gedeeld door|` +
	`delat (på|med)|genom|podzielone przez|împărțit la)`

// isDivided reports whether a number is a part of a division in words, or has a fraction or cents in words behind it.
func (n *Number) isDivided(text string) bool {
	rest := restOfLine(text[n.At.End:])
	const reach = 24 // bytes
	before := text[scan.RuneStart(text, max(0, n.At.Start-reach), n.At.Start):n.At.Start]
	if cents := subunitBehind().FindString(rest); cents != "" && n.Currency != "" && n.Fraction == "" {
		n.At.End += len(cents) // otherwise the cents would be read as another number
		return true
	}
	return fractionBehind().MatchString(rest) || divisionBehind().MatchString(rest) || divisionBefore().MatchString(before)
}

// opensFraction reports whether a text begins with a fraction, such as the 1/2 of 3 1/2.
func opensFraction(text string) bool {
	const size = len("1/2")
	return len(text) >= size && scan.IsDigit(text[0]) && text[1] == '/' && scan.IsDigit(text[2]) && text[0] < text[2] &&
		(len(text) == size || !scan.IsLetterOrDigit(text[size]) && text[size] != '/')
}

// endsWell reports whether the text after the number does not make it part of a name, a date or an
// ordinal.
func (n *Number) endsWell(text string) bool {
	rest := text[n.At.End:]
	if rest == "" {
		return true
	}
	next, size := utf8.DecodeRuneInString(rest)
	further, _ := utf8.DecodeRuneInString(rest[size:])
	switch {
	case scan.IsWordRune(next):
		unit := shortWord(rest)
		return n.At.End == n.digits.End && IsUnit(scan.Fold(unit))
	case strings.ContainsRune("-/:.", next) && size < len(rest):
		return !scan.IsDigit(rest[size]) && (next == '.' || next == ':' || !scan.IsWordRune(further) || n.Currency != "")
	}
	return true
}

// shortWord returns the first word of a text, cut to a length that no known word reaches.
func shortWord(text string) string {
	const maxBytes = 24
	return text[:scan.WordEnd(text[:min(len(text), maxBytes)], 0)]
}

// IsUnit reports a unit of weight, length, area, volume, time or data.
func IsUnit(word string) bool {
	switch word {
	case "kg", "m3", "km2", "lb", "lbs", "g", "t", "km", "m", "cm", "mm", "l", "h", "min", "gb", "mb", "kwh", "m2", "x",
		"pcs", "st":
		return true
	}
	return false
}

func isDash(r rune) bool { return isHyphen(r) || r == '−' || r == '–' || r == '—' }

// isHyphen reports a character that joins the parts of a name and may be a minus sign.
func isHyphen(r rune) bool { return r == '-' || r == '‐' || r == '‑' }

// clauseNouns come before the number of a clause.
var clauseNouns = scan.LazySet(`section sections clause clauses article articles art artikel articulo artigo articolo artykul artykulu
	articolul paragraph absatz abs ziffer ust punkt pkt`)

// IsClauseNumber reports whether a number refers to a clause and is not an amount: "§ 11",
// "article 9". It returns false if the question names the noun, because then the number of the
// clause is what the question asks for.
func IsClauseNumber(text string, f Number, question string) bool {
	const near = 24
	if !canBeClauseNumber(f) {
		return false
	}
	before := text[max(0, f.At.Start-near):f.At.Start]
	before = strings.TrimRight(before[strings.LastIndexByte(before, '\n')+1:], " .\u00a0")
	noun := scan.LastWord(before)
	if strings.HasSuffix(before, "§") {
		return true
	}
	return clauseNouns()[noun] && strings.HasSuffix(scan.Fold(before), noun) &&
		!strings.Contains(scan.Fold(question), noun)
}

// canBeClauseNumber reports a small whole number without a currency or a percent sign.
func canBeClauseNumber(f Number) bool {
	const mostDigits = 3
	return f.Currency == "" && !f.Percent && f.Fraction == "" && len(f.whole) <= mostDigits
}
