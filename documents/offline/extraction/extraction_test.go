package extraction

import (
	"context"
	"errors"
	"testing"

	"portside/documents"
	"portside/documents/answers"
)

func document(t *testing.T, text string) *documents.Document {
	t.Helper()
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
		t.Fatal(err)
	}
	return into.Document()
}

func TestExtractFindsEveryType(t *testing.T) {
	d := document(t, "Invoice number: RE-17\nTotal: 1,200.50 EUR\nDue date: 5 May 2026\nShipping included: yes\nE-mail: a@b.example")
	want := map[answers.Variable]string{
		{Name: "invoice_number", Type: answers.String}:     "RE-17",
		{Name: "total", Type: answers.Number}:              "1200.5",
		{Name: "due_date", Type: answers.Date}:             "2026-05-05",
		{Name: "shipping_included", Type: answers.Boolean}: "true",
		{Name: "email", Type: answers.String}:              "a@b.example",
		{Name: "birthday", Type: answers.Date}:             "",
	}
	var settings answers.ExtractSettings
	for v := range want {
		settings.Variables = append(settings.Variables, v)
	}
	found, err := Extract(t.Context(), d, settings)
	if err != nil {
		t.Fatal(err)
	}
	for v, text := range want {
		if got := found.Values[v.Name]; got.Text != text {
			t.Errorf("%s: %q, want %q", v.Name, got.Text, text)
		}
		for _, e := range found.Evidence[v.Name] {
			if d.Text()[e.Start:e.Start+len(e.Quote)] != e.Quote {
				t.Errorf("%s: the quote %q is not at %d", v.Name, e.Quote, e.Start)
			}
		}
	}
}

func TestExtractReturnsEndsOfRanges(t *testing.T) {
	d := document(t, "Salary: from 3,850 to 4,920 EUR")
	for name, want := range map[string]string{"minimum_salary": "3850", "maximum_salary": "4920", "salary": ""} {
		v := answers.Variable{Name: name, Type: answers.Number}
		found, err := Extract(t.Context(), d, answers.ExtractSettings{Variables: []answers.Variable{v}})
		if err != nil {
			t.Fatal(err)
		}
		if got := found.Values[name].Text; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestLabelOf(t *testing.T) {
	e, err := Prepare(t.Context(), document(t, "Invoice RE-17\nTotal due: 12.50 EUR"))
	if err != nil {
		t.Fatal(err)
	}
	total, ok := e.FirstFound(answers.Number, []string{"hours", "total"})
	if !ok || total.Value.Text != "12.5" || e.LabelOf(total) != "Total due" {
		t.Errorf("found %+v, %v, label %q", total, ok, e.LabelOf(total))
	}
}

func TestPrepareReturnsTheErrorOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Prepare(ctx, document(t, "Total: 1")); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}
