package lexicon

import (
	"slices"
	"testing"

	"portside/documents/offline/scan"
)

func TestMentionsAreTheSameInAllLanguages(t *testing.T) {
	for text, want := range map[string][]string{
		"Invoice number": {"INVOICE", "NUMBER"}, "Rechnungsnummer": {"INVOICE", "NUMBER"}, "factuurnr": {"INVOICE", "NUMBER"},
		"numéro de facture": {"NUMBER", "INVOICE"}, "Faelligkeit": {"DUE"}, "förfallodatum": {"DUE", "DATE"},
		"warehouses": {"warehou"},
	} {
		t.Run(text, func(t *testing.T) {
			got := LabelTerms(Business().Mentions(scan.Words(text)))
			if !slices.Equal(got, want) {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		})
	}
}

func TestContains(t *testing.T) {
	for _, c := range []struct {
		terms []string
		term  string
		want  bool
	}{
		{[]string{"RENT", "MONTHLY"}, "MONTHS", true},
		{[]string{"warehouses"}, "warehouse", true},
		{[]string{"lagerhaus"}, "lager", true},
		{[]string{"rent"}, "RENT", false},
		{[]string{"DATE"}, "DUE", false},
	} {
		t.Run(c.term, func(t *testing.T) {
			if got := Contains(c.terms, c.term); got != c.want {
				t.Errorf("%v contains %s: %v, want %v", c.terms, c.term, got, c.want)
			}
		})
	}
}

func TestSkipVerb(t *testing.T) {
	if got := SkipVerb("is 30 days"); got != "30 days" {
		t.Errorf("after the verb: %q", got)
	}
}
