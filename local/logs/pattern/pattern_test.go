package pattern_test

import (
	"strings"
	"testing"

	"portside/local/logs/pattern"
)

const pull = `{"msg":"pull","n":5,"a":{"b":"x","c-d":-1.5},"flag":true}`

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		pattern, line string
		want          bool
	}{
		{"", "anything", true},
		{"  ", "", true},
		{`{ $.msg = "pull" }`, pull, true},
		{`{$.msg="pull"}`, pull, true},
		{`{ $.msg = "push" }`, pull, false},
		{`{ $.msg != "push" }`, pull, true},
		{`{ $.msg != "pull" }`, pull, false},
		{`{ $.none != "pull" }`, pull, false},
		{`{ $.n != "5" }`, pull, false},
		{`{ $.a.b = "x" }`, pull, true},
		{`{ $.a = "x" }`, pull, false},
		{`{ $.msg.b = "x" }`, pull, false},
		{`{ $.a.c-d = -1.5 }`, pull, true},
		{`{ $.n = 5 }`, pull, true},
		{`{ $.n != 5 }`, pull, false},
		{`{ $.n < 5 }`, pull, false},
		{`{ $.n <= 5 }`, pull, true},
		{`{ $.n > 4.5 }`, pull, true},
		{`{ $.n >= 6 }`, pull, false},
		{`{ $.msg = 5 }`, pull, false},
		{`{ $.msg = "pull" && $.n > 5 }`, pull, false},
		{`{ $.msg = "pull" || $.n > 5 }`, pull, true},
		{`{ $.n = 5 || $.n = 6 && $.n = 7 }`, pull, true},
		{`{ ($.n = 5 || $.n = 6) && $.n = 7 }`, pull, false},
		{`{ $.msg = "pull" }`, "pull", false},
		{`{ $.msg = "pull" }`, `["pull"]`, false},
		{`{ $.msg = "pull" }`, pull + " and more", false},
		{`{ $.msg = "" }`, `{"msg":""}`, true},
		{"ERROR", "[ERROR] x", true},
		{"ERROR", "[error] x", false},
		{"ERROR disk", "disk: ERROR", true},
		{"ERROR disk", "ERROR", false},
		{`"not found" 404`, "404 not found", true},
		{`"not found"`, "found, not", false},
	} {
		t.Run(test.pattern+" with "+test.line, func(t *testing.T) {
			p, err := pattern.Parse(test.pattern)
			if err != nil {
				t.Error(err)
			} else if p.Matches(test.line) != test.want {
				t.Errorf("%s with %s: want %v", test.pattern, test.line, test.want)
			}
		})
	}
}

func TestParseRefusesUnsupportedPatterns(t *testing.T) {
	for source, want := range map[string]string{
		`{ $.a = "x*" }`:                      "where a number",
		`{ $.a = %x% }`:                       "where a number",
		`{ $.a = word }`:                      `has "word }" where a number`,
		`{ $.a = 1e5 }`:                       `has "e5 }"`,
		`{ $.a < "x" }`:                       "strings support only = and !=",
		`{ $.a NOT EXISTS }`:                  "one of = != < > <= >=",
		`{ $.a IS TRUE }`:                     "one of =",
		`{ $.a == 1 }`:                        "where a number",
		`{ $.a[0] = 1 }`:                      "one of =",
		`{ a = 1 }`:                           "a field like $.a.b",
		`{ $ = 1 }`:                           "a field like",
		`{}`:                                  "a field like",
		`{ $.a = 1`:                           "has its end where &&",
		`{ $.a = 1 } more`:                    `has "more" where`,
		`{ $.a = 1 & $.b = 2 }`:               "where &&",
		`{ ($.a = 1 }`:                        "where &&, || or )",
		`{ $.a = "x }`:                        "where a number",
		"-ERROR":                              "a word of letters",
		"?ERROR ?WARN":                        "a word of letters",
		"[a, b]":                              "a word of letters",
		`"open`:                               "a word of letters",
		`""`:                                  "a word of letters",
		"a-b":                                 "a word of letters",
		strings.Repeat("x", 1025):             "longer than 1024",
		"{" + strings.Repeat("(", 30) + "$.a": "more than 20 nested parentheses",
	} {
		if _, err := pattern.Parse(source); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", source, err, want)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, source := range []string{"", "a b", `"a b"`, `{ $.msg = "pull" && ($.n >= 5 || $.a.b != "y") }`, "{",
		`{ $.a NOT EXISTS }`} {
		f.Add(source, pull)
	}
	f.Fuzz(func(t *testing.T, source, line string) {
		p, err := pattern.Parse(source)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("not one line: %q", err)
			}
			return
		}
		if matched := p.Matches(line); matched != p.Matches(line) {
			t.Error("two calls of Matches differ")
		}
		if again, err := pattern.Parse(" " + source + "\n"); len(source) < 1000 &&
			(err != nil || again.Matches(line) != p.Matches(line)) {
			t.Errorf("surrounding white space changes %q: %v", source, err)
		}
	})
}
