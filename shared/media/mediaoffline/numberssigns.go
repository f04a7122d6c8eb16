package mediaoffline

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// currencies are what stands before or after an amount.
var currencies = []struct{ sign, code string }{
	{"€", "EUR"}, {"£", "GBP"}, {"US$", "USD"}, {"R$", "BRL"}, {"$", "USD"}, {"¥", "JPY"}, {"EUR", "EUR"}, {"USD", "USD"}, {"GBP", "GBP"},
	{"CHF", "CHF"}, {"SEK", "SEK"}, {"DKK", "DKK"}, {"NOK", "NOK"}, {"PLN", "PLN"}, {"RON", "RON"}, {"BRL", "BRL"}, {"CZK", "CZK"},
	{"HUF", "HUF"}, {"JPY", "JPY"}, {"CAD", "CAD"}, {"AUD", "AUD"}, {"MXN", "MXN"}, {"zł", "PLN"}, {"zl", "PLN"}, {"kronor", "SEK"}, {"kr", "SEK"},
	{"lei", "RON"}, {"leu", "RON"}, {"euros", "EUR"}, {"euro", "EUR"}, {"eur", "EUR"}, {"dollars", "USD"}, {"złotych", "PLN"}, {"Fr.", "CHF"},
}

// currencyAt reads a currency at the beginning of a text.
func currencyAt(text string) (code string, size int) {
	for _, c := range currencies {
		if len(text) < len(c.sign) || !strings.EqualFold(text[:len(c.sign)], c.sign) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[len(c.sign):])
		isSign := !isLetterOrDigit(c.sign[len(c.sign)-1]) && c.sign[0] != 'z'
		if len(text) == len(c.sign) || isSign || !isWordRune(next) {
			return c.code, len(c.sign)
		}
	}
	return "", 0
}

// currencyBefore reads a currency at the end of a text.
func currencyBefore(text string) (code string, size int) {
	for _, c := range currencies {
		if len(text) < len(c.sign) || !strings.EqualFold(text[len(text)-len(c.sign):], c.sign) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:len(text)-len(c.sign)])
		if len(text) == len(c.sign) || !isLetterOrDigit(c.sign[0]) || !isWordRune(before) {
			return c.code, len(c.sign)
		}
	}
	return "", 0
}

func endsWithCurrency(text string) bool {
	_, size := currencyBefore(text)
	return size > 0
}

// signs reads what stands around the digits: currency, sign, percent, multiplier.
func (f *figure) signs(text string) {
	f.before(text)
	f.exponent(text)
	f.vulgarFraction(text)
	f.after(text)
	f.minusBehind(text)
	f.inParentheses(text)
}

func (f *figure) before(text string) {
	f.minusBefore(text)
	bare := strings.TrimRight(text[:f.at.start], " ")
	if code, size := currencyBefore(bare); size > 0 && f.at.start-len(bare) <= 1 {
		f.currency, f.at.start = code, len(bare)-size
		f.minusBefore(text)
	}
}

// minusBefore reads a minus. Between words a dash with a space after it is none, and at the beginning of a line it may be a
// bullet; behind a label it is one.
func (f *figure) minusBefore(text string) {
	bare := strings.TrimSuffix(text[:f.at.start], " ")
	dash, size := utf8.DecodeLastRuneInString(bare)
	if !isDash(dash) {
		f.minusWord(text)
		return
	}
	left := bare[:len(bare)-size]
	before := lastRune(left)
	isMinus := left == "" || before == ' ' && dash != '–' && dash != '—' || before == '\t' || before == '\n' || before == '(' ||
		endsWithCurrency(left)
	switch {
	case isBehindLabel(left):
		f.negative, f.at.start = true, len(left)
		f.unclear = hasDash(restOfLine(text[f.digits.end:])) // the items of a list in one line
	case len(bare) == f.at.start && isMinus:
		f.negative, f.at.start = true, len(left)
	case len(bare) < f.at.start && isOpening(left):
		f.unclear = f.unclear || f.endsLine(text) // an amount below zero, or the item of a list
	}
}

