package numbers

import (
	"strings"
	"unicode/utf8"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// figure is a number where a text says it.
type Number struct {
	At         scan.Span // with sign, currency, percent and multiplier
	digits     scan.Span // the digits and what separates them
	Value      string    // plain decimal
	Currency   string    // ISO 4217; empty if none is said
	Percent    bool
	whole      string // digits before and after the decimal mark
	Fraction   string
	ambiguous  byte // the one separator that may be a decimal mark or a thousands separator
	zeros      int  // of the multiplier
	isNegative bool
	isUnclear  bool // whether it is negative, or whether it is all of a number
}

// figuresOf finds the numbers of a text, in order and without overlaps. Parts of names, dates and telephone numbers are none.
// Where 1.234 could be two numbers, the other numbers of the document decide which mark it uses for decimals, and then the
// habit of its language.
func Find(w *scan.Watch, text string, lang answers.Lang) []Number {
	var found []Number
	var all, money markVotes
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
			f.At.Start = f.digits.Start // the currency before it belongs to the number before it
		}
		if ok {
			found = append(found, f)
		}
	}
	mark := all.mark(defaultMark(lang))
	priced := money.mark(0) // prices have thousands, hardly ever thousandths
	for i := range found {
		if found[i].Currency != "" {
			found[i].resolve(priced)
		} else {
			found[i].resolve(mark)
		}
	}
	return found
}

// markVotes count the decimal marks that numbers show by themselves. About a price only prices know: those who write them may
// number clauses 4.2 and still write 1.450 EUR.
type markVotes struct{ points, commas int }

func (v *markVotes) count(mark byte) {
	if mark == '.' {
		v.points++
	} else {
		v.commas++
	}
}

// mark is the one that most show, or the one given if there is none.
func (v *markVotes) mark(otherwise byte) byte {
	switch {
	case v.points > v.commas:
		return '.'
	case v.commas > v.points:
		return ','
	}
	return otherwise
}

// habit is the decimal mark of a language.
func defaultMark(lang answers.Lang) byte {
	if lang == "en" {
		return '.'
	}
	return ','
}

// settle decides an ambiguous separator and writes the value.
func (f *Number) resolve(mark byte) {
	if f.ambiguous == mark && f.ambiguous != 0 {
		const groupDigits = 3
		cut := len(f.whole) - groupDigits
		f.whole, f.Fraction = f.whole[:cut], f.whole[cut:]
	}
	for range f.zeros {
		f.timesTen()
	}
	f.Value = plainDecimal(f.whole, f.Fraction)
	if f.isNegative && f.Value != "0" {
		f.Value = "-" + f.Value
	}
}

// shift multiplies by ten.
func (f *Number) timesTen() {
	next := "0"
	if f.Fraction != "" {
		next, f.Fraction = f.Fraction[:1], f.Fraction[1:]
	}
	f.whole += next
}

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

const (
	maxDigits = 24
	groupSize = 3
)

// figureAt reads the number that begins at a digit. Where ok is false, what was passed over is still set. The vote is the
// decimal mark that the number shows by itself.
func numberAt(text string, i int) (f Number, vote byte, ok bool) {
	groups, marks, end := digitGroups(text, i)
	f.digits = scan.Span{Start: i, End: end}
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

// digitGroups reads groups of digits and the marks between them.
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

// separator reads one mark before more digits. A space separates only full groups, because it stands between two numbers
// as well.
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

// divide finds out which of the marks is the decimal one.
func (f *Number) splitDecimals(groups []string, marks []byte) (vote byte, ok bool) {
	last := len(marks) - 1
	if last < 0 {
		f.whole = groups[0]
		return 0, true
	}
	mark := marks[last]
	switch {
	case mark == ' ':
		f.whole = strings.Join(groups, "")
		return 0, allEqual(marks) && grouped(groups)
	case last > 0 && allEqual(marks):
		f.whole = strings.Join(groups, "")
		return other(mark), grouped(groups)
	case last > 0:
		f.whole, f.Fraction = strings.Join(groups[:last+1], ""), groups[last+1]
		return mark, allEqual(marks[:last]) && grouped(groups[:last+1])
	case len(groups[1]) == groupSize && len(groups[0]) <= groupSize && groups[0][0] != '0':
		f.whole, f.ambiguous = groups[0]+groups[1], mark
		return 0, true
	}
	f.whole, f.Fraction = groups[0], groups[1]
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

func grouped(groups []string) bool {
	for _, g := range groups[1:] {
		if len(g) != groupSize {
			return false
		}
	}
	return len(groups[0]) <= groupSize && groups[0][0] != '0'
}

func other(mark byte) byte {
	if mark == '.' {
		return ','
	}
	return '.'
}
