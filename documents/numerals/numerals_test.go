package numerals_test

import (
	"math"
	"strconv"
	"testing"

	"portside/documents/numerals"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		format string
		n      int
		want   string
	}{
		{"lowerLetter", 27, "aa"}, {"upperLetter", 3, "C"}, {"lowerRoman", 1994, "mcmxciv"}, {"upperRoman", 4000, "4000"},
		{"decimalZero", 7, "07"}, {"lowerLetter", 0, "0"}, {"lowerLetter", math.MaxInt, strconv.Itoa(math.MaxInt)}, {"decimal", -3, "-3"},
	} {
		t.Run(c.format+" "+c.want, func(t *testing.T) {
			if got := numerals.Format(c.format, c.n); got != c.want {
				t.Errorf("%s %d is %s, not %s", c.format, c.n, got, c.want)
			}
		})
	}
}
