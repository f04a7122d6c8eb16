package documents_test

import (
	"testing"

	"portside/documents"
)

// newDocument returns a document with a table on each page.
func newDocument(t *testing.T, pages int, format documents.Format, name string) *documents.Document {
	t.Helper()
	b := documents.NewBuilder(format, documents.DefaultLimits())
	for page := range max(pages, 1) {
		if pages > 0 {
			b.Page()
		}
		table := b.NextTable()
		word := documents.Word{Text: name, Box: documents.Box{Right: 1, Bottom: float64(page + 1)}}
		for _, block := range []documents.Block{
			{Kind: documents.Paragraph, Text: name, Words: []documents.Word{word}},
			{Kind: documents.Row, Table: table, Cells: []documents.Cell{{Text: name}, {Text: "§", Column: 1}}},
		} {
			if err := b.Add(block); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.Document()
}

func TestJoin(t *testing.T) {
	first, second, third := newDocument(t, 2, documents.PDF, "première"), newDocument(t, 0, documents.PlainText, "second"),
		newDocument(t, 1, documents.PDF, "third")
	joined, parts := documents.Join(first, second, third)
	if want := first.Text() + "\n" + second.Text() + "\n" + third.Text(); joined.Text() != want || joined.Pages != 4 {
		t.Errorf("%d pages with the text %q, want 4 with %q", joined.Pages, joined.Text(), want)
	}
	want := []documents.Part{
		{HasPages: true},
		{Start: len(first.Text()) + 1, PagesBefore: 2},
		{Start: len(first.Text()) + len(second.Text()) + 2, PagesBefore: 3, HasPages: true},
	}
	for i := range want {
		if parts[i] != want[i] {
			t.Errorf("part %d is %+v, want %+v", i, parts[i], want[i])
		}
	}
	for i, b := range joined.Blocks {
		text := joined.Text()[b.Start:b.End()]
		if text != b.Text || b.Page != i/2+1 || b.Kind == documents.Row && b.Table != i/2+1 {
			t.Errorf("block %d on page %d in table %d has the text %q, want %q", i, b.Page, b.Table, text, b.Text)
		}
		for _, c := range b.Cells {
			if got := joined.Text()[c.Start : c.Start+len(c.Text)]; got != c.Text {
				t.Errorf("cell %q begins at %q", c.Text, got)
			}
		}
		for _, w := range b.Words {
			if got := joined.Text()[w.Start:w.End()]; got != w.Text {
				t.Errorf("word %q begins at %q", w.Text, got)
			}
		}
	}
	if second.Blocks[0].Start != 0 || second.Blocks[0].Page != 0 || second.Blocks[0].Words[0].Start != 0 {
		t.Errorf("joining changed a document: %+v", second.Blocks[0])
	}
	if same, _ := documents.Join(first); same != first {
		t.Error("a single document is not returned as it is")
	}
}
