// Package numerals writes the numbers of list items as documents show them: 3, c, III.
package numerals

import (
	"strconv"
	"strings"
)

// Format writes a number in one of the formats of Office Open XML (ST_NumberFormat): decimal, decimalZero, lowerLetter,
// upperLetter, lowerRoman, upperRoman or none. Other formats, and numbers that a format cannot write, are decimal.
func Format(format string, n int) string {
	switch format {
	case "lowerLetter":
		return letters(n)
	case "upperLetter":
		return strings.ToUpper(letters(n))
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "none":
		return ""
	}
	return strconv.Itoa(n)
}

// letters counts a to z, then aa, bb and so on.
func letters(n int) string {
	const alphabet, maxLetters = 26, 20
	if n < 1 || n > alphabet*maxLetters {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(rune('a'+(n-1)%alphabet)), (n-1)/alphabet+1)
}

func roman(n int) string {
	const largest = 3999
	if n < 1 || n > largest {
		return strconv.Itoa(n)
	}
	values := []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	signs := []string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}
	var out strings.Builder
	for i, value := range values {
		for n >= value {
			out.WriteString(signs[i])
			n -= value
		}
	}
	return out.String()
}
