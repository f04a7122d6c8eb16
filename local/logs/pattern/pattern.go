// Package pattern matches lines of a log as the filter patterns of CloudWatch Logs do.
//
// It knows a part of that language, and what must stay true is that it refuses the rest: a pattern
// that matched here what it does not match in the cloud, or the other way round, would be found
// out only by what is missing there. The part is: nothing at all, which matches every line; plain
// terms, all of which a line must contain; and `{ $.a.b = "text" }` with the comparisons of texts
// and numbers, joined by && and || and parentheses.
package pattern

import (
	"encoding/json"
	"strings"
)

// MaxBytes is the longest pattern that CloudWatch Logs takes.
const MaxBytes = 1024

// Pattern is one that was read by Parse. The zero value matches every line.
type Pattern struct {
	source    string
	terms     []string
	condition condition
}

// String is what Parse read.
func (p Pattern) String() string { return p.source }

// condition decides about a line that was read as a JSON object.
type condition func(document map[string]any) bool

// Matches reports whether a line is one that the pattern asks for. A line that is no JSON object
// matches no comparison, and a field that is not there, or has another type, is neither equal nor
// unequal to anything.
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

// lookUp follows a path of names into a document; nil is also what stands where nothing is.
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
