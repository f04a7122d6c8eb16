package index

import (
	"testing"

	"portside/documents"
)

func TestFirstBlocks(t *testing.T) {
	into := documents.NewBuilder(documents.CSV, documents.DefaultLimits())
	for range 3 {
		cells := []documents.Cell{{Text: "abcd"}, {Text: "efgh", Column: 1}}
		if err := into.Add(documents.Block{Kind: documents.Row, Table: 1, Cells: cells}); err != nil {
			t.Fatal(err)
		}
	}
	d := into.Document()
	for limit := range len(d.Text()) + 1 {
		blocks := firstBlocks(d.Blocks, limit)
		for i, b := range blocks {
			if b.End() > limit || len(b.Cells) == 0 || cellEnd(b.Cells[len(b.Cells)-1]) > limit {
				t.Errorf("of the first %d bytes, block %d is %v", limit, i, b)
			}
		}
		if want := (limit + len("abcd efgh")) / len("abcd efgh "); len(blocks) != want {
			t.Errorf("of the first %d bytes there are %d blocks, not %d", limit, len(blocks), want)
		}
	}
	if len(d.Blocks[0].Text) != len("abcd efgh") || len(d.Blocks[2].Cells[1].Text) != len("efgh") {
		t.Error("the document was changed")
	}
}

func cellEnd(c documents.Cell) int { return c.Start + len(c.Text) }
