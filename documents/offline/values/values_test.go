package values

import (
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/questions"
	"portside/documents/offline/scan"
)

func reader(t *testing.T, text string) *Reader {
	t.Helper()
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
		t.Fatal(err)
	}
	doc, err := index.New(t.Context(), into.Document())
	if err != nil {
		t.Fatal(err)
	}
	return NewReader(doc, candidates.Collect(doc))
}

func TestReadValuesBesideLabels(t *testing.T) {
	for _, c := range []struct {
		text, name string
		kind       answers.Type
		want       string // empty: no value
	}{
		{"Total: 1,200.50 EUR", "total", answers.Number, "1200.5"},
		{"Total: 1,200.50 EUR", "total", answers.String, "1,200.50 EUR"},
		{"Discount rate: 5 % of 200 EUR", "discount_rate", answers.Number, "5"},
		{"Due date: 5 May 2026", "due_date", answers.Date, "2026-05-05"},
		{"Due date: 5 May 2026", "due_date", answers.String, "5 May 2026"},
		{"Due date: 30 days after 5 May 2026", "due_date", answers.Date, ""},
		{"Due date: 30 February 2026", "due_date", answers.Date, ""},
		{"Invoice number: RE-2026-17 of 5 May 2026", "invoice_number", answers.String, "RE-2026-17"},
		{"Supplier: Oak Ltd, 5 High Street", "supplier", answers.String, "Oak Ltd"},
		{"Meeting time: at 9.15 in room 4", "meeting_time", answers.String, "9.15"},
		{"Notice period: three (3) months", "notice_period_months", answers.Number, "3"},
		{"Notice period: three (3) months", "notice_period_days", answers.Number, ""},
		{"Notice period: three (3) months", "notice_period", answers.String, "three (3) months"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reader(t, c.text)
			q := questions.New(answers.Variable{Name: c.name, Type: c.kind})
			found := r.Read(q, &r.set.Pairs[0], 1)
			got := ""
			if len(found) > 0 && !found[0].NoValue {
				got = found[0].Value.Text
			}
			if got != c.want {
				t.Errorf("%s (%s) in %q: %q, want %q", c.name, c.kind, c.text, got, c.want)
			}
		})
	}
}

func TestCurrenciesBeginAtAWord(t *testing.T) {
	const text = "Buckr: 12 kr, EUR 5 and US$ 3"
	var got []string
	for _, a := range reader(t, text).WithShape(questions.CurrencyShape, scan.Between(0, len(text)), 1) {
		got = append(got, a.Value.Text)
	}
	if want := []string{"kr", "EUR", "US$"}; !slices.Equal(got, want) {
		t.Errorf("currencies %q, want %q", got, want)
	}
}

func TestTheOtherEndOfARangeIsNoAnswer(t *testing.T) {
	const text = "Salary: from 3,850 to 4,920 EUR"
	r := reader(t, text)
	for name, want := range map[string][2]bool{"minimum_salary": {false, true}, "maximum_salary": {true, false},
		"salary": {true, true}} {
		q := questions.New(answers.Variable{Name: name, Type: answers.Number})
		for i, end := range []string{"3,850", "4,920"} {
			at := strings.Index(text, end)
			if got := r.IsOtherEnd(q, scan.Between(at, at+len(end))); got != want[i] {
				t.Errorf("%s, %s: other end: %v, want %v", name, end, got, want[i])
			}
		}
	}
}
