package dates

import (
	"strings"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// scanDates reads all dates of a text, before the order of their parts is decided.
func scanDates(w *scan.Watch, text string) Found {
	var all Found
	for i := 0; i < len(text) && !w.Stopped(); {
		b := text[i]
		if !scan.IsDigit(b) && !scan.IsLetterOrDigit(b) && b < utf8.RuneSelf {
			i++
			continue
		}
		d, ok := dateAt(text, i)
		if ok {
			all.Dates = append(all.Dates, d)
			i = d.At.End
			continue
		}
		if d.At.End > i {
			all.Invalid = append(all.Invalid, d)
		}
		i = max(i+1, skipWord(text, i))
	}
	return all
}

// skipWord returns the end of the word or number at offset i.
func skipWord(text string, i int) int {
	if scan.IsDigit(text[i]) {
		return scan.SkipDigits(text, i)
	}
	end := scan.WordEnd(text, i)
	if end == i {
		_, size := utf8.DecodeRuneInString(text[i:])
		return i + size
	}
	return end
}

// dateAt reads the date that begins at offset i. If the date does not exist, its end is still set.
func dateAt(text string, i int) (Date, bool) {
	r := dateReader{text: text, at: i}
	if !scan.IsDigit(text[i]) {
		return r.monthFirst()
	}
	if before, _ := utf8.DecodeLastRuneInString(text[:i]); scan.IsWordRune(before) && i > 0 {
		return Date{}, false
	}
	if i > 1 && strings.IndexByte("-/.,", text[i-1]) >= 0 && scan.IsLetterOrDigit(text[i-2]) && text[i-1] != ',' {
		return Date{}, false // part of a longer number or name
	}
	if d, ok := r.numeric(); ok || d.At.End > i {
		return d, ok
	}
	r.at = i
	return r.dayFirst()
}

// dateReader reads one date from an offset of a text.
type dateReader struct {
	text string
	at   int
}

// number reads digits. width is 0 without digits.
func (r *dateReader) number() (n, width int) {
	end := scan.SkipDigits(r.text, r.at)
	width = end - r.at
	if width == 0 || width > 8 {
		return 0, 0
	}
	for _, b := range []byte(r.text[r.at:end]) {
		n = n*10 + int(b-'0')
	}
	r.at = end
	return n, width
}

// skip skips any of the bytes in set.
func (r *dateReader) skip(set string) bool {
	from := r.at
	for r.at < len(r.text) && strings.IndexByte(set, r.text[r.at]) >= 0 {
		r.at++
	}
	return r.at > from
}

// numeric reads 2026-03-05, 5.3.2026, 05/03/26 and similar forms.
func (r *dateReader) numeric() (Date, bool) {
	start := r.at
	a, wa := r.number()
	mark := r.mark()
	b, wb := r.number()
	if mark == 0 || wb == 0 || wb > 2 || r.mark() != mark {
		return Date{}, false
	}
	c, wc := r.number()
	if wc == 0 || r.continues() {
		return Date{}, false
	}
	d := Date{At: scan.Between(start, r.at)}
	switch {
	case wa == 4 && wc <= 2:
		d.Year, d.Month, d.Day = a, b, c
	case wa <= 2 && (wc == 4 || wc == 2 && wa+wb >= 3):
		d = d.withParts(a, b, fullYear(c, wc), mark)
	default:
		return Date{}, false
	}
	if isYear := (wa == 4 || wc == 4) && d.hasYear(); !d.Exists() && !isYear {
		return Date{}, false // a version or a number, not a date
	}
	return d, d.Exists()
}

// mark reads the separator between two parts of a date. It returns 0 without a separator.
func (r *dateReader) mark() byte {
	if r.at >= len(r.text) || strings.IndexByte("-/.", r.text[r.at]) < 0 {
		return 0
	}
	m := r.text[r.at]
	r.at++
	if m == '.' && r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
	return m
}

// continues reports whether the text that was read is only the beginning of something longer.
func (r *dateReader) continues() bool {
	rest := r.text[r.at:]
	if rest == "" || rest[0] == 'T' {
		return false
	}
	if next, _ := utf8.DecodeRuneInString(rest); scan.IsWordRune(next) {
		return true
	}
	return len(rest) > 1 && strings.IndexByte("-/.", rest[0]) >= 0 && scan.IsDigit(rest[1])
}

// withParts sets the day and month from the first two parts.
func (d Date) withParts(a, b, year int, mark byte) Date {
	d.Year, d.Day, d.Month = year, a, b
	d.slashed = mark != '.'
	d.swappable = a <= 12 && b <= 12
	if d.slashed && b > 12 {
		d.Day, d.Month = b, a
	}
	return d
}

// fullYear adds the century to a year of two digits.
func fullYear(year, width int) int {
	const lastOfThisCentury = 69
	switch {
	case width != 2:
		return year
	case year <= lastOfThisCentury:
		return 2000 + year
	default:
		return 1900 + year
	}
}

// monthFirst reads March 5, 2026 and Mar 5th 2026.
func (r *dateReader) monthFirst() (Date, bool) {
	start := r.at
	month := r.month()
	if month == 0 || !r.skip(" \n") {
		return Date{}, false
	}
	day, width := r.number()
	if width == 0 || width > 2 {
		return Date{}, false
	}
	r.ordinal()
	if !r.skip(", \n") {
		return Date{}, false
	}
	return r.withYear(Date{At: scan.Between(start, 0), Month: month, Day: day})
}

// dayFirst reads 5 March 2026, 5. März 2026, 1er mars 2026, 3 de marzo de 2026, 3rd day of March,
// 2026, 03-Mar-26. A line may end after a word that belongs to the date, as in "day of", but not after the first
// number, which may be a page number.
func (r *dateReader) dayFirst() (Date, bool) {
	start := r.at
	day, width := r.number()
	if width == 0 || width > 2 {
		return Date{}, false
	}
	r.ordinal()
	if !r.skip(" -./") {
		return Date{}, false
	}
	if r.skipWords("day", "of", "de", "del", "di", "d", "the", "månaden") {
		r.skip("\n")
	}
	month := r.month()
	if month == 0 {
		return Date{}, false
	}
	r.skip(" -,/.\n")
	r.skipWords("of", "de", "del", "do", "di", "al", "anului")
	return r.withYear(Date{At: scan.Between(start, 0), Month: month, Day: day})
}

// withYear reads the year after a day and a month.
func (r *dateReader) withYear(d Date) (Date, bool) {
	r.skip("'")
	year, width := r.number()
	if (width != 4 && width != 2) || r.continues() {
		return Date{}, false
	}
	if width == 2 && r.at < len(r.text) && r.text[r.at] == ':' {
		return Date{}, false // a time of day
	}
	d.Year, d.At.End = fullYear(year, width), r.at
	return d, d.Exists()
}

// ordinal skips the ending of an ordinal: 1st, 3.º, 1er, 3:e.
func (r *dateReader) ordinal() {
	for _, mark := range []string{".º", ".°", "º", "°", "st", "nd", "rd", "th", "er", ":e", "-go"} {
		if rest, ok := strings.CutPrefix(r.text[r.at:], mark); ok {
			next, _ := utf8.DecodeRuneInString(rest)
			if !scan.IsWordRune(next) || rest == "" {
				r.at += len(mark)
				return
			}
		}
	}
}

// skipWords skips any of the words and the spaces after each. It reports whether there was one.
func (r *dateReader) skipWords(words ...string) (skipped bool) {
	for _, w := range words {
		if rest, ok := scan.CutWord(r.text[r.at:], w); ok {
			r.at = len(r.text) - len(rest)
			r.skip(" '")
			skipped = true
		}
	}
	return skipped
}
