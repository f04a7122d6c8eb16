package differences_test

import (
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/documents/answers"
	"portside/documents/differences"
	"portside/documents/internal/scale"
)

func side(t answers.Type, text string) differences.Side {
	return differences.Side{Value: answers.Value{Type: t, Text: text}, Quote: text}
}

func number(text, quote string) differences.Side {
	return differences.Side{Value: answers.Value{Type: answers.Number, Text: text}, Quote: quote}
}

func change(amount, percent string) differences.Difference {
	return differences.Difference{Amount: amount, Percent: percent}
}

func TestBetweenSaysWhichDocumentsHaveTheValue(t *testing.T) {
	found, missing, uncertain := side(answers.String, "INV-7"), differences.Side{}, differences.Side{IsUncertain: true}
	for name, step := range map[string]struct {
		a, b differences.Side
		want differences.Relation
	}{
		"both": {found, found, differences.Equal}, "first": {found, missing, differences.OnlyFirst},
		"second": {missing, found, differences.OnlySecond}, "none": {missing, missing, differences.Neither},
		"second in doubt": {found, uncertain, differences.InDoubt}, "first in doubt": {uncertain, found, differences.InDoubt},
		"both uncertain": {uncertain, uncertain, differences.Neither},
		"one uncertain":  {missing, uncertain, differences.Neither},
	} {
		t.Run(name, func(t *testing.T) {
			if got := differences.Between(step.a, step.b); !cmp.Equal(got, differences.Difference{Relation: step.want}) {
				t.Errorf("%s: %+v, want %s", name, got, step.want)
			}
		})
	}
}

func TestBetweenNumbers(t *testing.T) {
	for name, step := range map[string]struct {
		a, b differences.Side
		want differences.Difference
	}{
		"higher":      {number("1306.8", "1,306.80 EUR"), number("1512.5", "1.512,50 €"), change("205.7", "15.74")},
		"lower":       {number("200", ""), number("150.5", ""), change("-49.5", "-24.75")},
		"from a debt": {number("-4", ""), number("-2", ""), change("2", "50")},
		"from zero":   {number("0", ""), number("3", ""), change("3", "")},
		"to zero":     {number("3", ""), number("0.00", ""), change("-3", "-100")},
		"no float":    {number("0.1", ""), number("0.3", ""), change("0.2", "200")},
		"many digits": {number("9007199254740993.01", ""), number("9007199254740993.02", ""), change("0.01", "0")},
		"hardly less": {number("9007199254740993", ""), number("9007199254740992", ""), change("-1", "0")},
		"two currencies": {number("300", "$300.00"), number("300", "€300.00"),
			differences.Difference{Currencies: []string{"USD", "EUR"}}},
		"one currency": {number("200", "200.00"), number("300", "€300.00"), change("100", "50")},
		"no number":    {number("soon", ""), number("later", ""), differences.Difference{}},
	} {
		t.Run(name, func(t *testing.T) {
			step.want.Relation = differences.Different
			if diff := cmp.Diff(step.want, differences.Between(step.a, step.b)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
	if got := differences.Between(number("7", "7"), number("7.00", "7,00")); got.Relation != differences.Equal ||
		got.Amount != "" {
		t.Errorf("7 and 7.00: %+v", got)
	}
}

// The amount is exact, so it leads from the first number to the second.
func TestAmountIsExact(t *testing.T) {
	decimal := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?`)
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		a, b := decimal.Draw(t, "first"), decimal.Draw(t, "second")
		d := differences.Between(number(a, ""), number(b, ""))
		x, y, gap := rational(t, a), rational(t, b), new(big.Rat)
		if d.Relation == differences.Different {
			gap = rational(t, d.Amount)
		}
		if gap.Add(gap, x).Cmp(y) != 0 {
			t.Fatalf("%s and %s: %+v", a, b, d)
		}
		if (d.Percent == "") != (d.Relation == differences.Equal || x.Sign() == 0) {
			t.Fatalf("%s and %s: %+v", a, b, d)
		}
	})
}

func rational(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

func TestBetweenDates(t *testing.T) {
	for _, step := range []struct {
		a, b string
		want differences.Difference
	}{
		{"2026-04-02", "2026-05-02", differences.Difference{Relation: differences.Different, Days: 30}},
		{"2028-03-01", "2028-02-28", differences.Difference{Relation: differences.Different, Days: -2}},
		{"1600-01-01", "2026-01-01", differences.Difference{Relation: differences.Different, Days: 155_594}},
		{"2026-04-02", "2026-04-02", differences.Difference{Relation: differences.Equal}},
		{"soon", "2026-04-02", differences.Difference{Relation: differences.Different}},
	} {
		t.Run(step.a+" and "+step.b, func(t *testing.T) {
			if diff := cmp.Diff(step.want,
				differences.Between(side(answers.Date, step.a), side(answers.Date, step.b))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBetweenTexts(t *testing.T) {
	for _, step := range []struct {
		a, b       string
		isFormOnly bool
	}{
		{"INV-7", "inv 7", true}, {"INV-2026-17", "INV 2026 17", true}, {"Straße", "STRASSE", true}, {"DE89 3704 0044", "DE8937040044", true},
		{"Oak & Sons, Ltd.", "Oak & Sons Ltd", true}, {"Oak &  Sons", "Oak &\u00a0Sons", true},
		{"Müller", "Muller", false}, {"1.5", "15", false}, {"C++", "C", false}, {"Acme", "Acme GmbH", false}, {"-", "–", false},
	} {
		t.Run(step.a+" and "+step.b, func(t *testing.T) {
			want := differences.Difference{Relation: differences.Different, IsFormOnly: step.isFormOnly}
			if diff := cmp.Diff(want, differences.Between(side(answers.String, step.a),
				side(answers.String, step.b))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBetweenBooleans(t *testing.T) {
	got := differences.Between(side(answers.Boolean, "true"), side(answers.Boolean, "false"))
	if !cmp.Equal(got, differences.Difference{Relation: differences.Different}) {
		t.Errorf("%+v", got)
	}
}
