package mediaprompt

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents/lazyregexp"
)

var (
	digitsPattern = lazyregexp.New(`[0-9]+`)
	figurePattern = lazyregexp.New(`[0-9]+(?:[.,'’][0-9]+)*`)
	spacedPattern = lazyregexp.New(`[0-9]{1,3}(?:[ .,'’][0-9]{3})*(?:[.,][0-9]+)?`)
	wordPattern   = lazyregexp.New(`\p{L}+`)
)

// checkNumber returns the confidence that a quote contains a number. A figure that differs from the
// number by a power of ten counts only if the quote has a word for that power, such as million.
func checkNumber(quote, value string) float64 {
	if !digitsPattern().MatchString(quote) {
		return unverified
	}
	want, scales := parseDecimal(value), scalePowers(quote)
	is := func(d decimal) bool {
		return d.digits == want.digits && (d.point == want.point || slices.Contains(scales, want.point-d.point))
	}
	figures := append(figurePattern().FindAllString(quote, -1), spacedPattern().FindAllString(quote, -1)...)
	switch {
	case !slices.ContainsFunc(figures, func(f string) bool { return slices.ContainsFunc(readings(f), is) }):
		return 0
	case strings.HasPrefix(value, "-") && !strings.ContainsAny(quote, "-−–("):
		return partial
	}
	return verified
}

// decimal is the number 0.digits times ten to the power of point. Digits neither begins nor ends with
// a zero, and is empty for the number 0.
type decimal struct {
	digits string
	point  int
}

// parseDecimal parses a plain decimal number and ignores its sign.
func parseDecimal(number string) decimal {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(number, "-"), ".")
	all := strings.TrimLeft(whole+fraction, "0")
	if all == "" {
		return decimal{}
	}
	return decimal{strings.TrimRight(all, "0"), len(all) - len(fraction)}
}

// readings returns the numbers that a figure may mean. In some countries 1.234 means more than a
// thousand, in others less than two.
func readings(figure string) []decimal {
	groups := digitsPattern().FindAllString(figure, -1)
	signs := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, figure)
	joined := strings.Join(groups, "")
	if signs == "" {
		return []decimal{parseDecimal(joined)}
	}
	var all []decimal
	last := signs[len(signs)-1:]
	if strings.ContainsAny(last, ".,") && strings.Count(signs, last) == 1 {
		rest := groups[len(groups)-1]
		all = append(all, parseDecimal(strings.TrimSuffix(joined, rest)+"."+rest))
	}
	if areThousands(groups) && strings.Trim(signs, signs[:1]) == "" {
		all = append(all, parseDecimal(joined))
	}
	return all
}

// areThousands reports whether the groups of digits are those of one number with separators for
// thousands, or for lakhs.
func areThousands(groups []string) bool {
	last := len(groups) - 1
	if groups[0] == "0" || len(groups[0]) > 3 || len(groups[last]) != 3 {
		return false
	}
	return !slices.ContainsFunc(groups[1:last], func(g string) bool { return len(g) != 2 && len(g) != 3 })
}

// magnitude is a list of words that mean a power of ten.
type magnitude struct {
	powers   []int  // that the words may mean
	words    string // complete words
	prefixes string // beginnings of words
}

func magnitudes() []magnitude {
	return []magnitude{
		{[]int{-3}, "‰", "promil"},
		{[]int{-2}, "% pct ct ¢", "percent prozent procent cent ciento proc"},
		{[]int{2}, "", "hundred hundert honderd"},
		{[]int{3}, "k t mil mille mila mie mii tys tsd tkr teur keur kusd", "thousand tausend tysi duizend tusen millier"},
		{[]int{5}, "lac lacs", "lakh"},
		//nolint:misspell // words of other languages
		{[]int{6}, "m mm mn mio mln meur musd", "million millon millón milhã milhõ milion milió milio miljo"},
		{[]int{7}, "cr", "crore"},
		{[]int{9}, "mrd mld mia md bn", "milliard miliard miljard milliárd"},
		{[]int{9, 12}, "b tn", "billion billon billón bilhã bilhõ bilion bilió biljo trillion trilion"},
	}
}

// scalePowers returns the powers of ten that the words of a quote mean, alone and in pairs (mil
// millones).
func scalePowers(quote string) []int {
	var all []int
	for _, word := range append(wordPattern().FindAllString(strings.ToLower(quote), -1), percentSigns(quote)...) {
		for _, s := range magnitudes() {
			if s.matches(word) {
				all = append(all, s.powers...)
			}
		}
	}
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a != b {
				all = append(all, a+b)
			}
		}
		if len(all) > 100 {
			break
		}
	}
	return all
}

func percentSigns(quote string) []string {
	return slices.DeleteFunc([]string{"%", "‰", "¢"}, func(sign string) bool { return !strings.Contains(quote, sign) })
}

func (m magnitude) matches(word string) bool {
	return slices.Contains(strings.Fields(m.words), word) ||
		slices.ContainsFunc(strings.Fields(m.prefixes), func(start string) bool { return strings.HasPrefix(word, start) })
}
