package lexicon

import (
	"slices"
	"strings"
)

// IsTerm reports a term of the lexicon. Other words are in lower case.
func IsTerm(t string) bool { return t[0] >= 'A' && t[0] <= 'Z' }

// GenericTerms need another term to mean something specific.
var GenericTerms = []string{
	"DATE", "NUMBER", "AMOUNT", "NAME", "ITEM", "DAYS", "MONTHS", "YEARS", "STATUS", "TITLE", "TERMS", "PLACE", "PERIOD", "TIME",
}

// DocumentTerms name a kind of document, which its labels rarely repeat.
var DocumentTerms = []string{"INVOICE", "CONTRACT", "MEETING", "OFFER", "ORDER", "RECEIPT"}

// TimeUnits are the terms of units of time.
var TimeUnits = []string{"DAYS", "WEEKS", "MONTHS", "YEARS", "HOURS"}

// Frequencies maps a unit to its frequency and back: a rent "per month" is a monthly rent.
var Frequencies = map[string]string{"MONTHS": "MONTHLY", "MONTHLY": "MONTHS", "YEARS": "ANNUAL", "ANNUAL": "YEARS"}

// IsNeutral reports terms such as a currency that do not change the meaning of a label.
func IsNeutral(t string) bool {
	switch t {
	case "CURRENCY", "eur", "euro", "usd", "gbp", "sek", "pln", "ron", "chf", "kr", "lei", "zl", "INCLUDED", "BANK":
		return true
	}
	return false
}

// AllGeneric reports whether all terms of the lexicon among terms are generic.
func AllGeneric(terms []string) bool {
	for _, t := range terms {
		if IsTerm(t) && !slices.Contains(GenericTerms, t) {
			return false
		}
	}
	return true
}

// Contains reports whether terms include t or its frequency. Words that are not in the lexicon also
// match similar words, because languages have different endings.
func Contains(terms []string, t string) bool {
	if slices.Contains(terms, t) {
		return true
	}
	if often := Frequencies[t]; often != "" {
		return slices.Contains(terms, often)
	}
	const minBytes = 5
	if IsTerm(t) || len(t) < minBytes {
		return false
	}
	return slices.ContainsFunc(terms, func(x string) bool { return !IsTerm(x) && similarWords(x, t) })
}

// similarWords reports whether two words have most of their beginning in common, or one is a part
// of the other, as in a compound.
func similarWords(x, t string) bool {
	const minBytes, minShare = 5, 0.75
	same := 0
	for same < min(len(x), len(t)) && x[same] == t[same] {
		same++
	}
	if same >= minBytes && float64(same) >= minShare*float64(max(len(x), len(t))) {
		return true
	}
	long, short := x, t
	if len(long) < len(short) {
		long, short = short, long
	}
	return len(short) >= minBytes && (strings.HasPrefix(long, short) || strings.HasSuffix(long, short))
}

// Without returns terms without those in less.
func Without(terms, less []string) []string {
	var kept []string
	for _, t := range terms {
		if !slices.Contains(less, t) {
			kept = append(kept, t)
		}
	}
	return kept
}

// SameTerms reports whether two lists have the same terms, in any order.
func SameTerms(a, b []string) bool { return Subset(a, b) && Subset(b, a) }

// Subset reports whether all terms of "of" are in "in".
func Subset(of, in []string) bool {
	return !slices.ContainsFunc(of, func(t string) bool { return !slices.Contains(in, t) })
}

// Overlap reports whether two lists have a term in common.
func Overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(t string) bool { return slices.Contains(b, t) })
}

// AnyIn reports whether the set has one of the terms.
func AnyIn(set map[string]bool, terms []string) bool {
	return slices.ContainsFunc(terms, func(t string) bool { return set[t] })
}
