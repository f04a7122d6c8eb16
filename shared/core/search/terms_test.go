package search_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"portside/shared/core/search"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct {
		address, name string
		want          []string
	}{
		{"Ada@Example.com", "Ada  Byron\tLovelace", []string{"ada byron lovelace", "byron lovelace", "lovelace", "ada@example.com"}},
		{"", "Jean-Luc d'Été", []string{"jean-luc d'ete", "luc d'ete", "d'ete"}},
		{"", "one two three four", []string{"one two three four", "two three four", "three four"}},
		{"", "(beta) ＡＢＣ ⅷ", []string{"beta) abc viii", "abc viii", "viii"}},
		{"", "日本 株式会社", []string{"日本 株式会社", "株式会社"}},
		{"", "a a", []string{"a a", "a"}},
		{"", "***", []string{"***"}},
		{"_bob@x.y", "«Bob» -- 🚀", []string{"bob» -- 🚀", "bob@x.y"}},
		{"", "a a a", []string{"a a a", "a a", "a"}},
		{"a@b.c", "A@b.c", []string{"a@b.c", "b.c", "c"}},
		{"", "billing_api v2.x", []string{"billing_api v2.x", "api v2.x", "v2.x"}},
		{"", "Łukasz Strauß–ØRSTED", []string{"lukasz strauss-orsted", "strauss-orsted", "orsted"}},
		{"", "ΟΔΥΣΣΕΎΣ Işık", []string{"οδυσσευσ isik", "isik"}},
		{"", "O’Ne\u00adil\u200b", []string{"o'neil"}},
		{"", "\u0301", nil},
		{"", "", nil},
		{"", strings.Repeat("é", 150) + " x", []string{strings.Repeat("e", 100), "x"}},
		{"", strings.Repeat("日", 150), []string{strings.Repeat("日", 33)}},
	} {
		t.Run(c.address+" "+c.name, func(t *testing.T) {
			if got := search.Terms(c.address, c.name); !slices.Equal(got, c.want) {
				t.Errorf("Terms(%q, %q) is %q, want %q", c.address, c.name, got, c.want)
			}
		})
	}
}

func TestTermsOfIdentifiers(t *testing.T) {
	t.Parallel()
	got := search.TermsOf("Acme Shipping", "acme-shipping", " C-1815/É ", "acme-shipping", "")
	if want := []string{"acme shipping", "shipping", "acme-shipping", "c-1815/e"}; !slices.Equal(got, want) {
		t.Errorf("the terms are %q, want %q", got, want)
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	terms := search.TermsOf("Acme Shipping", "acme-shipping")
	for text, want := range map[string]bool{"ACME-s": true, " ship": true, "acme": true, "pping": false,
		"acme shipping gmbh": false} {
		if got, err := search.Matches(terms, text); got != want || err != nil {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	if _, err := search.Matches(terms, "  "); !errors.Is(err, search.ErrText) {
		t.Errorf("an empty text: %v, want ErrText", err)
	}
}

func FuzzNormal(f *testing.F) {
	for _, text := range []string{"Ada Byron", "ÉTÉ\u0301", "İ", "ﬃ ẞ", "\xff", "日本\u3000株", strings.Repeat("\u0301", 500),
		"가각"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		normal := search.Normal(text)
		if again := search.Normal(normal); again != normal || len(normal) > 100 || strings.ContainsAny(normal, "\t\n") {
			t.Errorf("Normal(%q) is %q, and of that %q", text, normal, again)
		}
		for _, term := range search.Terms("", text) {
			if search.Normal(term) != term {
				t.Errorf("%q has the term %q, which no query can find", text, term)
			}
		}
	})
}
