package numbers

import (
	"strconv"
	"strings"
	"sync"

	"portside/documents/offline/scan"
)

// spokenWords maps the English words of a cardinal number to their values.
var spokenWords = sync.OnceValue(func() map[string]int64 {
	const ten = 10
	words := map[string]int64{"hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9}
	small := "zero one two three four five six seven eight nine ten " +
		"eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
	for i, w := range strings.Fields(small) {
		words[w] = int64(i)
	}
	for i, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		words[w] = ten * int64(i+2)
	}
	return words
})

// Spoken returns the numbers that a transcript of a recording has in English words, such as "forty thousand dollars". A
// single word such as "two" is a number only before a currency or "percent", because people also say it without meaning
// a value.
func Spoken(w *scan.Watch, text string) []Number {
	var found []Number
	words := scan.Words(text)
	for i := 0; i < len(words) && !w.Stopped(); {
		value, count := spokenAt(text, words[i:])
		if count == 0 {
			i++
			continue
		}
		n := Number{At: scan.Between(words[i].At.Start, words[i+count-1].At.End), whole: strconv.FormatInt(value, 10)}
		n.digits, n.Value = n.At, n.whole
		n.readSpokenUnit(text)
		if count > 1 || n.Currency != "" || n.Percent {
			found = append(found, n)
		}
		i += count
	}
	return found
}

// Moved returns the number at another place: of a text that begins at an offset of a longer one.
func (n Number) Moved(offset int) Number {
	n.At = scan.Between(n.At.Start+offset, n.At.End+offset)
	n.digits = scan.Between(n.digits.Start+offset, n.digits.End+offset)
	return n
}

// readSpokenUnit reads the currency or the percent after the number.
func (n *Number) readSpokenUnit(text string) {
	rest, space := cutSpace(text[n.At.End:])
	if code, size := CurrencyAt(rest); size > 0 {
		n.Currency = code
		n.At.End += space + size
		return
	}
	for _, percent := range []string{"percent", "per cent"} {
		if strings.HasPrefix(strings.ToLower(rest[:min(len(rest), len(percent))]), percent) {
			n.Percent = true
			n.At.End += space + len(percent)
			return
		}
	}
}

// spokenAt reads the number at the beginning of words. count is the number of its words; 0 if the words do not begin
// with a number.
func spokenAt(text string, words []scan.Word) (value int64, count int) {
	var s spokenNumber
	for i, w := range words {
		if i > 0 && w.AfterBreak && text[words[i-1].At.End:w.At.Start] != "-" {
			break
		}
		if w.Text == "and" && s.takesAnd() {
			continue // counts if a part of the number follows
		}
		v, isNumber := spokenWords()[w.Text]
		if !isNumber || !s.add(v) {
			break
		}
		count = i + 1
	}
	return s.total + s.group, count
}

// spokenNumber adds up the words of a number: hundreds, tens and ones in groups, and the groups by their scales.
type spokenNumber struct {
	total, group int64
	scale        int64 // of the last group; 0 before the first
	words        int
}

const (
	spokenTen      = 10
	spokenTwenty   = 20
	spokenHundred  = 100
	spokenThousand = 1000
)

// takesAnd reports whether "and" may follow, as in "two hundred and five".
func (s *spokenNumber) takesAnd() bool {
	return s.group > 0 && s.group%spokenHundred == 0 || s.group == 0 && s.total > 0
}

// add adds a word. It returns false if the number ends before the word.
func (s *spokenNumber) add(v int64) bool {
	tens, ones := s.group%spokenHundred, s.group%spokenTen
	switch {
	case s.words > 0 && (v == 0 || s.total+s.group == 0):
		return false
	case v == spokenHundred:
		if s.group == 0 || s.group >= spokenTwenty {
			return false
		}
		s.group *= v
	case v >= spokenThousand:
		if s.group == 0 || s.scale != 0 && v >= s.scale {
			return false
		}
		s.total, s.group, s.scale = s.total+s.group*v, 0, v
	case tens == 0, v < spokenTen && tens >= spokenTwenty && ones == 0:
		s.group += v
	default:
		return false
	}
	s.words++
	return true
}
