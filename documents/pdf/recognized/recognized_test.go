package recognized_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/pdf/recognized"
)

// sheet is a picture of 1,240 by 1,754 pixels, A4 at 150 dots per inch.
var sheet = recognized.Page{Width: 1240, Height: 1754, Place: documents.Box{Left: 10, Top: 20, Right: 605, Bottom: 862}}

// write returns a line as OCR would return it, with corners at the edges of the ink. Each letter is half an em wide,
// and several spaces make a wide gap. The line is rotated around the center of the picture by turn degrees, clockwise.
func write(text string, x, baseline, turn float64) recognized.Line {
	return writeIn(24, text, recognized.Point{X: x, Y: baseline}, turn)
}

// writeIn is write with another font size, in pixels.
func writeIn(size float64, text string, from recognized.Point, turn float64) recognized.Line {
	x, baseline := from.X, from.Y
	var line recognized.Line
	for i := 0; i < len(text); {
		if text[i] == ' ' {
			i++
			continue
		}
		word, _, _ := strings.Cut(text[i:], " ")
		left, right := x+float64(i)*size/2, x+float64(i+len(word))*size/2
		top, bottom := baseline-0.5*size, baseline
		if strings.ToLower(word) != word || strings.ContainsAny(word, "0123456789bdfhklt") {
			top = baseline - 0.72*size
		}
		if strings.ContainsAny(word, "gjpqy,") {
			bottom += 0.21 * size
		}
		w := recognized.Word{Text: word}
		for c, corner := range [4]recognized.Point{{left, top}, {right, top}, {right, bottom}, {left, bottom}} {
			w.Corners[c] = turned(corner, turn)
		}
		line, i = append(line, w), i+len(word)
	}
	return line
}

// turned rotates a point in pixels with the picture, and returns it as fractions.
func turned(p recognized.Point, degrees float64) recognized.Point {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	x, y := p.X-sheet.Width/2, p.Y-sheet.Height/2
	return recognized.Point{X: (x*cos-y*sin)/sheet.Width + 0.5, Y: (y*cos+x*sin)/sheet.Height + 0.5}
}

// invoice returns the lines of an invoice. The cells of a row are separate lines, as OCR returns them.
func invoice(turn float64) []recognized.Line {
	return []recognized.Line{
		writeIn(60, "Invoice 2026-0117", recognized.Point{X: 120, Y: 150}, turn),
		write("Description", 120, 300, turn), write("Quantity", 700, 300, turn), write("Amount", 1000, 300, turn),
		write("Storm lantern", 120, 340, turn), write("12", 700, 340, turn), write("1,020.00", 1000, 340, turn),
		write("Shipping", 120, 380, turn), write("1", 700, 380, turn), write("60.00", 1000, 380, turn),
		write("on one more", 120, 420, turn), write("3", 700, 420, turn), write("7.00", 1000, 420, turn),
		write("Payment is due within thirty days of the date of the invoice to the account below,", 120, 600, turn),
		write("without any deduction.", 120, 634, turn),
	}
}

