package offline

import (
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
)

// contradictory returns a PDF whose page shows another number than the XML.
func contradictory(t *testing.T, shown string) *documents.Document {
	t.Helper()
	const invoiceNumber = 1 // BT-1
	into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	cells := []documents.Cell{{Text: "Invoice number", Header: true}, {Text: "RE-17", Column: 1, Term: invoiceNumber}}
	if err := into.Add(documents.Block{Kind: documents.Field, Cells: cells}); err != nil {
		t.Fatal(err)
	}
	into.Page()
	if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: "Invoice number: " + shown}); err != nil {
		t.Fatal(err)
	}
	return into.Document()
}

func TestComparisonsHaveTheWarningsOfBothDocuments(t *testing.T) {
	settings := answers.CompareSettings{Variables: []answers.Variable{{Name: "invoice_number", Type: answers.String}}}
	found, err := New().Compare(t.Context(), contradictory(t, "RE-18"), contradictory(t, "RE-19"), settings)
	if err != nil {
		t.Fatal(err)
	}
	if w := found.Warnings; len(w) != 2 || !strings.Contains(w[0], "RE-18") || !strings.Contains(w[1], "RE-19") {
		t.Errorf("warnings %q", w)
	}
	same, err := New().Compare(t.Context(), contradictory(t, "RE-18"), contradictory(t, "RE-18"), settings)
	if err != nil || len(same.Warnings) != 1 {
		t.Errorf("warnings %q, %v", same.Warnings, err)
	}
}
