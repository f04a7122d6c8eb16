package lexicon

import (
	"slices"
	"strings"
	"testing"
)

// Splitting a long word into parts would take quadratic time.
func TestLongWordsAreNotSplit(t *testing.T) {
	long := strings.Repeat("rechnung", 1+maxWordBytes/len("rechnung")) + "es"
	if terms := Business().single(long, nil, map[string][]string{}); !slices.Equal(terms, []string{long}) {
		t.Errorf("the terms of a long word are %q", terms)
	}
	if terms := Business().single("rechnungsnummer", nil, map[string][]string{}); !slices.Contains(terms, "INVOICE") {
		t.Errorf("the terms of a compound are %q", terms)
	}
}
