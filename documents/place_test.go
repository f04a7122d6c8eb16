package documents_test

import (
	"reflect"
	"strings"
	"testing"

	"portside/documents"
)

// TestPlaceOf looks for places in a report with chapters and tables.
func TestPlaceOf(t *testing.T) {
	b := documents.NewBuilder(documents.DOCX, documents.DefaultLimits())
	cells := func(texts ...string) (row []documents.Cell) {
		for column, text := range texts {
			row = append(row, documents.Cell{Text: text, Column: column})
		}
		return row
	}
	b.NextTable() // has no rows
	first, second := b.NextTable(), b.NextTable()
	for _, block := range []documents.Block{
		{Kind: documents.Paragraph, Text: "cover"},
		{Kind: documents.Heading, Level: 1, Text: "Offer"},
		{Kind: documents.Heading, Level: 3, Text: "Prices"},
		{Kind: documents.Row, Table: first, Cells: cells("Item", "Price")},
		{Kind: documents.Row, Table: first, Cells: cells("Rope", "42 EUR")},
		{Kind: documents.Heading, Level: 2, Text: strings.Repeat("ß", 300)},
		{Kind: documents.Paragraph, Text: "in thirty days"},
		{Kind: documents.Heading, Level: 1, Text: "Annex"},
		{Kind: documents.Row, Table: second, Cells: cells("Harbour", "Kiel")},
	} {
		if err := b.Add(block); err != nil {
			t.Fatal(err)
		}
	}
	d := b.Document()
	long := strings.Repeat("ß", 200)
	for text, want := range map[string]documents.Place{
		"cover":          {},
		"Offer":          {},
		"Prices":         {Headings: []string{"Offer"}},
		"42 EUR":         {Headings: []string{"Offer", "Prices"}, Table: 1, Row: 2, Column: 2},
		"in thirty days": {Headings: []string{"Offer", long}},
		"Kiel":           {Headings: []string{"Annex"}, Table: 2, Row: 1, Column: 2},
	} {
		t.Run(text, func(t *testing.T) {
			if got := d.PlaceOf(strings.Index(d.Text(), text)); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
	joined, parts := documents.Join(newDocument(t, 0, documents.HTML, "before"), d)
	at := parts[1].Start + strings.Index(d.Text(), "Kiel")
	if got := joined.PlaceOf(at); !reflect.DeepEqual(got,
		documents.Place{Headings: []string{"Annex"}, Table: 2, Row: 1, Column: 2}) {
		t.Errorf("in a joined document: %+v", got)
	}
	if got := joined.PlaceOf(len(joined.Text()) + 1); !got.IsZero() {
		t.Errorf("after the end: %+v", got)
	}
}

func TestCellReference(t *testing.T) {
	for want, at := range map[string][2]int{
		"A1": {1, 1}, "Z10": {10, 26}, "AA2": {2, 27}, "AZ3": {3, 52}, "BA4": {4, 53}, "ZZ5": {5, 702},
		"AAA6": {6, 703}, "XFD1048576": {1048576, 16384},
	} {
		t.Run(want, func(t *testing.T) {
			if got := documents.CellReference(at[0], at[1]); got != want {
				t.Errorf("row %d, column %d: %s, want %s", at[0], at[1], got, want)
			}
		})
	}
}
