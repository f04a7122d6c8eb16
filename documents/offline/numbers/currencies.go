package numbers

import (
	"strings"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// currencies are the signs, codes and names that stand before or after an amount.
var currencies = []struct{ sign, code string }{
	{"€", "EUR"}, {"£", "GBP"}, {"US$", "USD"}, {"R$", "BRL"}, {"$", "USD"}, {"¥", "JPY"}, {"EUR", "EUR"}, {"USD", "USD"}, {"GBP", "GBP"},
	{"CHF", "CHF"}, {"SEK", "SEK"}, {"DKK", "DKK"}, {"NOK", "NOK"}, {"PLN", "PLN"}, {"RON", "RON"}, {"BRL", "BRL"}, {"CZK", "CZK"},
	{"HUF", "HUF"}, {"JPY", "JPY"}, {"CAD", "CAD"}, {"AUD", "AUD"}, {"MXN", "MXN"}, {"zł", "PLN"}, {"zl", "PLN"}, {"kronor", "SEK"}, {"kr", "SEK"},
	{"lei", "RON"}, {"leu", "RON"}, {"euros", "EUR"}, {"euro", "EUR"}, {"eur", "EUR"}, {"dollars", "USD"}, {"dollar", "USD"}, {"złotych", "PLN"}, {"Fr.", "CHF"},
}

// CurrencyAt reads a currency at the beginning of a text. size is 0 if the text does not begin with one.
func CurrencyAt(text string) (code string, size int) {
	for _, c := range currencies {
		if len(text) < len(c.sign) || !strings.EqualFold(text[:len(c.sign)], c.sign) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[len(c.sign):])
		isSign := !scan.IsLetterOrDigit(c.sign[len(c.sign)-1]) && c.sign[0] != 'z'
		if len(text) == len(c.sign) || isSign || !scan.IsWordRune(next) {
			return c.code, len(c.sign)
		}
	}
	return "", 0
}

// currencyBefore reads a currency at the end of a text. size is 0 if the text does not end with one.
func currencyBefore(text string) (code string, size int) {
	for _, c := range currencies {
		if len(text) < len(c.sign) || !strings.EqualFold(text[len(text)-len(c.sign):], c.sign) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:len(text)-len(c.sign)])
		if len(text) == len(c.sign) || !scan.IsLetterOrDigit(c.sign[0]) || !scan.IsWordRune(before) {
			return c.code, len(c.sign)
		}
	}
	return "", 0
}

func endsWithCurrency(text string) bool {
	_, size := currencyBefore(text)
	return size > 0
}

// cutOf skips the "de" of "dos millones de euros" and "25 de lei".
func cutOf(text string) (rest string, size int) {
	if rest, ok := strings.CutPrefix(text, "de "); ok {
		if _, size := CurrencyAt(rest); size > 0 {
			return rest, len("de ")
		}
	}
	return text, 0
}

// cutSpace skips one space. size is the number of bytes it skips.
func cutSpace(text string) (rest string, size int) {
	if strings.HasPrefix(text, " ") {
		return text[1:], 1
	}
	return text, 0
}
