package trust

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Condition is a required value of one claim.
type Condition struct {
	// Claim is the name of a claim, or a JSON pointer (RFC 6901) to a value inside one, such as /kubernetes.io/namespace. A pointer enters
	// objects, but not arrays.
	Claim string
	// Value is the exact value of the claim, or a pattern: * stands for one or more characters, but not for a colon. Colons separate the
	// parts of the claim sub of GitHub, GitLab and Kubernetes, so a pattern for one part never matches several. A boolean is true or false,
	// and a number is written as in the token.
	Value string
}

// Holds reports whether the claims of a token meet the condition. Objects and arrays never do.
func (c Condition) Holds(claims Claims) bool {
	value, hasValue := claims.text(c.Claim)
	return hasValue && Match(c.Value, value)
}

// Match reports whether a value matches a pattern; see Condition.
func Match(pattern, value string) bool {
	patterns, values := strings.Split(pattern, ":"), strings.Split(value, ":")
	if len(patterns) != len(values) {
		return false
	}
	for i := range patterns {
		if !matchPart(patterns[i], values[i]) {
			return false
		}
	}
	return true
}

// matchPart is Match for texts without colons. It takes the first match of each literal. That leaves the longest rest, so it never
// backtracks.
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

// Subject returns the claim sub.
func (c Claims) Subject() string {
	subject, _ := c["sub"].(string)
	return subject
}

// text returns the value of a claim as a text. It returns false if there is none, or if it is an object or array.
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
