package mediaprompt

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents/lazyregexp"
)

var (
	digits = lazyregexp.New(`[0-9]+`)
	figure = lazyregexp.New(`[0-9]+(?:[.,'’][0-9]+)*`)
	spaced = lazyregexp.New(`[0-9]{1,3}(?:[ .,'’][0-9]{3})*(?:[.,][0-9]+)?`)
	words  = lazyregexp.New(`\p{L}+`)
)

// numberIn looks for a figure that can be read as the value. One that is it but for a power of ten counts only where a word
// such as million says so.
func numberIn(quote, value string) float64 {
	if !digits().MatchString(quote) {
		return written
	}
	want, scales := decimalOf(value), scalesIn(quote)
	is := func(d decimal) bool {
		return d.digits == want.digits && (d.point == want.point || slices.Contains(scales, want.point-d.point))
	}
	figures := append(figure().FindAllString(quote, -1), spaced().FindAllString(quote, -1)...)
	switch {
	case !slices.ContainsFunc(figures, func(f string) bool { return slices.ContainsFunc(readings(f), is) }):
		return 0
	case strings.HasPrefix(value, "-") && !strings.ContainsAny(quote, "-−–("):
		return partly
	}
	return shown
}

// decimal is 0.digits times ten to the power of point. The digits neither begin nor end with a zero; 0 has none.
type decimal struct {
	digits string
	point  int
}

// decimalOf reads a plain decimal number, and leaves its sign.
func decimalOf(number string) decimal {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(number, "-"), ".")
	all := strings.TrimLeft(whole+fraction, "0")
	if all == "" {
		return decimal{}
	}
	return decimal{strings.TrimRight(all, "0"), len(all) - len(fraction)}
}

// readings are the numbers that a figure may stand for: 1.234 is two of them, as countries have it.
func readings(figure string) []decimal {
	groups := digits().FindAllString(figure, -1)
	signs := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, figure)
	joined := strings.Join(groups, "")
	if signs == "" {
		return []decimal{decimalOf(joined)}
	}
	var all []decimal
	last := signs[len(signs)-1:]
	if strings.ContainsAny(last, ".,") && strings.Count(signs, last) == 1 {
		rest := groups[len(groups)-1]
		all = append(all, decimalOf(strings.TrimSuffix(joined, rest)+"."+rest))
	}
	if grouped(groups) && strings.Trim(signs, signs[:1]) == "" {
		all = append(all, decimalOf(joined))
	}
	return all
}

// grouped reports whether these are the thousands of one number, or the lakhs.
func grouped(groups []string) bool {
	last := len(groups) - 1
	if groups[0] == "0" || len(groups[0]) > 3 || len(groups[last]) != 3 {
		return false
	}
	return !slices.ContainsFunc(groups[1:last], func(g string) bool { return len(g) != 2 && len(g) != 3 })
}

// scale is words that stand for a power of ten. What they begin with is enough where they are long.
type scale struct {
	powers []int
	words  string
	starts string
}

func scales() []scale {
	return []scale{
		{[]int{-3}, "‰", "promil"},
		{[]int{-2}, "% pct ct ¢", "percent prozent procent cent ciento proc"},
		{[]int{2}, "", "hundred hundert honderd"},
		{[]int{3}, "k t mil mille mila mie mii tys tsd tkr teur keur kusd", "thousand tausend tysi duizend tusen millier"},
		{[]int{5}, "lac lacs", "lakh"},
		//nolint:misspell // other languages
		{[]int{6}, "m mm mn mio mln meur musd", "million millon millón milhã milhõ milion milió milio miljo"},
		{[]int{7}, "cr", "crore"},
		{[]int{9}, "mrd mld mia md bn", "milliard miliard miljard milliárd"},
		{[]int{9, 12}, "b tn", "billion billon billón bilhã bilhõ bilion bilió biljo trillion trilion"},
	}
}

// scalesIn are the powers of ten that the words of a quote stand for, alone and in pairs (mil millones).
func scalesIn(quote string) []int {
	var all []int
	for _, word := range append(words().FindAllString(strings.ToLower(quote), -1), signsIn(quote)...) {
		for _, s := range scales() {
			if s.has(word) {
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

func signsIn(quote string) []string {
	return slices.DeleteFunc([]string{"%", "‰", "¢"}, func(sign string) bool { return !strings.Contains(quote, sign) })
}

func (s scale) has(word string) bool {
	return slices.Contains(strings.Fields(s.words), word) ||
		slices.ContainsFunc(strings.Fields(s.starts), func(start string) bool { return strings.HasPrefix(word, start) })
}
