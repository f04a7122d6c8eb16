// Package pattern implements the filter patterns of CloudWatch Logs.
//
// It supports a part of the language and refuses the rest, because a pattern that matches different
// lines here and in the cloud would lose log lines unnoticed. It supports the empty pattern, which
// matches every line; terms, all of which a line must contain; and `{ $.a.b = "text" }` with
// comparisons of strings and numbers, joined by &&, || and parentheses.
package pattern

import (
	"encoding/json"
	"strings"
)

// MaxBytes is CloudWatch Logs' limit on the length of a pattern.
const MaxBytes = 1024

// Pattern is a parsed pattern. The zero value matches every line.
type Pattern struct {
	source    string
	terms     []string
	condition condition
}

// String returns the source of the pattern.
func (p Pattern) String() string { return p.source }

// condition matches a line that is a JSON object.
type condition func(document map[string]any) bool

// Matches reports whether a line matches the pattern. A comparison never matches a line that is not
// a JSON object, a missing field, or a field of another type, not even with !=.
func (p Pattern) Matches(line string) bool {
	for _, term := range p.terms {
		if !strings.Contains(line, term) {
			return false
		}
	}
	if p.condition == nil {
		return true
	}
	var document map[string]any
	return json.Unmarshal([]byte(line), &document) == nil && p.condition(document)
}

// lookUp returns the value at a path of names in a document, or nil.
func lookUp(document map[string]any, path []string) any {
	var value any = document
	for _, name := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[name]
	}
	return value
}

func and(a, b condition) condition {
	return func(document map[string]any) bool { return a(document) && b(document) }
}

func or(a, b condition) condition {
	return func(document map[string]any) bool { return a(document) || b(document) }
}

func compareText(path []string, operator, want string) condition {
	return func(document map[string]any) bool {
		got, ok := lookUp(document, path).(string)
		return ok && (got == want) == (operator == "=")
	}
}

func compareNumber(path []string, operator string, want float64) condition {
	holds := map[string]func(got float64) bool{
		"=":  func(got float64) bool { return got == want },
		"!=": func(got float64) bool { return got != want },
		"<":  func(got float64) bool { return got < want },
		">":  func(got float64) bool { return got > want },
		"<=": func(got float64) bool { return got <= want },
		">=": func(got float64) bool { return got >= want },
	}[operator]
	return func(document map[string]any) bool {
		got, ok := lookUp(document, path).(float64)
		return ok && holds(got)
	}
}