func read(t *testing.T, lines ...recognized.Line) *documents.Document {
	t.Helper()
	p := sheet
	p.Lines = lines
	blocks, err := recognized.Blocks(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	for _, b := range blocks {
		if err := into.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	return into.Document()
}

// The blocks do not depend on the skew and the rotation of the picture.
func TestBlocksOfInvoice(t *testing.T) {
	want := []string{
		"heading: Invoice 2026-0117",
		"row: Description\tQuantity\tAmount", "row: Storm lantern\t12\t1,020.00", "row: Shipping\t1\t60.00", "row: on one more\t3\t7.00",
		"paragraph: Payment is due within thirty days of the date of the invoice to the account below, without any deduction.",
	}
	for _, turn := range []float64{0, 1.7, -3, 90, 178} {
		d := read(t, invoice(turn)...)
		var got []string
		for _, b := range d.Blocks {
			got = append(got, string(b.Kind)+": "+b.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("turned by %v degrees: got %q", turn, got)
		}
	}
}

// A word has the box of its ink on the page, to about a point.
func TestBoxesAreOnThePage(t *testing.T) {
	d := read(t, invoice(0)...)
	at := strings.Index(d.Text(), "1,020.00")
	got := d.BoxOf(at, at+len("1,020.00"))
	const pixel = 595.0 / 1240
	want := documents.Box{
		Left: 10 + 1000*pixel, Right: 10 + (1000+8*12)*pixel, Top: 20 + (340-0.72*24)*pixel, Bottom: 20 + (340+0.21*24)*pixel,
	}
	for _, distance := range []float64{got.Left - want.Left, got.Right - want.Right, got.Top - want.Top,
		got.Bottom - want.Bottom} {
		if math.Abs(distance) > 1.5 {
			t.Fatalf("box %+v, want %+v", got, want)
		}
	}
	turned := read(t, invoice(-3)...)
	if got = turned.BoxOf(at, at+8); got.Top > want.Top || got.Right-got.Left < want.Right-want.Left {
		t.Errorf("box %+v in a picture whose right side is higher, want above %+v", got, want)
	}
}

func TestPicturesWithoutPlaceHaveNoBoxes(t *testing.T) {
	p := sheet
	p.Place, p.Lines = documents.Box{}, invoice(2)
	blocks, err := recognized.Blocks(t.Context(), p)
	if err != nil || len(blocks) == 0 || blocks[0].Box != (documents.Box{}) ||
		blocks[0].Words[0].Box != (documents.Box{}) {
		t.Errorf("blocks %+v, error %v", blocks, err)
	}
}

func TestDoubtsStayWithTheirWords(t *testing.T) {
	lines := invoice(0)
	lines[6][0].Doubt = 0.4 // 1,020.00
	d := read(t, lines...)
	for text, want := range map[string]float64{"1,020.00": 0.4, "lantern": 0, "12\t1,020.00": 0.4, "60.00": 0} {
		at := strings.Index(d.Text(), text)
		if got := d.DoubtOf(at, at+len(text)); got != want {
			t.Errorf("doubt about %q: %v, want %v", text, got, want)
		}
	}
}

// Words whose ink nearly touches stay apart.
func TestCloseWordsStayApart(t *testing.T) {
	line := write("No. 4711 of", 120, 150, 0)
	for i := range line[1].Corners {
		line[1].Corners[i].X -= 11 / sheet.Width
	}
	if d := read(t, line); d.Text() != "No. 4711 of" {
		t.Errorf("text %q", d.Text())
	}
}

func TestDegeneratePictures(t *testing.T) {
	if _, err := recognized.Blocks(t.Context(), recognized.Page{Height: 5}); err == nil {
		t.Error("a picture without width is accepted")
	}
	point := recognized.Line{{Text: "dot"}}
	p := recognized.Page{Width: 5, Height: 5, Lines: []recognized.Line{{}, point}}
	if blocks, err := recognized.Blocks(t.Context(), p); err != nil || len(blocks) > 0 {
		t.Errorf("blocks %+v, error %v", blocks, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := recognized.Blocks(ended, recognized.Page{Width: 1, Height: 1, Lines: invoice(0)}); err == nil {
		t.Error("a context that has ended is ignored")
	}
}

// Cells can be closer together than in a PDF, because OCR ends a line at each gap between cells. Words of one line stay
// in one cell.
func TestNarrowTables(t *testing.T) {
	var lines []recognized.Line
	for i, row := range [][]string{
		{"BeginDate", "FinalDate", "Employers", "Positions"}, {"1/15/2009", "6/30/2011", "Any Store", "The Baker"},
	} {
		for column, text := range row {
			lines = append(lines, write(text, 120+float64(column)*132, 300+40*float64(i), 0)) // nine letters and a gap of one em
		}
	}
	want := "BeginDate\tFinalDate\tEmployers\tPositions\n1/15/2009\t6/30/2011\tAny Store\tThe Baker"
	if d := read(t, lines...); d.Text() != want {
		t.Errorf("text %q", d.Text())
	}
}

// The measured sizes of equal fonts differ, and that must not turn lines into headings.
func TestMeasuredSizesMakeNoHeadings(t *testing.T) {
	var lines []recognized.Line
	for i, size := range []float64{24, 24, 28, 22, 24} {
		lines = append(lines, writeIn(size, "Payment is due within thirty days",
			recognized.Point{X: 120, Y: 300 + 90*float64(i)}, 0))
	}
	for _, b := range read(t, lines...).Blocks {
		if b.Kind != documents.Paragraph {
			t.Errorf("%s: %q", b.Kind, b.Text)
		}
	}
}
