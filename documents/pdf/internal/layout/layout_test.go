package layout

import (
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/pdf/internal/content"
)

const testSize = 10.0 // points

// textAt returns the glyphs of a text. Every glyph is half an em wide.
func textAt(x, y float64, text string) []content.Glyph {
	var glyphs []content.Glyph
	for i, r := range text {
		glyphs = append(glyphs, content.Glyph{
			Text: string(r), X: x + float64(i)*testSize/2, Y: y, DX: testSize / 2, Size: testSize,
		})
	}
	return glyphs
}

// layOut returns the document of one page.
func layOut(t *testing.T, glyphs []content.Glyph) *documents.Document {
	t.Helper()
	blocks, err := Blocks(t.Context(), glyphs)
	if err != nil {
		t.Fatal(err)
	}
	into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	if err := NewOutline([][]Block{blocks}).AddTo(into, blocks); err != nil {
		t.Fatal(err)
	}
	return into.Document()
}

func TestColumnsAreReadOneAfterTheOther(t *testing.T) {
	left := []string{"the left column has some", "lines of text that go on", "until the column is full",
		"and then it ends here."}
	right := []string{"the right column follows", "with as many lines of its", "own, which come after all",
		"lines of the left column."}
	var glyphs []content.Glyph
	for i := range left { // line by line, as many programs write them
		y := 100 + 12*float64(i)
		glyphs = append(append(glyphs, textAt(50, y, left[i])...), textAt(300, y, right[i])...)
	}
	text := layOut(t, glyphs).Text()
	end, start := strings.Index(text, "it ends here."), strings.Index(text, "the right column follows")
	if end < 0 || start < 0 || end > start {
		t.Errorf("got %q", text)
	}
}

func TestCellsOfTableKeepTheirColumns(t *testing.T) {
	glyphs := append(textAt(50, 100, "Item"), textAt(200, 100, "Pieces")...)
	glyphs = append(append(glyphs, textAt(300, 100, "Price")...), textAt(50, 115, "Rope")...)
	glyphs = append(glyphs, textAt(300, 115, "12.50")...)
	d := layOut(t, glyphs)
	if len(d.Blocks) != 2 || d.Blocks[1].Kind != documents.Row {
		t.Fatalf("got %+v", d.Blocks)
	}
	cells := d.Blocks[1].Cells
	if len(cells) != 2 || cells[1].Text != "12.50" || cells[1].Column != 2 || !d.Blocks[0].Cells[0].Header {
		t.Errorf("got %+v", d.Blocks)
	}
}

func TestMarkerBytes(t *testing.T) {
	for text, want := range map[string]int{
		"• point": 4, "- point": 2, "1. point": 3, "12) point": 4, "a) point": 3,
		"1234. point": 0, "1.5 tons": 0, "point": 0, "": 0, "-5 degrees": 0,
	} {
		if got := markerBytes(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestJoinText(t *testing.T) {
	for _, test := range []struct{ above, below, want string }{
		{"a line", "goes on", "a line goes on"},
		{"a ware-", "house", "a warehouse"},
		{"a ware\u00ad", "house", "a warehouse"},
		{"the well-", "Known", "the well-Known"},
		{"the years 2025-", "2026", "the years 2025-2026"},
		{"from -", "to", "from - to"},
	} {
		t.Run(test.above+" and "+test.below, func(t *testing.T) {
			if got := joinText(test.above, test.below); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestDirectionOf(t *testing.T) {
	for _, test := range []struct {
		dx, dy float64
		want   direction
	}{
		{5, 0, 0}, {5, 0.2, 0}, {0, 5, 90}, {-5, 0, 180}, {0, -5, 270}, {0.1, -5, 270}, {5, 5, 45},
	} {
		t.Run(fmt.Sprint(test.dx, test.dy), func(t *testing.T) {
			if got := directionOf(content.Glyph{DX: test.dx, DY: test.dy}); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}
