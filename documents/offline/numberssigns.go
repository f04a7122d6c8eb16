package offline

import (
	"strconv"
	"strings"
	"sync"
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
