package comparison

import (
	"portside/documents/answers"
	"portside/documents/offline/language"
	"portside/documents/offline/numbers"
)

// inTwoCurrencies describes amounts in two currencies by their quotes. It does not compute a
// difference, because the exchange rate is not known.
func (w wording) inTwoCurrencies(v answers.Variable, a, b answers.Extraction) (words string, ok bool) {
	if v.Type != answers.Number || len(a.Evidence[v.Name]) == 0 || len(b.Evidence[v.Name]) == 0 {
		return "", false
	}
	first, second := a.Evidence[v.Name][0].Quote, b.Evidence[v.Name][0].Quote
	x, y := currencyOf(first), currencyOf(second)
	if x == "" || y == "" || x == y {
		return "", false
	}
	return w.render(differentValues, w.quoted(first), w.quoted(second)), true
}

// currencyOf returns the currency of the first amount of a quote, or an empty string.
func currencyOf(quote string) string {
	for _, f := range numbers.Find(nil, quote, language.Guess(quote)) {
		if f.Currency != "" {
			return f.Currency
		}
	}
	return ""
}
