package numbers

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// readAffixes reads the sign, currency, percent sign and multiplier around the digits.
func (n *Number) readAffixes(text string) {
	n.readBefore(text)
	n.exponent(text)
	n.vulgarFraction(text)
	n.readAfter(text)
	n.minusBehind(text)
	n.inParentheses(text)
}

// readBefore reads the sign and currency before the digits.
func (n *Number) readBefore(text string) {
	n.minusBefore(text)
	bare := strings.TrimRight(text[:n.At.Start], " ")
	if code, size := currencyBefore(bare); size > 0 && n.At.Start-len(bare) <= 1 {
		n.Currency, n.At.Start = code, len(bare)-size
		n.minusBefore(text)
	}
}

// readAfter reads the percent sign, multiplier and currency after the digits.
func (n *Number) readAfter(text string) {
	for _, mark := range []string{",-", ",–", ".-", ":-"} { // "1 200,-" has no decimals
		if strings.HasPrefix(text[n.At.End:], mark) && n.Fraction == "" {
			n.At.End += len(mark)
			break
		}
	}
	rest, gap := cutSpace(text[n.At.End:])
	if strings.HasPrefix(rest, "%") {
		n.Percent, n.At.End = true, n.At.End+gap+1
		return
	}
	if size := percentWord(rest); size > 0 && gap > 0 {
		n.Percent, n.At.End = true, n.At.End+gap+size
		return
	}
	n.multiplier(text)
	n.multipliedCurrency(text)
	n.markMillions(text)
	rest, gap = cutSpace(text[n.At.End:])
	rest, of := cutOf(rest)
	if code, size := CurrencyAt(rest); size > 0 && n.Currency == "" {
		n.Currency, n.At.End = code, n.At.End+gap+of+size
		if gap+of == 0 {
			n.centsBehind(text)
		}
	}
}

// centsBehind reads the 50 of 12€50.
func (n *Number) centsBehind(text string) {
	const digits = 2
	end := scan.SkipDigits(text, n.At.End)
	next, _ := utf8.DecodeRuneInString(text[end:])
	if end-n.At.End == digits && n.whole == n.digits.In(text) && (end == len(text) || !scan.IsWordRune(next)) {
		n.Fraction, n.At.End = text[n.At.End:end], end
	}
}

// vulgarFractions maps fraction signs to their decimals. Endless decimals are empty.
var vulgarFractions = map[rune]string{
	'½': "5", '¼': "25", '¾': "75", '⅕': "2", '⅖': "4", '⅗': "6", '⅘': "8", '⅛': "125", '⅜': "375", '⅝': "625", '⅞': "875",
	'⅒': "1", '⅓': "", '⅔': "", '⅙': "", '⅚': "", '⅐': "", '⅑': "",
}

// vulgarFraction reads the half of 1½.
func (n *Number) vulgarFraction(text string) {
	rest, gap := cutSpace(text[n.At.End:])
	sign, size := utf8.DecodeRuneInString(rest)
	decimals, ok := vulgarFractions[sign]
	if !ok {
		return
	}
	n.isUnclear = n.isUnclear || decimals == "" || n.Fraction != "" || n.ambiguous != 0
	n.Fraction, n.At.End = decimals, n.At.End+gap+size
}

// exponent reads 1e2, as programs write it, if the value has nothing else. Elsewhere it is a name.
func (n *Number) exponent(text string) {
	const mostDigits, largest = 2, 16
	rest := text[n.At.End:]
	if rest == "" || rest[0]|0x20 != 'e' || n.ambiguous != 0 || !isBehindLabel(text[:n.At.Start]) {
		return
	}
	power := strings.TrimPrefix(rest[1:], "+")
	end := scan.SkipDigits(power, 0)
	zeros, err := strconv.Atoi(power[:end])
	if err == nil && end <= mostDigits && zeros < largest && strings.TrimSpace(restOfLine(power[end:])) == "" {
		n.zeros, n.At.End = zeros, len(text)-len(power)+end
		n.digits.End = n.At.End
	}
}

// percentWord returns the length of a word for percent at the beginning of a text, or 0.
func percentWord(text string) int {
	for _, w := range []string{"percent", "per cent", "por ciento", "por cento", "pour cent", "pour-cent", "prozent",
		"per cento",
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
func (n *Number) multiplier(text string) {
	rest, gap := cutSpace(text[n.At.End:])
	end := len(shortWord(rest))
	zeros := multipliers()[scan.Fold(rest[:end])]
	if zeros == 0 || end == 1 && (n.Currency == "" || gap > 0) || gap == 0 && end > 3 {
		return
	}
	n.zeros, n.At.End = zeros, n.At.End+gap+end
	if second, gap := cutSpace(text[n.At.End:]); zeros <= 3 && gap > 0 {
		next := len(shortWord(second))
		if more := multipliers()[scan.Fold(second[:next])]; more > zeros && more <= 6 && next > 1 {
			n.zeros, n.At.End = zeros+more, n.At.End+gap+next
		}
	}
	if strings.HasPrefix(text[n.At.End:], ".") && len(scan.Fold(rest[:end])) <= 3 && end > 1 {
		n.At.End++
	}
}

// markMillions marks a number as unclear that a capital M follows: 10M may be ten million, or a size.
func (n *Number) markMillions(text string) {
	rest, _ := cutSpace(text[n.At.End:])
	if n.Currency == "" && n.zeros == 0 && strings.HasPrefix(rest, "M") && len(shortWord(rest)) == 1 {
		n.isUnclear = true
	}
}

// multipliedCurrency reads a multiplier that is attached to a currency: 5m EUR, 5 M€, 120 TEUR. A
// letter with a space on both sides may be meters or tons, so the number is unclear.
func (n *Number) multipliedCurrency(text string) {
	rest, gap := cutSpace(text[n.At.End:])
	if rest == "" || n.zeros != 0 || n.Currency != "" {
		return
	}
	zeros := map[byte]int{'k': 3, 't': 3, 'm': 6}[rest[0]|0x20]
	behind, space := cutSpace(rest[1:])
	code, size := CurrencyAt(behind)
	if price, _ := cutSpace(behind[size:]); zeros == 0 || size == 0 || price != "" && scan.IsDigit(price[0]) {
		return
	}
	if space > 0 && (gap > 0 || rest[0]|0x20 == 't') {
		n.isUnclear = true
		return
	}
	n.zeros, n.Currency, n.At.End = zeros, code, n.At.End+gap+1+space+size
}
