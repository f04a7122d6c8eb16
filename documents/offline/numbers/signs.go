package numbers

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// readAffixes reads the sign, currency, percent sign and multiplier around the digits.
func (f *Number) readAffixes(text string) {
	f.readBefore(text)
	f.exponent(text)
	f.vulgarFraction(text)
	f.readAfter(text)
	f.minusBehind(text)
	f.inParentheses(text)
}

// readBefore reads the sign and currency before the digits.
func (f *Number) readBefore(text string) {
	f.minusBefore(text)
	bare := strings.TrimRight(text[:f.At.Start], " ")
	if code, size := currencyBefore(bare); size > 0 && f.At.Start-len(bare) <= 1 {
		f.Currency, f.At.Start = code, len(bare)-size
		f.minusBefore(text)
	}
}

// readAfter reads the percent sign, multiplier and currency after the digits.
func (f *Number) readAfter(text string) {
	for _, mark := range []string{",-", ",–", ".-", ":-"} { // "1 200,-" has no decimals
		if strings.HasPrefix(text[f.At.End:], mark) && f.Fraction == "" {
			f.At.End += len(mark)
			break
		}
	}
	rest, gap := cutSpace(text[f.At.End:])
	if strings.HasPrefix(rest, "%") {
		f.Percent, f.At.End = true, f.At.End+gap+1
		return
	}
	if size := percentWord(rest); size > 0 && gap > 0 {
		f.Percent, f.At.End = true, f.At.End+gap+size
		return
	}
	f.multiplier(text)
	f.multipliedCurrency(text)
	rest, gap = cutSpace(text[f.At.End:])
	rest, of := cutOf(rest)
	if code, size := CurrencyAt(rest); size > 0 && f.Currency == "" {
		f.Currency, f.At.End = code, f.At.End+gap+of+size
		if gap+of == 0 {
			f.centsBehind(text)
		}
	}
}

// centsBehind reads the 50 of 12€50.
func (f *Number) centsBehind(text string) {
	const digits = 2
	end := scan.SkipDigits(text, f.At.End)
	next, _ := utf8.DecodeRuneInString(text[end:])
	if end-f.At.End == digits && f.whole == f.digits.In(text) && (end == len(text) || !scan.IsWordRune(next)) {
		f.Fraction, f.At.End = text[f.At.End:end], end
	}
}

// vulgarFractions maps fraction signs to their decimals. Endless decimals are empty.
var vulgarFractions = map[rune]string{
	'½': "5", '¼': "25", '¾': "75", '⅕': "2", '⅖': "4", '⅗': "6", '⅘': "8", '⅛': "125", '⅜': "375", '⅝': "625", '⅞': "875",
	'⅒': "1", '⅓': "", '⅔': "", '⅙': "", '⅚': "", '⅐': "", '⅑': "",
}

// vulgarFraction reads the half of 1½.
func (f *Number) vulgarFraction(text string) {
	rest, gap := cutSpace(text[f.At.End:])
	sign, size := utf8.DecodeRuneInString(rest)
	decimals, ok := vulgarFractions[sign]
	if !ok {
		return
	}
	f.isUnclear = f.isUnclear || decimals == "" || f.Fraction != "" || f.ambiguous != 0
	f.Fraction, f.At.End = decimals, f.At.End+gap+size
}

// exponent reads 1e2, as programs write it, if the value has nothing else. Elsewhere it is a name.
func (f *Number) exponent(text string) {
	const mostDigits, largest = 2, 16
	rest := text[f.At.End:]
	if rest == "" || rest[0]|0x20 != 'e' || f.ambiguous != 0 || !isBehindLabel(text[:f.At.Start]) {
		return
	}
	power := strings.TrimPrefix(rest[1:], "+")
	end := scan.SkipDigits(power, 0)
	zeros, err := strconv.Atoi(power[:end])
	if err == nil && end <= mostDigits && zeros < largest && strings.TrimSpace(restOfLine(power[end:])) == "" {
		f.zeros, f.At.End = zeros, len(text)-len(power)+end
		f.digits.End = f.At.End
	}
}

// percentWord returns the length of a word for percent at the beginning of a text, or 0.
func percentWord(text string) int {
	for _, w := range []string{"percent", "per cent", "por ciento", "por cento", "pour cent", "pour-cent", "prozent", "per cento",
		"procent", "procente", "procenta", "la sută"} {
		if len(text) < len(w) || !strings.EqualFold(text[:len(w)], w) {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(text[len(w):]); len(text) == len(w) || !scan.IsWordRune(next) {
			return len(w)
		}
	}
	return 0
}

// multipliers maps the words for hundreds, thousands, millions and so on to the zeros that they
// add.
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

// multiplier reads a word for thousands or millions. Single letters count only if a currency comes
// before the number.
func (f *Number) multiplier(text string) {
	rest, gap := cutSpace(text[f.At.End:])
	end := len(shortWord(rest))
	zeros := multipliers()[scan.Fold(rest[:end])]
	if zeros == 0 || end == 1 && (f.Currency == "" || gap > 0) || gap == 0 && end > 3 {
		return
	}
	f.zeros, f.At.End = zeros, f.At.End+gap+end
	if second, gap := cutSpace(text[f.At.End:]); zeros <= 3 && gap > 0 {
		next := len(shortWord(second))
		if more := multipliers()[scan.Fold(second[:next])]; more > zeros && more <= 6 && next > 1 {
			f.zeros, f.At.End = zeros+more, f.At.End+gap+next
		}
	}
	if strings.HasPrefix(text[f.At.End:], ".") && len(scan.Fold(rest[:end])) <= 3 && end > 1 {
		f.At.End++
	}
}

// multipliedCurrency reads a multiplier that is attached to a currency: 5m EUR, 5 M€, 120 TEUR. A
// letter with a space on both sides may be meters or tons, so the number is unclear.
func (f *Number) multipliedCurrency(text string) {
	rest, gap := cutSpace(text[f.At.End:])
	if rest == "" || f.zeros != 0 || f.Currency != "" {
		return
	}
	zeros := map[byte]int{'k': 3, 't': 3, 'm': 6}[rest[0]|0x20]
	behind, space := cutSpace(rest[1:])
	code, size := CurrencyAt(behind)
	if price, _ := cutSpace(behind[size:]); zeros == 0 || size == 0 || price != "" && scan.IsDigit(price[0]) {
		return
	}
	if space > 0 && (gap > 0 || rest[0]|0x20 == 't') {
		f.isUnclear = true
		return
	}
	f.zeros, f.Currency, f.At.End = zeros, code, f.At.End+gap+1+space+size
}
