package offline

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"portside/documents/answers"
)

// dated is a calendar day where a text says it. Of a day written as two small numbers and a year it is open which of them
// is the month; the whole document decides.
type dated struct {
	at                 span
	year, month, day   int
	swappable, slashed bool
	doubtful           bool // day and month may be the other way round, and nothing in the document tells
	void               bool // written as a day, but none, or left open which
	counted            counting
}

func (d dated) iso() string { return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day) }

func (d dated) hasYear() bool { return d.year >= 1800 && d.year <= 2200 }

func (d dated) exists() bool {
	if !d.hasYear() || d.month < 1 || d.month > 12 || d.day < 1 {
		return false
	}
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Day() == d.day
}

// datesOf finds the days that a text names, in order and without overlaps. Days are read before months unless the document
// shows that it writes months first. English is written both ways: where nothing tells, a swappable day is doubtful, and left out
// where the document looks American.
func datesOf(text string, lang answers.Lang) []dated { return readDays(nil, text, lang).found }

// days are those of a text, and what is written as one but is none, such as 30 February, or may be either of two: no other
// number either.
type days struct{ found, void []dated }

func readDays(w *watch, text string, lang answers.Lang) days {
	all := readDates(w, text)
	kept, open := ordered(text, all.found, lang)
	all.found, all.void = kept, voided(all.void, notSaidAgain(open, kept))
	return all
}

// ordered settles which number of a day is its month, as far as it can.
func ordered(text string, found []dated, lang answers.Lang) (kept, open []dated) {
	switch dayOrder(text, found, lang) {
	case dayFirst:
		return found, nil
	case likelyDayFirst:
		for i, d := range found {
			found[i].doubtful = d.slashed && d.swappable && d.day != d.month
		}
		return found, nil
	case monthFirst:
		for i, d := range found {
			if d.slashed && d.swappable {
				found[i].month, found[i].day = d.day, d.month
			}
		}
		return found, nil
	}
	for _, d := range found {
		if !d.slashed || !d.swappable || d.day == d.month {
			kept = append(kept, d)
		} else {
			open = append(open, d)
		}
	}
	return kept, open
}

type order int

const (
	dayFirst order = iota
	likelyDayFirst
	monthFirst
	openOrder
)

func dayOrder(text string, found []dated, lang answers.Lang) order {
	var days, months int
	for _, d := range found {
		if d.slashed && !d.swappable {
			if strings.HasPrefix(strings.TrimLeft(text[d.at.start:d.at.end], "0"), fmt.Sprint(d.day)) {
				days++
			} else {
				months++
			}
		}
	}
	switch {
	case months > 0 && days > 0:
		return openOrder
	case months > 0:
		return monthFirst
	case days > 0 || lang != "en":
		return dayFirst
	case !looksAmerican(text):
		return likelyDayFirst
	}
	return openOrder
}

// looksAmerican makes a day such as 3/4/2026 doubtful; it proves nothing.
func looksAmerican(text string) bool {
	return strings.Contains(text, "$") && !strings.ContainsAny(text, "£€") || strings.Contains(text, "USD")
}

func readDates(w *watch, text string) days {
	var all days
	for i := 0; i < len(text) && !w.ended(); {
		b := text[i]
		if !isDigit(b) && !isLetterOrDigit(b) && b < utf8.RuneSelf {
			i++
			continue
		}
		d, ok := dateAt(text, i)
		if ok {
			all.found = append(all.found, d)
			i = d.at.end
			continue
		}
		if d.at.end > i {
			all.void = append(all.void, d)
		}
		i = max(i+1, skipWord(text, i))
	}
	return all
}

func skipWord(text string, i int) int {
	if isDigit(text[i]) {
		return skipDigits(text, i)
	}
	end := wordEnd(text, i)
	if end == i {
		_, size := utf8.DecodeRuneInString(text[i:])
		return i + size
	}
	return end
}

func skipDigits(text string, i int) int {
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i
}

// dateAt reads the day that begins at an offset. One that does not exist still has its end.
func dateAt(text string, i int) (dated, bool) {
	r := dateReader{text: text, at: i}
	if !isDigit(text[i]) {
		return r.monthFirst()
	}
	if before, _ := utf8.DecodeLastRuneInString(text[:i]); isWordRune(before) && i > 0 {
		return dated{}, false
	}
	if i > 1 && strings.IndexByte("-/.,", text[i-1]) >= 0 && isLetterOrDigit(text[i-2]) && text[i-1] != ',' {
		return dated{}, false // within a longer number or name
	}
	if d, ok := r.numeric(); ok || d.at.end > i {
		return d, ok
	}
	r.at = i
	return r.dayFirst()
}

// dateReader reads one day from a place in a text.
type dateReader struct {
	text string
	at   int
}

// number reads digits; width 0 if there are none.
func (r *dateReader) number() (n, width int) {
	end := skipDigits(r.text, r.at)
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

// skip passes over any of the bytes.
func (r *dateReader) skip(set string) bool {
	from := r.at
	for r.at < len(r.text) && strings.IndexByte(set, r.text[r.at]) >= 0 {
		r.at++
	}
	return r.at > from
}

// numeric reads 2026-03-05, 5.3.2026, 05/03/26 and the like.
func (r *dateReader) numeric() (dated, bool) {
	start := r.at
	a, wa := r.number()
	mark := r.mark()
	b, wb := r.number()
	if mark == 0 || wb == 0 || wb > 2 || r.mark() != mark {
		return dated{}, false
	}
	c, wc := r.number()
	if wc == 0 || r.goesOn() {
		return dated{}, false
	}
	d := dated{at: span{start, r.at}}
	switch {
	case wa == 4 && wc <= 2:
		d.year, d.month, d.day = a, b, c
	case wa <= 2 && (wc == 4 || wc == 2 && wa+wb >= 3):
		d = d.ofParts(a, b, fullYear(c, wc), mark)
	default:
		return dated{}, false
	}
	if isYear := (wa == 4 || wc == 4) && d.hasYear(); !d.exists() && !isYear {
		return dated{}, false // nor is it meant as a day
	}
	return d, d.exists()
}

// mark reads what stands between the parts; 0 if nothing that may.
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

// goesOn reports that what was read is the beginning of something longer.
func (r *dateReader) goesOn() bool {
	rest := r.text[r.at:]
	if rest == "" || rest[0] == 'T' {
		return false
	}
	if next, _ := utf8.DecodeRuneInString(rest); isWordRune(next) {
		return true
	}
	return len(rest) > 1 && strings.IndexByte("-/.", rest[0]) >= 0 && isDigit(rest[1])
}

func (d dated) ofParts(a, b, year int, mark byte) dated {
	d.year, d.day, d.month = year, a, b
	d.slashed = mark != '.'
	d.swappable = a <= 12 && b <= 12
	if d.slashed && b > 12 {
		d.day, d.month = b, a
	}
	return d
}

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