// isBehindLabel reports that what follows begins a value: "Balance: ", "Balance: EUR ", the next cell.
func isBehindLabel(left string) bool {
	left = strings.TrimRight(left, " ")
	_, size := currencyBefore(left)
	left = strings.TrimRight(left[:len(left)-size], " ")
	label, behind := strings.CutSuffix(left, ":")
	return strings.HasSuffix(left, "\t") || strings.HasSuffix(left, "=") || behind && label != "" && !isDigit(label[len(label)-1])
}

// isOpening reports the beginning of a line.
func isOpening(left string) bool { return left == "" || left[len(left)-1] == '\n' }

// restOfLine is what follows in a line or a cell, as far as it is looked at.
func restOfLine(text string) string {
	const most = 120
	text = text[:min(len(text), most)]
	if i := strings.IndexAny(text, "\n\t"); i >= 0 {
		return text[:i]
	}
	return text
}

func (f *figure) endsLine(text string) bool {
	rest := restOfLine(text[f.digits.end:])
	size := len(rest) - len(strings.TrimLeft(rest, " "))
	_, currency := currencyAt(rest[size:])
	return strings.TrimSpace(rest[size+currency:]) == ""
}

func hasDash(line string) bool {
	return strings.Contains(line, " - ") || strings.Contains(line, " – ") || strings.Contains(line, " — ")
}

// beforeMinus makes another word of a minus: at least, more or less.
var beforeMinus = setsOf("al au pelo lo ao o ou no nao non pas ne of")

func minusAtEnd(text string) string {
	for _, word := range []string{"minus", "menos", "moins", "meno", "min"} {
		from := len(text) - len(word)
		if from >= 0 && strings.EqualFold(text[from:], word) && !isWordRune(lastRune(text[:from])) {
			return word
		}
	}
	return ""
}

// minusWord reads "minus 500". Within a sentence it may as well take something from an amount, and min be a minimum.
func (f *figure) minusWord(text string) {
	const near = 24
	bare, spaced := strings.CutSuffix(text[max(0, f.at.start-near):f.at.start], " ")
	word := minusAtEnd(bare)
	if !spaced || word == "" {
		return
	}
	left := text[:f.at.start-len(" ")-len(word)]
	before := strings.TrimRight(left, " ")
	opens := isOpening(left) || isBehindLabel(left)
	switch {
	case opens && word != "min":
		f.negative, f.at.start = true, len(left)
	case opens:
		f.unclear = true
	case word != "min" && !beforeMinus()[lastFolded(before[max(0, len(before)-near):])] && !endsWithAmount(before):
		f.unclear = true
	}
}

func endsWithAmount(text string) bool {
	return endsWithCurrency(text) || text != "" && isDigit(text[len(text)-1])
}

// minusBehind reads 500- where a value is nothing else, and 12.50- anywhere.
func (f *figure) minusBehind(text string) {
	rest, ok := strings.CutPrefix(text[f.at.end:], "-")
	if !ok {
		rest, ok = strings.CutPrefix(text[f.at.end:], "−")
	}
	if !ok || rest != "" && strings.IndexByte(" \n\t", rest[0]) < 0 || opensNumber(rest) {
		return
	}
	size := len(text) - len(rest) - f.at.end
	bare, gap := cutSpace(rest)
	code, currency := currencyAt(bare)
	if currency == 0 || f.currency != "" {
		gap, currency, code = 0, 0, f.currency
	}
	left := text[:f.at.start]
	whole := (isOpening(left) || isBehindLabel(left)) && strings.TrimSpace(restOfLine(rest[gap+currency:])) == ""
	if f.fraction != "" || whole {
		f.negative, f.currency, f.at.end = true, code, f.at.end+size+gap+currency
	}
}

// opensNumber reports the other end of a range, maybe in the next line.
func opensNumber(text string) bool {
	text = strings.TrimLeft(text, " \n")
	_, size := currencyAt(text)
	text = strings.TrimLeft(text[size:], " ")
	return text != "" && isDigit(text[0])
}

