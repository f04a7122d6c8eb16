package mediaprompt

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"portside/shared/media"
)

// How sure a value is, by what its quote shows of it. A model's own word on that is worth little.
const (
	shown   = 0.95 // the quote has the value
	read    = 0.7  // the quote cannot show such a value literally
	partly  = 0.6  // it has a part of the value
	written = 0.5  // it may have the value in words
)

// confirmed compares a value with its quote. One that the quote contradicts is not found.
func confirmed(v media.Value, quote string) (media.Value, float64) {
	confidence := 0.0
	switch v.Type {
	case media.String:
		v.Text = copied(v.Text, quote)
		confidence = shown
		if v.Text == "" {
			confidence = 0
		}
	case media.Number:
		confidence = numberIn(quote, v.Text)
	case media.Date:
		confidence = dateIn(quote, v.Text)
	case media.Boolean:
		confidence = read
	}
	if confidence == 0 {
		return media.Value{}, 0
	}
	return v, confidence
}

// copied is the value as the quote writes it, on one line; empty if it does not.
func copied(value, quote string) string {
	at, ok := fold(quote).locate(value)
	if !ok {
		return ""
	}
	return strings.Join(strings.Fields(quote[at.from:at.to]), " ")
}

var (
	digits = regexp.MustCompile(`[0-9]+`)
	figure = regexp.MustCompile(`[0-9]+(?:[.,'’][0-9]+)*`)
	spaced = regexp.MustCompile(`[0-9]{1,3}(?:[ .,'’][0-9]{3})*(?:[.,][0-9]+)?`)
)

// numberIn compares significant digits: what separates thousands and decimals, and "million" behind, is for the model to read.
func numberIn(quote, value string) float64 {
	if !digits.MatchString(quote) {
		return written
	}
	want := significant(value)
	figures := append(figure.FindAllString(quote, -1), spaced.FindAllString(quote, -1)...)
	switch {
	case !slices.ContainsFunc(figures, func(f string) bool { return significant(f) == want }):
		return 0
	case strings.HasPrefix(value, "-") && !strings.ContainsAny(quote, "-−–("):
		return partly
	}
	return shown
}

func significant(number string) string {
	return strings.Trim(strings.Join(digits.FindAllString(number, -1), ""), "0")
}

// dateIn looks for the day and the year. The month is often a word.
func dateIn(quote, iso string) float64 {
	day, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return 0
	}
	runs := digits.FindAllString(quote, -1)
	has := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return slices.Contains(runs, text) })
	}
	whole := has(day.Format("20060102"), day.Format("060102"), day.Format("02012006"))
	switch {
	case len(runs) == 0:
		return written
	case !whole && !has(strconv.Itoa(day.Day()), day.Format("02")):
		return 0
	case whole || has(day.Format("2006"), day.Format("06")):
		return shown
	}
	return partly
}
