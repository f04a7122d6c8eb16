package checks_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"portside/shared/core/checks"
)

func TestProseAcceptsReadableText(t *testing.T) {
	for text, good := range map[string]bool{
		"a": true, "two\r\n\tlines": true, strings.Repeat("ä", 11): true, " \n" + strings.Repeat("ä", 11) + "\n": true,
		"نمی\u200cخواهم": true, "👩\u200d💻": true,
		"": false, "\n": false, strings.Repeat("ä", 12): false, "a\x00": false, "a\x1b[2J": false, "\u202egnp.exe": false,
		"\xff":   false,
		"\u3164": false, "\u2800": false, "a\u3164b": false, "Ad\u034fmin": false, "❤\ufe0f": true, "\u200d": false,
		"\ufdd0": false,
	} {
		var failures checks.Failures
		failures.Prose("/text", text, 1, 11)
		if got := len(failures.Fields()) == 0; got != good {
			t.Errorf("%q: accepted %v, want %v", text, got, good)
		}
	}
}

// FuzzObject checks that every accepted text, once compacted, is a JSON object within the limits
// and is accepted again.
func FuzzObject(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`)
	f.Add(` { } `)
	f.Add(`{"a":"\u0000"}`)
	f.Add(`{}{}`)
	f.Add(`{}x`)
	f.Add(strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9))
	f.Fuzz(func(t *testing.T, text string) {
		compact := checks.Compact(json.RawMessage(text))
		var failures checks.Failures
		if failures.Object("/o", compact); len(failures.Fields()) > 0 {
			return
		}
		var object map[string]any
		if err := json.Unmarshal(compact, &object); err != nil || object == nil {
			t.Fatalf("accepted %q: %v", text, err)
		}
		if len(compact) > checks.MaxObjectSize || depth(object) > checks.MaxObjectDepth || !utf8.Valid(compact) {
			t.Errorf("accepted %q", text)
		}
		if again := checks.Compact(compact); string(again) != string(compact) {
			t.Errorf("%q is not compact", compact)
		}
	})
}

func depth(value any) int {
	deepest := 0
	switch v := value.(type) {
	case map[string]any:
		for _, child := range v {
			deepest = max(deepest, depth(child))
		}
	case []any:
		for _, child := range v {
			deepest = max(deepest, depth(child))
		}
	default:
		return 0
	}
	return deepest + 1
}

func TestTextRefusesAddresses(t *testing.T) {
	for name, good := range map[string]bool{
		"Ada Lovelace": true, "read: all/of it": true, "https://example.com": false, "Ada javascript://x": false,
		"://": false,
	} {
		t.Run(name, func(t *testing.T) {
			var failures checks.Failures
			failures.Text("/name", name, 1, 100)
			if accepted := len(failures.Fields()) == 0; accepted != good {
				t.Errorf("%q: %v", name, failures.Fields())
			}
		})
	}
}