// inParentheses reads an amount in parentheses, which is below zero where it is all of a value, as bookkeepers write it. In a
// sentence it is not, and behind other words it may be either.
func (f *figure) inParentheses(text string) {
	if f.percent || f.at.start == 0 || f.at.end == len(text) || text[f.at.start-1] != '(' || text[f.at.end] != ')' {
		return
	}
	at, code := f.withParentheses(text)
	left, rest := text[:at.start], restOfLine(text[at.end:])
	alone := strings.TrimSpace(rest) == ""
	plain := f.fraction == "" && code == ""
	inSentence := strings.IndexFunc(rest, unicode.IsLetter) >= 0 || rest != "" && strings.IndexByte(".,;", rest[0]) >= 0
	switch {
	case alone && isBehindLabel(left), alone && isOpening(left) && !plain:
		f.at, f.currency, f.negative = at, code, true
	case alone && isOpening(left): // it may be the number of a page
		f.unclear = true
	case plain || f.currency != "" && inSentence:
	case f.currency == "" && f.fraction != "" && !inSentence:
		f.at, f.negative = span{f.at.start - 1, f.at.end + 1}, true
	default:
		f.unclear = true
	}
}

// withParentheses is the amount with what is around it, and its currency wherever that stands.
func (f *figure) withParentheses(text string) (at span, code string) {
	at, code = span{f.at.start - 1, f.at.end + 1}, f.currency
	if code != "" {
		return at, code
	}
	bare := strings.TrimRight(text[:at.start], " ")
	if code, size := currencyBefore(bare); size > 0 {
		return span{len(bare) - size, at.end}, code
	}
	rest, gap := cutSpace(text[at.end:])
	code, size := currencyAt(rest)
	if size > 0 {
		at.end += gap + size
	}
	return at, code
}

func (f *figure) after(text string) {
	for _, none := range []string{",-", ",–", ".-", ":-"} { // 1 200,- is a way to write no decimals
		if strings.HasPrefix(text[f.at.end:], none) && f.fraction == "" {
			f.at.end += len(none)
			break
		}
	}
	rest, gap := cutSpace(text[f.at.end:])
	if strings.HasPrefix(rest, "%") {
		f.percent, f.at.end = true, f.at.end+gap+1
		return
	}
	if size := percentWord(rest); size > 0 && gap > 0 {
		f.percent, f.at.end = true, f.at.end+gap+size
		return
	}
	f.multiplier(text)
	f.multipliedCurrency(text)
	rest, gap = cutSpace(text[f.at.end:])
	rest, of := cutOf(rest)
	if code, size := currencyAt(rest); size > 0 && f.currency == "" {
		f.currency, f.at.end = code, f.at.end+gap+of+size
		if gap+of == 0 {
			f.centsBehind(text)
		}
	}
}

// centsBehind reads the 50 of 12€50.
func (f *figure) centsBehind(text string) {
	const digits = 2
	end := skipDigits(text, f.at.end)
	next, _ := utf8.DecodeRuneInString(text[end:])
	if end-f.at.end == digits && f.whole == text[f.digits.start:f.digits.end] && (end == len(text) || !isWordRune(next)) {
		f.fraction, f.at.end = text[f.at.end:end], end
	}
}

// vulgarFractions are the signs with their decimals, where these end.
var vulgarFractions = map[rune]string{
	'½': "5", '¼': "25", '¾': "75", '⅕': "2", '⅖': "4", '⅗': "6", '⅘': "8", '⅛': "125", '⅜': "375", '⅝': "625", '⅞': "875",
	'⅒': "1", '⅓': "", '⅔': "", '⅙': "", '⅚': "", '⅐': "", '⅑': "",
}

// vulgarFraction reads the half of 1½.
func (f *figure) vulgarFraction(text string) {
	rest, gap := cutSpace(text[f.at.end:])
	sign, size := utf8.DecodeRuneInString(rest)
	decimals, ok := vulgarFractions[sign]
	if !ok {
		return
	}
	f.unclear = f.unclear || decimals == "" || f.fraction != "" || f.ambiguous != 0
	f.fraction, f.at.end = decimals, f.at.end+gap+size
}

