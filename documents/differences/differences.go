// Package differences computes how the values of two documents differ. The result is for programs: the amount and the
// percentage by which numbers differ, the days between dates, and whether texts differ in their words. Package
// comparison describes the result in a sentence.
//
// Only this package decides whether two values are equal, so all engines agree. Values are equal only if both were
// found. Numbers are decimal fractions, and only percentages are rounded.
package differences

import (
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"portside/documents/answers"
	"portside/documents/offline/language"
	"portside/documents/offline/numbers"
)

// Relation is how the values of two documents relate.
type Relation string

// The relations.
const (
	Equal      Relation = "equal"
	Different  Relation = "different"
	OnlyFirst  Relation = "onlyFirst"  // only the first document has the value
	OnlySecond Relation = "onlySecond" // only the second document has the value
	Neither    Relation = "neither"
	InDoubt    Relation = "inDoubt" // one document has the value, and the other probably has a value that is uncertain
)

// minUncertain is the least confidence of an uncertain value that makes a comparison InDoubt. A value with less
// confidence is more likely wrong than right, so the document counts as having no value.
const minUncertain = 0.5

// Side is what one document has for a variable.
type Side struct {
	Value       answers.Value
	Quote       string // from which the value comes
	IsUncertain bool   // whether Value is missing only because the document's value is too uncertain
}

// SideOf returns what an extraction has for a variable.
func SideOf(e answers.Extraction, name string) Side {
	s := Side{Value: e.Values[name]}
	if quotes := e.Evidence[name]; len(quotes) > 0 {
		s.Quote = quotes[0].Quote
	}
	candidates := e.Candidates[name]
	s.IsUncertain = !s.Value.Found() && len(candidates) > 0 && candidates[0].Evidence.Confidence >= minUncertain
	return s
}

// Difference is how the second of two values differs from the first. Only Different values have more than a Relation.
type Difference struct {
	Relation Relation
	// Amount is the second number minus the first, in plain decimals. It is empty for other types, and for amounts in
	// two currencies.
	Amount string
	// Percent is Amount as a percentage of the first number, rounded to two decimals. It is empty if the first number
	// is
	// 0.
	Percent string
	// Currencies are the ISO 4217 codes of amounts in two currencies. The exchange rate is not known, so they have no
	// difference.
	Currencies []string
	// Days is the number of days from the first date to the second, negative if the second is earlier.
	Days int
	// IsFormOnly reports whether two texts differ only in case, spacing or punctuation.
	IsFormOnly bool
}

// Between compares what two documents have for one variable.
func Between(a, b Side) Difference {
	switch {
	case a.Value.Found() && b.IsUncertain, b.Value.Found() && a.IsUncertain:
		return Difference{Relation: InDoubt}
	case !a.Value.Found() && !b.Value.Found():
		return Difference{Relation: Neither}
	case !b.Value.Found():
		return Difference{Relation: OnlyFirst}
	case !a.Value.Found():
		return Difference{Relation: OnlySecond}
	}
	switch a.Value.Type {
	case answers.Number:
		return betweenNumbers(a, b)
	case answers.Date:
		return betweenDates(a.Value.Text, b.Value.Text)
	case answers.String:
		d := relate(a.Value.Text == b.Value.Text)
		d.IsFormOnly = d.Relation == Different && differInForm(a.Value.Text, b.Value.Text)
		return d
	}
	return relate(a.Value.Text == b.Value.Text)
}

func relate(isEqual bool) Difference {
	if isEqual {
		return Difference{Relation: Equal}
	}
	return Difference{Relation: Different}
}

func betweenNumbers(a, b Side) Difference {
	if x, y := currencyOf(a.Quote), currencyOf(b.Quote); x != "" && y != "" && x != y {
		return Difference{Relation: Different, Currencies: []string{x, y}}
	}
	x, okX := new(big.Rat).SetString(a.Value.Text)
	y, okY := new(big.Rat).SetString(b.Value.Text)
	if !okX || !okY {
		return relate(a.Value.Text == b.Value.Text)
	}
	gap := new(big.Rat).Sub(y, x)
	if gap.Sign() == 0 {
		return Difference{Relation: Equal}
	}
	d := Difference{Relation: Different, Amount: plain(gap)}
	if x.Sign() != 0 {
		d.Percent = percent(gap, x)
	}
	return d
}

// plain returns an exact decimal fraction.
func plain(r *big.Rat) string {
	places, _ := r.FloatPrec()
	return r.FloatString(places)
}

// percent returns a difference as a percentage of the absolute value of a number.
func percent(gap, of *big.Rat) string {
	const places = 2
	share := new(big.Rat).Quo(gap, new(big.Rat).Abs(of))
	text := share.Mul(share, big.NewRat(100, 1)).FloatString(places)
	text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}

// currencyOf returns the currency of the first amount of a quote, or an empty string.
func currencyOf(quote string) string {
	lang, _ := language.Guess(quote)
	for _, f := range numbers.Find(nil, quote, lang) {
		if f.Currency != "" {
			return f.Currency
		}
	}
	return ""
}

func betweenDates(a, b string) Difference {
	x, errX := time.Parse(time.DateOnly, a)
	y, errY := time.Parse(time.DateOnly, b)
	if errX != nil || errY != nil {
		return relate(a == b)
	}
	d := relate(x.Equal(y))
	d.Days = Days(x, y)
	return d
}

// Days returns the number of days from one day to another. A time.Duration would be too short for centuries.
func Days(from, to time.Time) int {
	const secondsPerDay = 24 * 60 * 60
	return int((to.Unix() - from.Unix()) / secondsPerDay)
}

// differInForm reports whether two texts differ only in case, spacing or punctuation: they have the same words, or the
// same characters except spaces. Accents and symbols do not count as punctuation. Punctuation within a number separates
// words, because 1.5 is not 15.
func differInForm(a, b string) bool {
	a, b = cases.Fold().String(norm.NFKC.String(a)), cases.Fold().String(norm.NFKC.String(b))
	x, y := strings.FieldsFunc(a, isBetweenWords), strings.FieldsFunc(b, isBetweenWords)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	return slices.Equal(x, y) || strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}

func isBetweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !unicode.IsSymbol(r)
}
