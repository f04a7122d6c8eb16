package mediaprompt

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"portside/documents"
	"portside/documents/answers"
)

const maxNumberBytes = 40 // bytes

// parseValue parses a value as a model writes it. A value of another type counts as not found.
func parseValue(t answers.Type, raw json.RawMessage) answers.Value {
	raw = bytes.TrimSpace(raw)
	switch t {
	case answers.Number:
		return newValue(t, plainNumber(string(raw)))
	case answers.Boolean:
		if text := string(raw); text == "true" || text == "false" {
			return newValue(t, text)
		}
		return answers.Value{}
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return answers.Value{}
	}
	if t == answers.Date {
		return newValue(t, isoDate(strings.TrimSpace(text)))
	}
	return newValue(t, strings.Join(strings.Fields(documents.Clean(text)), " "))
}

// newValue returns a value. If the text is empty, the value is not found.
func newValue(t answers.Type, text string) answers.Value {
	if text == "" {
		return answers.Value{}
	}
	return answers.Value{Type: t, Text: text}
}

// plainNumber returns a JSON number without an exponent. It returns an empty text if the text is not
// a number, or if the number is larger or smaller than any that a document would contain.
func plainNumber(text string) string {
	if text == "" || len(text) > maxNumberBytes || !strings.ContainsAny(text[:1], "-0123456789") || !json.Valid([]byte(text)) {
		return ""
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(n) >= 1e18 || n != 0 && math.Abs(n) < 1e-12 {
		return ""
	}
	if n == 0 {
		return "0"
	}
	if strings.ContainsAny(text, "eE") {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return text
}

// isoDate returns a date in ISO 8601. It returns an empty text if the text is not a date, or if it is
// ambiguous which number is the month.
func isoDate(text string) string {
	for _, layout := range []string{time.DateOnly, "2006-1-2", "2006/1/2", "2006.1.2", time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if day, err := time.Parse(layout, text); err == nil && day.Year() > 0 {
			return day.Format(time.DateOnly)
		}
	}
	return ""
}

// Confidence in a value, by how well its quote supports it. The confidence that a model states itself
// means little.
const (
	verified   = 0.95 // the quote contains the value
	plausible  = 0.7  // the quote cannot contain such a value literally
	partial    = 0.6  // the quote contains a part of the value, or has little to do with it
	unverified = 0.5  // the quote may give the value in words
)

// checkValue compares a value with its quote and returns it with the confidence. A value that the
// quote contradicts is not found.
func checkValue(variable answers.Variable, v answers.Value, quote string) (answers.Value, float64) {
	confidence := 0.0
	switch v.Type {
	case answers.String:
		v.Text = copyFromQuote(v.Text, quote)
		confidence = verified
		if v.Text == "" {
			confidence = 0
		}
	case answers.Number:
		confidence = checkNumber(quote, v.Text)
	case answers.Date:
		confidence = checkDate(quote, v.Text)
	case answers.Boolean:
		confidence = checkBoolean(quote, v.Text, variable)
	}
	if confidence == 0 {
		return answers.Value{}, 0
	}
	return v, confidence
}

// copyFromQuote returns the value as the quote writes it, on one line. It returns an empty text if the
// quote does not contain it.
func copyFromQuote(value, quote string) string {
	at, ok := fold(quote).locate(value)
	if !ok {
		return ""
	}
	return strings.Join(strings.Fields(quote[at.from:at.to]), " ")
}
