package documents_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"portside/documents"
	"portside/documents/internal/scale"
)

func TestOffsetsMatchTheText(t *testing.T) {
	b := documents.NewBuilder(documents.DOCX, documents.DefaultLimits())
	b.Title(" An  invoice\x00 ")
	b.Page()
	for _, block := range []documents.Block{
		{Kind: documents.Heading, Level: 1, Text: "Invoice\u00a0No. 7"},
		{Kind: documents.Paragraph, Text: " \n\t "},
		{Kind: documents.Row, Table: b.NextTable(), Cells: []documents.Cell{{Text: "Total\n(net)"}, {Text: " 1.234,50 € ", Column: 1}, {Text: ""}}},
		{Kind: documents.Row, Cells: []documents.Cell{{Text: ""}, {Text: " "}}},
		{Kind: documents.Paragraph, Text: "soft\u00adhyphen and\r\n\r\n a  line"},
	} {
		if err := b.Add(block); err != nil {
			t.Fatal(err)
		}
	}
	d := b.Document()
	want := "Invoice No. 7\nTotal (net)\t1.234,50 €\t\nsofthyphen and\na line"
	if d.Text() != want || d.Title != "An invoice" || d.Pages != 1 || len(d.Blocks) != 3 {
		t.Errorf("got %q, %+v", d.Text(), d)
	}
	for i, block := range d.Blocks {
		if got := d.Text()[block.Start:block.End()]; got != block.Text || d.BlockAt(block.Start) != i || block.Page != 1 {
			t.Errorf("block %d begins at %d: %q", i, block.Start, got)
		}
		for _, cell := range block.Cells {
			if got := d.Text()[cell.Start : cell.Start+len(cell.Text)]; got != cell.Text {
				t.Errorf("cell %q: %q", cell.Text, got)
			}
		}
	}
	if at := d.BlockAt(len("Invoice No. 7")); at != -1 {
		t.Errorf("between the blocks is %d", at)
	}
}

func TestAddAfterTheLimitIsRefused(t *testing.T) {
	limits := documents.Limits{Text: 20, Blocks: 3, Pages: 2}
	b := documents.NewBuilder(documents.PlainText, limits)
	add := func(text string) error { return b.Add(documents.Block{Kind: documents.Paragraph, Text: text}) }
	if err := errors.Join(add("one"), add("two")); err != nil {
		t.Fatal(err)
	}
	if err := add(strings.Repeat("x", 20)); !errors.Is(err, documents.ErrTooMuch) {
		t.Errorf("too much text: %v", err)
	}
	pages := 0
	for b.Page() {
		pages++
	}
	b.Page()
	if d := b.Document(); pages != 2 || len(d.Warnings) != 1 || len(d.Blocks) != 2 {
		t.Errorf("%d pages, %+v", pages, d)
	}
}

// Cells that share one long text are refused before the text is copied for each cell.
func TestCellsAreRefusedBeforeTheyAreCopied(t *testing.T) {
	shared := strings.Repeat("x ", 40_000)
	cells := make([]documents.Cell, 10_000)
	for i := range cells {
		cells[i].Text = shared
	}
	b := documents.NewBuilder(documents.XLSX, documents.DefaultLimits())
	var err error
	taken := allocated(func() { err = b.Add(documents.Block{Kind: documents.Row, Cells: cells}) })
	if !errors.Is(err, documents.ErrTooMuch) || taken > 1<<20 {
		t.Errorf("it took %d KB: %v", taken>>10, err)
	}
	if d := b.Document(); len(d.Blocks) != 0 {
		t.Errorf("%d blocks are kept", len(d.Blocks))
	}
}

func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A cleaned text must not keep the memory of the longer original.
func TestCleanDoesNotKeepUnusedMemory(t *testing.T) {
	const count = 1000
	padded := strings.Repeat(" ", 60_000) + "x"
	b := documents.NewBuilder(documents.DOCX, documents.DefaultLimits())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range count {
		if err := b.Add(documents.Block{Kind: documents.Paragraph, Text: padded}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d letters take %d MB", count, grown>>20)
	}
	if text := b.Document().Text(); len(text) != 2*count-1 {
		t.Errorf("%d bytes are kept", len(text))
	}
}

func TestCleanRemovesInvisibleCharacters(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		got := documents.Clean(text)
		if documents.Clean(got) != got || !utf8.ValidString(got) || strings.TrimSpace(got) != got ||
			strings.Contains(got, "  ") || strings.Contains(got, "\n\n") || strings.Contains(got, " \n") ||
			strings.Contains(got, "\n ") {
			t.Fatalf("%q becomes %q", text, got)
		}
	})
}

// A document warns of words that a viewer doubts, once.
func TestDoubtfulPicturesHaveWarning(t *testing.T) {
	for _, test := range []struct {
		doubt float64
		want  int
	}{{0.1, 0}, {0.3, 1}} {
		t.Run(fmt.Sprint("doubt ", test.doubt), func(t *testing.T) {
			b := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
			b.Page()
			b.Picture(documents.Picture{Data: []byte("x")})
			b.Picture(documents.Picture{Data: []byte("y")})
			read := func() documents.PictureText {
				words := []documents.Word{{Text: "Total"}, {Text: "12", Doubt: float32(test.doubt)}}
				return documents.PictureText{Blocks: []documents.Block{{Text: "Total 12", Words: words}}}
			}
			if err := b.InsertPictures([]documents.PictureText{read(), read()}); err != nil {
				t.Fatal(err)
			}
			if d := b.Document(); len(d.Warnings) != test.want || d.DoubtOf(6, 8) != test.doubt || d.DoubtOf(0, 5) != 0 {
				t.Errorf("warnings %q, doubts %v and %v", d.Warnings, d.DoubtOf(6, 8), d.DoubtOf(0, 5))
			}
		})
	}
}
