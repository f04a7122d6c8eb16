package lexicon

import (
	"slices"
	"strings"
)

func AnyIn(touched map[string]bool, terms []string) bool {
	return slices.ContainsFunc(terms, func(t string) bool { return touched[t] })
}

func IsNeutral(t string) bool {
	switch t {
	case "CURRENCY", "eur", "euro", "usd", "gbp", "sek", "pln", "ron", "chf", "kr", "lei", "zl", "INCLUDED", "BANK":
		return true
	}
	return false
}

// containsTerm compares words of their own by their beginnings, because languages end them differently.
func Contains(terms []string, t string) bool {
	if slices.Contains(terms, t) {
		return true
	}
	if often := Frequencies[t]; often != "" {
		return slices.Contains(terms, often)
	}
	const least = 5
	if IsTerm(t) || len(t) < least {
		return false
	}
	return slices.ContainsFunc(terms, func(x string) bool { return !IsTerm(x) && similarWords(x, t) })
}

// howOften are terms that say how often as well as how long: a rent "per month" is a monthly one.
var Frequencies = map[string]string{"MONTHS": "MONTHLY", "MONTHLY": "MONTHS", "YEARS": "ANNUAL", "ANNUAL": "YEARS"}

// alike reports that two words begin the same for the most part, or that one is a part of the other as in compounds.
func similarWords(x, t string) bool {
	const least, share = 5, 0.75
	same := 0
	for same < min(len(x), len(t)) && x[same] == t[same] {
		same++
	}
	if same >= least && float64(same) >= share*float64(max(len(x), len(t))) {
		return true
	}
	long, short := x, t
	if len(long) < len(short) {
		long, short = short, long
	}
	return len(short) >= least && (strings.HasPrefix(long, short) || strings.HasSuffix(long, short))
}

// generic are terms that need others to mean something.
var GenericTerms = []string{
	"DATE", "NUMBER", "AMOUNT", "NAME", "ITEM", "DAYS", "MONTHS", "YEARS", "STATUS", "TITLE", "TERMS", "PLACE", "PERIOD", "TIME",
}

func AllGeneric(named []string) bool {
	for _, t := range named {
		if IsTerm(t) && !slices.Contains(GenericTerms, t) {
			return false
		}
	}
	return true
}

// isTerm reports a term of the lexicon, not a word of its own.
func IsTerm(t string) bool { return t[0] >= 'A' && t[0] <= 'Z' }

// docNouns say what kind of document something is about, which its labels rarely repeat.
var DocumentTerms = []string{"INVOICE", "CONTRACT", "MEETING", "OFFER", "ORDER", "RECEIPT"}

func Subset(of, in []string) bool {
	return !slices.ContainsFunc(of, func(t string) bool { return !slices.Contains(in, t) })
}

func SameTerms(a, b []string) bool { return Subset(a, b) && Subset(b, a) }

func Without(terms, less []string) []string {
	var kept []string
	for _, t := range terms {
		if !slices.Contains(less, t) {
			kept = append(kept, t)
		}
	}
	return kept
}

var TimeUnits = []string{"DAYS", "WEEKS", "MONTHS", "YEARS", "HOURS"}
