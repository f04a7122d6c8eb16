package lexicon

import (
	"slices"
	"strings"
	"testing"
)

// A word is looked up by its parts only up to a length: twice as long a word must not take four times as many steps.
func TestLongWordsAreNotTakenApart(t *testing.T) {
	long := strings.Repeat("rechnung", 1+maxWordBytes/len("rechnung")) + "es"
	if terms := Business().single(long, nil, map[string][]string{}); !slices.Equal(terms, []string{long}) {
		t.Errorf("the terms of a long word are %q", terms)
	}
	if terms := Business().single("rechnungsnummer", nil, map[string][]string{}); !slices.Contains(terms, "INVOICE") {
		t.Errorf("the terms of a compound are %q", terms)
	}
}
