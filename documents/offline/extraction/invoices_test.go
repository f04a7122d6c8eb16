package extraction

import (
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/en16931"
)

// withInvoice returns a PDF whose XML has some terms, and whose page shows a text.
func withInvoice(t *testing.T, format documents.Format, page string, terms map[en16931.Code]string) *documents.Document {
	t.Helper()
	into := documents.NewBuilder(format, documents.DefaultLimits())
	for _, code := range []en16931.Code{1, 2, 13, 27, 84, 112, 115, -5} {
		name := documents.Cell{Text: en16931.TermOf(code).Name, Header: true}
		value := documents.Cell{Text: terms[code], Column: 1, Term: code}
		if err := into.Add(documents.Block{Kind: documents.Field, Cells: []documents.Cell{name, value}}); err != nil {
			t.Fatal(err)
		}
	}
	if page != "" {
		into.Page()
	}
	for line := range strings.Lines(page) {
		if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: line}); err != nil {
			t.Fatal(err)
		}
	}
	return into.Document()
}

var someTerms = map[en16931.Code]string{
	1: "RE-17", 2: "2026-05-05", 27: "Oak Ltd", 84: "GB33BUKB20201555555555", 112: "1200.50 EUR", 115: "1200.50 EUR", -5: "Elm St 5, Leeds",
}

var someVariables = []answers.Variable{
	{Name: "invoice_number", Type: answers.String}, {Name: "invoice_date", Type: answers.Date},
	{Name: "total", Type: answers.Number}, {Name: "amount_due", Type: answers.Number},
	{Name: "purchase_order", Type: answers.String}, {Name: "iban", Type: answers.String},
	{Name: "seller_address", Type: answers.String}, {Name: "pallets", Type: answers.Number},
}

func TestPagesThatContradictTheXMLCauseWarnings(t *testing.T) {
	const same = "Invoice number: RE-17\nInvoice date: 5 May 2026\nTotal: 1,200.50 EUR\nIBAN: GB33 BUKB 2020 1555 5555 55\n" +
		"Supplier address: Elm St 5\nPurchase order: PO-5\nPallets: 4"
	for name, c := range map[string]struct {
		page string
		want []string // the variables of the warnings
	}{
		"the same":      {same, nil},
		"a number":      {strings.Replace(same, "RE-17", "RE-18", 1), []string{"invoice_number"}},
		"a date":        {strings.Replace(same, "5 May 2026", "6 May 2026", 1), []string{"invoice_date"}},
		"an IBAN":       {strings.Replace(same, "GB33 BUKB 2020 1555 5555 55", "DE02100100100006820101", 1), []string{"iban"}},
		"also the same": {strings.Replace(same, "Total: 1,200.50", "Total: 999.00 EUR\nPaid: 1,200.50", 1), nil},
		"nothing":       {"Thank you.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := withInvoice(t, documents.PDF, c.page, someTerms)
			found, err := Extract(t.Context(), d, answers.ExtractSettings{Variables: someVariables, MaxCandidates: 3})
			if err != nil {
				t.Fatal(err)
			}
			var warned []string
			for _, w := range found.Warnings {
				variable, _, _ := strings.Cut(w, ": ")
				warned = append(warned, variable)
				if len(found.Candidates[variable]) != 2 || !strings.Contains(w, found.Candidates[variable][1].Evidence.Quote) {
					t.Errorf("%s: candidates %+v", w, found.Candidates[variable])
				}
			}
			if !slices.Equal(warned, c.want) {
				t.Errorf("warnings %q, want %q", found.Warnings, c.want)
			}
			for name, want := range map[string]string{"invoice_number": "RE-17", "invoice_date": "2026-05-05",
				"total": "1200.5", "amount_due": "1200.5", "iban": "GB33BUKB20201555555555"} {
				if got := found.Values[name].Text; got != want || found.Evidence[name][0].Page != 0 {
					t.Errorf("%s: %q, want %q of the XML", name, got, want)
				}
			}
		})
	}
}

// What the XML lacks, the pages may have.
func TestPagesCompleteTheXML(t *testing.T) {
	d := withInvoice(t, documents.PDF, "Purchase order: PO-5\nPallets: 4", someTerms)
	found, err := Extract(t.Context(), d, answers.ExtractSettings{Variables: someVariables})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"purchase_order": "PO-5", "pallets": "4"} {
		quotes := found.Evidence[name]
		if found.Values[name].Text != want || len(quotes) != 1 || quotes[0].Page != 1 ||
			d.Text()[quotes[0].Start:quotes[0].Start+len(quotes[0].Quote)] != quotes[0].Quote {
			t.Errorf("%s: %+v, %+v", name, found.Values[name], quotes)
		}
	}
}

// An e-invoice without pages has no value for a term that it lacks, whatever its other texts say.
func TestMissingTermsOfXMLAreNull(t *testing.T) {
	d := withInvoice(t, documents.XML, "", map[en16931.Code]string{1: "RE-17", 27: "Amount due 5 EUR, IBAN GB33BUKB20201555555555"})
	found, err := Extract(t.Context(), d, answers.ExtractSettings{Variables: someVariables, MaxCandidates: 3})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range found.Values {
		if value.Found() != (name == "invoice_number") || value.Found() && found.Evidence[name][0].Confidence < 0.99 {
			t.Errorf("%s: %+v", name, value)
		}
	}
}
