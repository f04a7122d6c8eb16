// Package number shows the numbers of spreadsheets as their formats mean them.
package number

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Format is an Excel number format, as far as it changes the meaning of a number.
type Format struct {
	date, clock, elapsed bool
	Percent              bool
	Decimals             int    // that are shown, when there are any
	Currency             string // that is shown
}

// Builtin returns one of the formats that workbooks identify only by number, except plain ones.
func Builtin(id int) Format {
	switch {
	case id == 2 || id == 4 || id == 7 || id == 8 || id == 39 || id == 40 || id == 43 || id == 44:
		return Format{Decimals: 2}
	case id == 9 || id == 10:
		return Format{Percent: true}
	case id >= 14 && id <= 17, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 54, id == 57, id == 58:
		return Format{date: true}
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id == 45, id == 47, id == 55, id == 56:
		return Format{clock: true}
	case id == 22:
		return Format{date: true, clock: true}
	case id == 46:
		return Format{elapsed: true}
	}
	return Format{}
}

// ParseFormat reads the first section of a format, which is for positive numbers.
func ParseFormat(code string) Format {
	letters, elapsed := formatLetters(code)
	if strings.EqualFold(code, "general") {
		return Format{}
	}
	f := Format{elapsed: elapsed, Percent: strings.Contains(letters, "%")}
	f.clock = strings.ContainsAny(letters, "hs") && !elapsed
	f.date = strings.ContainsAny(letters, "yd") || strings.Contains(letters, "m") && !strings.ContainsAny(letters, "hs") && !elapsed
	if f.date || f.clock || f.elapsed {
		f.Percent = false
		return f
	}
	if _, after, ok := strings.Cut(letters, "."); ok {
		for _, r := range after {
			if r != '0' && r != '#' && r != '?' {
				break
			}
			f.Decimals++
		}
	}
	f.Currency = currencyIn(code)
	return f
}

// formatLetters returns the first section of a format without quoted, escaped and bracketed text.
func formatLetters(code string) (letters string, elapsed bool) {
	var out strings.Builder
	for i := 0; i < len(code) && code[i] != ';'; i++ {
		switch c := code[i]; c {
		case '\\', '_', '*':
			i++
		case '"':
			i += length(code[i+1:], '"')
		case '[':
			n := length(code[i+1:], ']')
			inner := strings.ToLower(strings.TrimSuffix(code[i+1:i+1+n], "]"))
			elapsed = elapsed || inner != "" && strings.Trim(inner, "hms") == ""
			i += n
		default:
			out.WriteByte(c)
		}
	}
	return strings.ToLower(out.String()), elapsed
}

// length returns the number of bytes up to and including the mark, or to the end.
func length(text string, mark byte) int {
	if at := strings.IndexByte(text, mark); at >= 0 {
		return at + 1
	}
	return len(text)
}

// Render writes a number in its format: dates in ISO 8601, percentages with a percent sign, other numbers as plain
// decimals with the currency after them. It returns other text unchanged.
func (f Format) Render(text string, since1904 bool) string {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return text
	}
	switch {
	case f.elapsed:
		return duration(n)
	case f.date || f.clock:
		if when, ok := f.moment(n, since1904); ok {
			return when
		}
	case f.Percent:
		return decimal(n*100) + " %"
	case f.Currency != "":
		return f.amount(n)
	}
	return decimal(f.rounded(n))
}

// rounded rounds to the decimals of the format. A format without decimals is ignored, because it usually is the
// default.
func (f Format) rounded(n float64) float64 {
	scale := math.Pow10(f.Decimals)
	if f.Decimals == 0 || f.Decimals >= 12 || math.Abs(n) >= 1e15/scale {
		return n
	}
	return math.Round(n*scale) / scale
}

// amount writes 1234.50 €.
func (f Format) amount(n float64) string {
	text := decimal(f.rounded(n))
	whole, fraction, _ := strings.Cut(text, ".")
	if missing := f.Decimals - len(fraction); f.Decimals < 4 && missing > 0 {
		text = whole + "." + fraction + strings.Repeat("0", missing)
	}
	return text + " " + f.Currency
}

// decimal writes a number without an exponent, with the fifteen digits that Excel keeps. Further digits are rounding
// errors.
func decimal(n float64) string {
	const digits = 15
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(n, 'e', digits-1, 64), 64)
	if err != nil || rounded == 0 {
		return "0"
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

const (
	secondsPerDay = 24 * 60 * 60
	lastSerial    = 2_958_466 // the day after 9999-12-31
	feigned       = 60        // the 29th of February 1900, which Excel believes in
)

// moment converts days since the epoch to a date, a time, or both.
func (f Format) moment(serial float64, since1904 bool) (string, bool) {
	if serial < 0 || serial >= lastSerial {
		return "", false
	}
	epoch := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	if since1904 {
		epoch = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	} else if serial < feigned {
		epoch = epoch.AddDate(0, 0, 1)
	}
	seconds := int(math.Round(serial * secondsPerDay))
	when := epoch.AddDate(0, 0, seconds/secondsPerDay).Add(time.Duration(seconds%secondsPerDay) * time.Second)
	switch {
	case !f.clock:
		return when.Format(time.DateOnly), true
	case !f.date:
		return when.Format(time.TimeOnly), true
	}
	return when.Format("2006-01-02T15:04:05"), true
}

// duration writes days as hours, minutes and seconds. There may be more than 24 hours.
func duration(days float64) string {
	if math.Abs(days) >= lastSerial {
		return decimal(days)
	}
	seconds := int(math.Round(math.Abs(days) * secondsPerDay))
	sign := ""
	if days < 0 {
		sign = "-"
	}
	return sign + Pad(seconds/3600) + ":" + Pad(seconds/60%60) + ":" + Pad(seconds%60)
}

// Pad returns a number with at least two digits.
func Pad(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
