package mediaprompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"portside/documents"
	"portside/documents/answers"
)

const longestNumber = 40 // bytes

// valueOf reads a value of the type as a model writes it; not found if it is another.
func valueOf(t answers.Type, raw json.RawMessage) answers.Value {
	raw = bytes.TrimSpace(raw)
	switch t {
	case answers.Number:
		return typed(t, plainNumber(string(raw)))
	case answers.Boolean:
		if text := string(raw); text == "true" || text == "false" {
			return typed(t, text)
		}
		return answers.Value{}
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return answers.Value{}
	}
	if t == answers.Date {
		return typed(t, isoDate(strings.TrimSpace(text)))
	}
	return typed(t, strings.Join(strings.Fields(documents.Clean(text)), " "))
}

// typed is a value, or not found where there is no text.
func typed(t answers.Type, text string) answers.Value {
	if text == "" {
		return answers.Value{}
	}
	return answers.Value{Type: t, Text: text}
}

// plainNumber writes a JSON number without an exponent; empty if it is none, or beyond all that a document would say.
func plainNumber(text string) string {
	if text == "" || len(text) > longestNumber || !strings.ContainsAny(text[:1], "-0123456789") || !json.Valid([]byte(text)) {
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

// isoDate writes a day as ISO 8601; empty if it is none, or if it is open which number is the month.
func isoDate(text string) string {
	for _, layout := range []string{time.DateOnly, "2006-1-2", "2006/1/2", "2006.1.2", time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if day, err := time.Parse(layout, text); err == nil && day.Year() > 0 {
			return day.Format(time.DateOnly)
		}
	}
	return ""
}

// object reads the JSON object in an answer. Models without schemas wrap it in words and code fences.
func object(text string) (map[string]json.RawMessage, error) {
	if _, behind, thought := strings.Cut(text, "</think>"); thought {
		text = behind
	}
	for from := range len(text) {
		if text[from] != '{' {
			continue
		}
		var members map[string]json.RawMessage
		if err := json.NewDecoder(strings.NewReader(text[from:])).Decode(&members); err != nil {
			return nil, fmt.Errorf("%w: no JSON", ErrJunk)
		}
		return members, nil
	}
	return nil, fmt.Errorf("%w: no object", ErrJunk)
}
