package numbers

import (
	"strings"
	"unicode/utf8"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// Number is a number in a text.
type Number struct {
	At         scan.Span // including sign, currency, percent and multiplier
	digits     scan.Span // the digits and their separators
	Value      string    // plain decimal
	Currency   string    // ISO 4217; empty if the text gives none
	Percent    bool
	whole      string // digits before the decimal mark
	Fraction   string
	ambiguous  byte // a separator that may be a decimal mark or a thousands separator; otherwise 0
	zeros      int  // that a multiplier adds
	isNegative bool
	isUnclear  bool // its sign or its extent is not clear, so it is not reported
}

// IsYear reports whether a text is a year of our time.
func IsYear(text string) bool {
	const digits, first, last = 4, "1900", "2099"
	return len(text) == digits && scan.SkipDigits(text, 0) == digits && first <= text && text <= last
}

const (
	maxDigits = 24
	groupSize = 3
)

// Find returns the numbers of a text in order. They do not overlap. If "1.234" could be a decimal or a thousand, the other
// numbers of the text decide which mark separates decimals, and otherwise the custom of the language; lang is empty if it is
// not known. Prices have their own votes: without any, the mark of a price separates thousands.
func Find(w *scan.Watch, text string, lang answers.Lang) []Number {
	var found []Number
	var all, money, open markVotes
	for i := 0; i < len(text) && !w.Stopped(); {
		if !scan.IsDigit(text[i]) {
			i++
			continue
		}
		f, vote, ok := numberAt(text, i)
		i = max(f.At.End, f.digits.End)
		if vote != 0 && !f.isReference(text) {
			all.count(vote)
			if f.Currency != "" {
				money.count(vote)
			}
		}
		if n := len(found); n > 0 && f.At.Start < found[n-1].At.End {
			f.At.Start = f.digits.Start // the currency belongs to the number before
		}
		if ok {
			found = append(found, f)
		}
		if ok && f.ambiguous != 0 && f.Currency != "" {
			open.count(other(f.ambiguous)) // prices often have thousands and hardly ever thousandths
		}
	}
	mark := all.mark(open.mark(defaultMark(lang)))
	priced := money.mark(0)
	for i := range found {
		if found[i].Currency != "" {
			found[i].resolve(priced)
		} else {
			found[i].resolve(mark)
		}
	}
	return found
}

// markVotes counts the decimal marks of numbers with only one reading.
type markVotes struct{ points, commas int }

func (v *markVotes) count(mark byte) {
	if mark == '.' {
		v.points++
	} else {
		v.commas++
	}
}

// mark returns the more frequent mark, or fallback if both are equally frequent.
func (v *markVotes) mark(fallback byte) byte {
	switch {
	case v.points > v.commas:
		return '.'
	case v.commas > v.points:
		return ','
	}
	return fallback
}

// defaultMark returns the decimal mark that is customary in a language. It returns 0 if the language is not known: then
// a mark before three digits separates thousands.
func defaultMark(lang answers.Lang) byte {
	switch lang {
	case "":
		return 0
	case "en":
		return '.'
	}
	return ','
}

// numberAt reads the number that begins at the digit at offset i. vote is its decimal mark, or 0 if
// the number does not show one. If ok is false, the positions still cover the characters that it read.
func numberAt(text string, i int) (f Number, vote byte, ok bool) {
	groups, marks, end := digitGroups(text, i)
	f.digits = scan.Between(i, end)
	f.At = f.digits
	if partOfName(text, i) || continuesNumber(text[:i]) {
		return f, 0, false
	}
	vote, ok = f.splitDecimals(groups, marks)
	if !ok || len(f.whole)+len(f.Fraction) > maxDigits {
		return f, 0, false
	}
	f.readAffixes(text)
	return f, vote, !f.isUnclear && f.endsWell(text) && !f.isPartial(text)
}

// digitGroups reads groups of digits and the marks between them. end is the offset after the last
// group.
func digitGroups(text string, i int) (groups []string, marks []byte, end int) {
	for {
		end = scan.SkipDigits(text, i)
		groups = append(groups, text[i:end])
		mark, next := separator(text, end, len(marks) == 0 && len(groups[0]) > groupSize)
		if mark == 0 {
			return groups, marks, end
		}
		marks, i = append(marks, mark), next
	}
}

// separator reads one mark that is followed by more digits, and returns 0 without one. A space
// only counts before a group of three digits, because it also separates two numbers.
func separator(text string, i int, tooLong bool) (mark byte, next int) {
	if i >= len(text)-1 {
		return 0, i
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	next = i + size
	if next >= len(text) || !scan.IsDigit(text[next]) {
		return 0, i
	}
	switch r {
	case '.', ',':
		return byte(r), next
	case '\'', '’', ' ':
		if !tooLong && scan.SkipDigits(text, next)-next == groupSize {
			return ' ', next
		}
	}
	return 0, i
}

// splitDecimals decides which of the marks is the decimal mark. ok is false if the groups are not
// those of a number. A table whose columns touch glues the digits of two numbers: the 0 and the
// 146,982 of "0146,982", or the 146,982 and the 5 of "146,9825". Such a number has no vote.
func (n *Number) splitDecimals(groups []string, marks []byte) (vote byte, ok bool) {
	last := len(marks) - 1
	if last < 0 {
		n.whole = groups[0]
		return 0, true
	}
	mark := marks[last]
	switch {
	case mark == ' ': // 1 234
		n.whole = strings.Join(groups, "")
		return 0, allEqual(marks) && grouped(groups)
	case last > 0 && allEqual(marks): // 1.234.567: a repeated mark separates thousands, so the other one separates decimals
		n.whole = strings.Join(groups, "")
		return other(mark), grouped(groups)
	case last > 0: // 1.234,56
		n.whole, n.Fraction = strings.Join(groups[:last+1], ""), groups[last+1]
		return mark, allEqual(marks[:last]) && grouped(groups[:last+1])
	case len(groups[1]) == groupSize && groups[0] != "0" && (len(groups[0]) <= groupSize || groups[0][0] == '0'): // 1.234
		n.whole, n.ambiguous = groups[0]+groups[1], mark
		return 0, true
	}
	n.whole, n.Fraction = groups[0], groups[1]
	if len(groups[1]) > groupSize && groups[0] != "0" {
		return 0, true
	}
	return mark, true
}

func allEqual(marks []byte) bool {
	for _, m := range marks {
		if m != marks[0] {
			return false
		}
	}
	return true
}

// grouped reports whether all groups but the first have three digits, and the first has one to three without a leading zero.
func grouped(groups []string) bool {
	for _, g := range groups[1:] {
		if len(g) != groupSize {
			return false
		}
	}
	return len(groups[0]) <= groupSize && groups[0][0] != '0'
}

// other returns the other of the two marks.
func other(mark byte) byte {
	if mark == '.' {
		return ','
	}
	return '.'
}

// resolve decides an ambiguous separator by the decimal mark, and sets Value.
func (n *Number) resolve(mark byte) {
	if n.ambiguous == mark && n.ambiguous != 0 {
		cut := len(n.whole) - groupSize
		n.whole, n.Fraction = n.whole[:cut], n.whole[cut:]
	}
	for range n.zeros {
		n.timesTen()
	}
	n.Value = plainDecimal(n.whole, n.Fraction)
	if n.isNegative && n.Value != "0" {
		n.Value = "-" + n.Value
	}
}

// timesTen multiplies the number by ten.
func (n *Number) timesTen() {
	next := "0"
	if n.Fraction != "" {
		next, n.Fraction = n.Fraction[:1], n.Fraction[1:]
	}
	n.whole += next
}

// plainDecimal returns a number without superfluous zeros.
func plainDecimal(whole, fraction string) string {
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}
