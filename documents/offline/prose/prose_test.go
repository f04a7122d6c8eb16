package prose

import (
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/values"
)

// best returns the best answer of a text of one paragraph.
func best(t *testing.T, text string, v answers.Variable) string {
	t.Helper()
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
		t.Fatal(err)
	}
	doc, err := index.New(t.Context(), into.Document())
	if err != nil {
		t.Fatal(err)
	}
	set := candidates.Collect(doc)
	r := NewReader(doc, set, values.NewReader(doc, set))
	q := ranking.Fit(doc, questions.New(v))
	found, ok := ranking.Best(ranking.Ranked(nil, append(r.FromSentences(q), r.FromGreeting(q)...)))
	if !ok {
		return ""
	}
	return found.Value.Text
}

func TestAnswersFromSentences(t *testing.T) {
	for _, c := range []struct {
		text, name string
		kind       answers.Type
		want       string
	}{
		{"The monthly rent is 900 EUR and the deposit is 1,800 EUR.", "monthly_rent", answers.Number, "900"},
		{"The monthly rent is 900 EUR and the deposit is 1,800 EUR.", "deposit", answers.Number, "1800"},
		{"The contract ends on 31 July 2026, and the meeting is on 5 May 2026.", "contract_end", answers.Date, "2026-07-31"},
		{"Either party may give notice of 30 days.", "notice_period", answers.String, "30 days"},
		{"The employee works 36 hours per week.", "hours_per_week", answers.Number, "36"},
		{"We refer to your order PO-7781 of last week.", "order_number", answers.String, "PO-7781"},
		{`This agreement is made by Brightwater Ltd (the "Supplier") and Oak Ltd (the "Customer").`, "supplier", answers.String, "Brightwater Ltd"},
		{"Dear Mr. Paul Jensen,\nyour flight is confirmed for tomorrow.", "passenger", answers.String, "Paul Jensen"},
		{"The rent is due monthly.", "deposit", answers.Number, ""},
	} {
		if got := best(t, c.text, answers.Variable{Name: c.name, Type: c.kind}); got != c.want {
			t.Errorf("%s in %q: %q, want %q", c.name, c.text, got, c.want)
		}
	}
}
