package trust

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Condition requires that one claim has one of several values.
type Condition struct {
	// Claim is the name of a claim, or a JSON pointer (RFC 6901) to a value inside one, such as
	// /kubernetes.io/namespace. A pointer enters objects, but not arrays.
	Claim string
	// Values are the accepted values, each exact or a pattern; see Match. A boolean is true or false, and a number is
	// written as in the token.
	Values []string
}

// Holds reports whether the claims of a token meet the condition. Objects and arrays never do.
func (c Condition) Holds(claims Claims) bool {
	value, hasValue := claims.text(c.Claim)
	return hasValue && slices.ContainsFunc(c.Values, func(pattern string) bool { return Match(pattern, value) })
}

// separators divide the subjects of GitHub, GitLab and Kubernetes into parts, such as
// repo:acme@65/app@74:ref:refs/heads/main.
const separators = ":/@"

// Match reports whether a value matches a pattern. * stands for one or more characters other than separators, so a
// pattern for one part never matches several parts. There is one exception, for the ends of paths such as refs/heads/*:
// if the * is at the start of the pattern or follows a slash or colon, and is the last character of the pattern or
// precedes a colon, it also stands for / and @.
func Match(pattern, value string) bool {
	for before := byte(0); ; {
		part, next, patterns := cut(pattern, separators)
		until := separators
		if part == "*" && before != '@' && (next == 0 || next == ':') {
			until = ":"
		}
		text, end, values := cut(value, until)
		if end != next || !matchPart(part, text) {
			return false
		}
		if next == 0 {
			return true
		}
		pattern, value, before = patterns, values, next
	}
}

// cut returns the text before the first separator, the separator, and the text after it. The separator is 0 if the text
// has none.
func cut(text, separators string) (part string, separator byte, rest string) {
	at := strings.IndexAny(text, separators)
	if at < 0 {
		return text, 0, ""
	}
	return text[:at], text[at], text[at+1:]
}

// matchPart is Match without separators: * stands for any characters. It uses the first match of each literal, because
// that leaves the longest rest. So it never backtracks.
func matchPart(pattern, value string) bool {
	texts := strings.Split(pattern, "*")
	last := len(texts) - 1
	if last == 0 {
		return pattern == value
	}
	rest, hasPrefix := strings.CutPrefix(value, texts[0])
	if !hasPrefix {
		return false
	}
	for _, text := range texts[1:last] {
		if rest == "" {
			return false
		}
		at := strings.Index(rest[1:], text)
		if at < 0 {
			return false
		}
		rest = rest[1+at+len(text):]
	}
	return len(rest) > len(texts[last]) && strings.HasSuffix(rest, texts[last])
}

// Claims are the verified claims of a token, with numbers as json.Number.
type Claims map[string]any

// Time returns the time of a claim, in seconds since 1970. It returns false without the claim. Errors: those of Refuse.
func (c Claims) Time(name string) (time.Time, bool, error) {
	value, hasValue := c[name]
	if !hasValue {
		return time.Time{}, false, nil
	}
	number, _ := value.(json.Number)
	seconds, err := number.Float64()
	const latest = 1 << 40 // far beyond any date; a larger number could wrap around
	if err != nil || seconds < 0 || seconds > latest {
		return time.Time{}, false, Refuse("has a time that is not a number of seconds (claim %s)", name)
	}
	return time.Unix(int64(seconds), 0), true, nil
}

// Subject returns the claim sub.
func (c Claims) Subject() string {
	subject, _ := c["sub"].(string)
	return subject
}

// text returns the value of a claim as a text. It returns false if the claim is missing, an object or an array.
func (c Claims) text(claim string) (string, bool) {
	var value any
	if pointer, isPointer := strings.CutPrefix(claim, "/"); isPointer {
		value = map[string]any(c)
		for name := range strings.SplitSeq(pointer, "/") {
			object, _ := value.(map[string]any)
			value = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		}
	} else {
		value = c[claim]
	}
	switch v := value.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case json.Number:
		return v.String(), true
	default:
		return "", false
	}
}
