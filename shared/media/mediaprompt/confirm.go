package mediaprompt

import (
	"strings"

	"portside/documents/answers"
)

// How sure a value is, by what its quote shows of it. A model's own word on that is worth little.
const (
	shown   = 0.95 // the quote has the value
	read    = 0.7  // the quote cannot show such a value literally
	partly  = 0.6  // it has a part of the value, or little to do with it
	written = 0.5  // it may have the value in words
)

// confirmed compares a value of the variable with its quote. One that the quote contradicts is not found.
func confirmed(sought answers.Variable, v answers.Value, quote string) (answers.Value, float64) {
	confidence := 0.0
	switch v.Type {
	case answers.String:
		v.Text = copied(v.Text, quote)
		confidence = shown
		if v.Text == "" {
			confidence = 0
		}
	case answers.Number:
		confidence = numberIn(quote, v.Text)
	case answers.Date:
		confidence = dateIn(quote, v.Text)
	case answers.Boolean:
		confidence = booleanIn(quote, v.Text, sought)
	}
	if confidence == 0 {
		return answers.Value{}, 0
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
