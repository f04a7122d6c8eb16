package comparison

import (
	"portside/documents/answers"
	"portside/documents/offline/language"
	"portside/documents/offline/numbers"
)

// inTwoCurrencies says amounts of two currencies as the documents do: there is no difference to reckon, as nobody knows the rate.
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

// currencyOf is that of the first amount of a quote; empty where it says none.
func currencyOf(quote string) string {
	for _, f := range numbers.Find(nil, quote, language.Guess(quote)) {
		if f.Currency != "" {
			return f.Currency
		}
	}
	return ""
}
