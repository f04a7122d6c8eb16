package main

import (
	"slices"
	"testing"
)

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		got, want  string
		recall, f1 float64
	}{
		{"a b c", "a b c", 1, 1},
		{"", "", 1, 1},
		{"a b", "a b b b", 0.5, 2.0 * 2 / 6},
		{"b b b b", "a b", 0.5, 2.0 / 6},
		{"x", "a", 0, 0},
		{"a", "", 1, 0},
	} {
		t.Run(c.got+" of "+c.want, func(t *testing.T) {
			o := overlapOf(tokens(c.got), tokens(c.want))
			if o.recall() != c.recall || o.f1() != c.f1 {
				t.Errorf("recall %v, F1 %v; want %v, %v", o.recall(), o.f1(), c.recall, c.f1)
			}
		})
	}
}

func TestTokensHaveALetterOrADigit(t *testing.T) {
	if got := tokens("• Ein\u00a0Wort, – 12,50 € ﬁn"); !slices.Equal(got, []string{"Ein", "Wort,", "12,50", "fin"}) {
		t.Errorf("tokens %q", got)
	}
	if got := words("§ 3. Der Preis: 12,50 €"); !slices.Equal(got, []string{"3", "der", "preis", "12", "50"}) {
		t.Errorf("words %q", got)
	}
}

func TestBrokenWordsAreJoined(t *testing.T) {
	for is, want := range map[string]string{
		"der Ver-\ntrag gilt":      "der Vertrag gilt\n",
		"der Ver\u2010\ntrag gilt": "der Vertrag gilt\n",
		"Vor- \nund Nachteil":      "Vor- \nund Nachteil\n",
		"Post-\nFach":              "Post-\nFach\n",
		"A4-\nblatt":               "A4-\nblatt\n",
		"end-to-\nend":             "end-to-\nend\n",
		"ends in a -":              "ends in a -\n",
	} {
		t.Run(is, func(t *testing.T) {
			if got := joinHyphens(is); got != want {
				t.Errorf("%q: got %q, want %q", is, got, want)
			}
		})
	}
}
