package candidates

import (
	"slices"
	"testing"

	"portside/documents"
	"portside/documents/offline/index"
)

// collect returns the document's text and candidates.
func collect(t *testing.T, blocks ...documents.Block) (string, *Set) {
	t.Helper()
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	for _, b := range blocks {
		if err := into.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	doc, err := index.New(t.Context(), into.Document())
	if err != nil {
		t.Fatal(err)
	}
	return doc.Text, Collect(doc)
}

func row(cells ...string) documents.Block {
	b := documents.Block{Kind: documents.Row, Table: 1}
	for i, text := range cells {
		b.Cells = append(b.Cells, documents.Cell{Text: text, Column: i})
	}
	return b
}

func TestPairsOfEveryLayout(t *testing.T) {
	paragraph := func(text string) documents.Block { return documents.Block{Kind: documents.Paragraph, Text: text} }
	for name, c := range map[string]struct {
		blocks []documents.Block
		label  []string
		value  string
	}{
		"colon":         {[]documents.Block{paragraph("Invoice number: RE-17")}, []string{"INVOICE", "NUMBER"}, "RE-17"},
		"second colon":  {[]documents.Block{paragraph("Total: 5 EUR Due date: 5 May 2026")}, []string{"DUE", "DATE"}, "5 May 2026"},
		"no separator":  {[]documents.Block{paragraph("Total 5 EUR")}, []string{"TOTAL"}, "5 EUR"},
		"next line":     {[]documents.Block{paragraph("Due date\n5 May 2026")}, []string{"DUE", "DATE"}, "5 May 2026"},
		"next block":    {[]documents.Block{paragraph("Due date:"), paragraph("5 May 2026")}, []string{"DUE", "DATE"}, "5 May 2026"},
		"bare date":     {[]documents.Block{paragraph("Bern, 5 May 2026")}, []string{"DATE"}, "5 May 2026"},
		"cells":         {[]documents.Block{row("Total", "5 EUR")}, []string{"TOTAL"}, "5 EUR"},
		"column":        {[]documents.Block{row("Item", "Quantity", "Price"), row("Ladder", "2", "115 EUR")}, []string{"PRICE"}, "115 EUR"},
		"row and field": {[]documents.Block{row("Total", "5 EUR"), row("Tax", "1 EUR")}, []string{"TAX"}, "1 EUR"},
	} {
		t.Run(name, func(t *testing.T) {
			text, set := collect(t, c.blocks...)
			isWanted := func(p Pair) bool { return slices.Equal(p.Label, c.label) && p.Value.In(text) == c.value }
			if !slices.ContainsFunc(set.Pairs, isWanted) {
				t.Errorf("no pair %v: %q among %+v", c.label, c.value, set.Pairs)
			}
		})
	}
}

func TestCheckBoxes(t *testing.T) {
	text, set := collect(t, documents.Block{Kind: documents.Paragraph,
		Text: "☒ Automatic renewal\n[ ] Paper invoices\n☒ yes ☐ no"})
	if len(set.Boxes) != 2 {
		t.Fatalf("%d lines with one box, want 2", len(set.Boxes))
	}
	if b := set.Boxes[0]; !b.Ticked || b.Label.In(text) != " Automatic renewal" {
		t.Errorf("the first box is %+v, label %q", b, b.Label.In(text))
	}
	if set.Boxes[1].Ticked {
		t.Error("the second box is ticked")
	}
}

func TestSentencesAreInOrder(t *testing.T) {
	_, set := collect(t, documents.Block{Kind: documents.Paragraph, Text: "The rent is due. It includes heating."},
		row("Note", "The tenant pays. The landlord repairs."))
	if len(set.Sentences) != 4 {
		t.Errorf("%d sentences, want 4", len(set.Sentences))
	}
	for i := 1; i < len(set.Sentences); i++ {
		if set.Sentences[i].Start < set.Sentences[i-1].End {
			t.Errorf("sentence %d overlaps the one before", i)
		}
	}
}