// exponent reads 1e2 where it is all of a value, as programs write it. Elsewhere it is a name.
func (f *figure) exponent(text string) {
	const mostDigits, largest = 2, 16
	rest := text[f.at.end:]
	if rest == "" || rest[0]|0x20 != 'e' || f.ambiguous != 0 || !isBehindLabel(text[:f.at.start]) {
		return
	}
	power := strings.TrimPrefix(rest[1:], "+")
	end := skipDigits(power, 0)
	zeros, err := strconv.Atoi(power[:end])
	if err == nil && end <= mostDigits && zeros < largest && strings.TrimSpace(restOfLine(power[end:])) == "" {
		f.zeros, f.at.end = zeros, len(text)-len(power)+end
		f.digits.end = f.at.end
	}
}

// cutOf passes over the "de" of dos millones de euros and 25 de lei.
func cutOf(text string) (rest string, size int) {
	if rest, ok := strings.CutPrefix(text, "de "); ok {
		if _, size := currencyAt(rest); size > 0 {
			return rest, len("de ")
		}
	}
	return text, 0
}

func cutSpace(text string) (rest string, size int) {
	if strings.HasPrefix(text, " ") {
		return text[1:], 1
	}
	return text, 0
}

func percentWord(text string) int {
	for _, w := range []string{"percent", "per cent", "por ciento", "por cento", "pour cent", "pour-cent", "prozent", "per cento",
		"procent", "procente", "procenta", "la sută"} {
		if len(text) < len(w) || !strings.EqualFold(text[:len(w)], w) {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(text[len(w):]); len(text) == len(w) || !isWordRune(next) {
			return len(w)
		}
	}
	return 0
}

// multipliers are the words for thousands, millions and milliards, with the zeros that they add.
var multipliers = sync.OnceValue(func() map[string]int {
	zeros := map[string]int{}
	for n, words := range map[int]string{
		2: "hundred hundert honderd hundra", 5: "lakh lakhs", 7: "crore crores",
		3: "k thousand tausend tsd duizend tusen tys tysiecy tysiace mii mil mila mille",
		6: "millon milion " + //nolint:misspell // Spanish and Polish
			`m million millions millones milhao milhoes millionen mio mln milione milioni miljoen miljoner miljon mn
			miliony milionow milioane`,
		9: `billion bn mrd md mld milliard milliards milliarde milliarden miliardi miliardo miljard miljarder miliard miliardy
			miliardow miliarde bilhoes bilhao`,
	} {
		for w := range strings.FieldsSeq(words) {
			zeros[w] = n
		}
	}
	return zeros
})

// multiplier reads the word for thousands or millions. Single letters count only with a currency before the number.
func (f *figure) multiplier(text string) {
	rest, gap := cutSpace(text[f.at.end:])
	end := len(shortWord(rest))
	zeros := multipliers()[fold(rest[:end])]
	if zeros == 0 || end == 1 && (f.currency == "" || gap > 0) || gap == 0 && end > 3 {
		return
	}
	f.zeros, f.at.end = zeros, f.at.end+gap+end
	if second, gap := cutSpace(text[f.at.end:]); zeros <= 3 && gap > 0 {
		next := len(shortWord(second))
		if more := multipliers()[fold(second[:next])]; more > zeros && more <= 6 && next > 1 {
			f.zeros, f.at.end = zeros+more, f.at.end+gap+next
		}
	}
	if strings.HasPrefix(text[f.at.end:], ".") && len(fold(rest[:end])) <= 3 && end > 1 {
		f.at.end++
	}
}

// multipliedCurrency reads the millions and thousands that stand at a currency: 5m EUR, 5 M€, 120 TEUR. Letters with spaces
// around them may be metres and tonnes.
func (f *figure) multipliedCurrency(text string) {
	rest, gap := cutSpace(text[f.at.end:])
	if rest == "" || f.zeros != 0 || f.currency != "" {
		return
	}
	zeros := map[byte]int{'k': 3, 't': 3, 'm': 6}[rest[0]|0x20]
	behind, space := cutSpace(rest[1:])
	code, size := currencyAt(behind)
	if price, _ := cutSpace(behind[size:]); zeros == 0 || size == 0 || price != "" && isDigit(price[0]) {
		return
	}
	if space > 0 && (gap > 0 || rest[0]|0x20 == 't') {
		f.unclear = true
		return
	}
	f.zeros, f.currency, f.at.end = zeros, code, f.at.end+gap+1+space+size
}
