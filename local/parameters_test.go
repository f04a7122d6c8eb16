package main

import (
	"maps"
	"strings"
	"testing"
)

func TestParseParameters(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"":                           {},
		"  A=1\n\tB2=x=y&z ":         {"A": "1", "B2": "x=y&z"},
		"A= B=''":                    {"A": "", "B": ""},
		`A='sh -c' B="it's" C=a"b"c`: {"A": "sh -c", "B": "it's", "C": "abc"},
	} {
		if got, err := parseParameters(text); err != nil || !maps.Equal(got, want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestParseParametersRejectsInvalidText(t *testing.T) {
	for text, want := range map[string]string{
		"hush":              "from the beginning",
		"A=1 hush B=2":      "after A",
		"A=1 B='hush":       "after A",
		"=hush":             "from the beginning",
		"A=hush B=1 A=hush": "set A twice",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := parseParameters(text)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v", text, err)
			}
		})
	}
}
