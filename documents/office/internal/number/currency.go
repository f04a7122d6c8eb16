package number

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// currencyIn returns the currency in the first section of a format: as [$€-407], in quotes, or plain.
func currencyIn(code string) string {
	for i := 0; i < len(code) && code[i] != ';'; i++ {
		literal := ""
		switch c := code[i]; c {
		case '_', '*':
			i++
		case '"':
			n := length(code[i+1:], '"')
			literal = strings.TrimSuffix(code[i+1:i+1+n], `"`)
			i += n
		case '[':
			n := length(code[i+1:], ']')
			literal = bracketed(strings.TrimSuffix(code[i+1:i+1+n], "]"))
			i += n
		case '\\':
		default:
			_, size := utf8.DecodeRuneInString(code[i:])
			literal = code[i : i+size]
			i += size - 1
		}
		if literal = strings.TrimSpace(literal); isCurrency(literal) {
			return literal
		}
	}
	return ""
}

// bracketed returns the currency in $€-407, which precedes the language.
func bracketed(inner string) string {
	sign, ok := strings.CutPrefix(inner, "$")
	if !ok {
		return ""
	}
	sign, _, _ = strings.Cut(sign, "-")
	return sign
}

// isCurrency reports whether a text is a currency sign of Unicode, alone or with letters as in R$, or the word of a
// country without a sign.
func isCurrency(text string) bool {
	const longest = 5
	if text == "" || utf8.RuneCountInString(text) > longest || strings.ContainsFunc(text, unicode.IsDigit) {
		return false
	}
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Sc, r) }) ||
		strings.Contains(currencyWords, " "+strings.ToLower(text)+" ") || strings.Contains(currencyCodes, " "+text+" ")
}

const (
	currencyWords = " kr kr. zł lei leu kč ft fr. sfr. лв лв. din. дин. руб. грн. "
	currencyCodes = " EUR USD GBP CHF SEK NOK DKK ISK PLN CZK HUF RON BGN RSD UAH RUB TRY JPY CNY INR AUD CAD NZD BRL MXN ARS CLP COP PEN " +
		"ZAR ILS AED SAR KRW SGD HKD THB IDR PHP MYR VND EGP MAD NGN KES " // in capitals alone: some are words
)

// ShownCurrency returns the currency in a displayed amount.
func ShownCurrency(shown string) string {
	for _, part := range strings.FieldsFunc(shown, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.IsSpace(r) || strings.ContainsRune("-−+()'’,", r)
	}) {
		if part = strings.TrimLeft(part, "."); isCurrency(part) {
			return part
		}
	}
	return ""
}
