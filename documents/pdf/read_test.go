package pdf_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"portside/documents"
)

func TestContentStreams(t *testing.T) {
	toUnicode := stream("", "1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <0001> <004C00F3> endbfchar "+
		"2 beginbfrange <0002> <0003> <0064> <0010> <0011> [<017A> <015B>] endbfrange")
	type0 := "/Font<</F1<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 5 0 R/DescendantFonts[" +
		"<</Type/Font/Subtype/CIDFontType2/BaseFont/X/DW 500/W[1[1000] 2 3 600]>>]>>>>"
	named := "/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[65/eacute/uni0151/f_i/Zcaron/germandbls]>>>>>>"
	fonts := "/Font<<" + helvetica + bold + ">>"
	for _, test := range []struct {
		name string
		file []byte
		want string
	}{
		{"word in parts", onePage("BT /F1 12 Tf 50 700 Td [(Har) 20 (bour) -400 (plan)] TJ ET"), "Harbour plan"},
		{"word spacing", onePage("BT /F1 12 Tf 50 Tw 50 700 Td (far apart) Tj ET"), "far\tapart"},
		{"escapes", onePage(`BT /F1 12 Tf 50 700 Td (a\(b\)\101\
c) Tj <4142 4> Tj ET`), "a(b)AcAB@"},
		{"line operators", onePage("BT /F1 12 Tf 14 TL 50 700 Td (one) Tj (two) ' 0 0 (three) \" T* (four) Tj ET"), "one\ntwo\nthree\nfour"},
		{"composite font", pageWith("BT /F1 12 Tf 50 700 Td <000100020003> Tj <00100011> Tj ET", type0, "", toUnicode), "Lódeźś"},
		{"glyph names", pageWith("BT /F1 12 Tf 50 700 Td (ABCDE) Tj ET", named, ""), "éőfiŽß"},
		{"form XObject", pageWith("q 1 0 0 1 50 700 cm /X Do Q", fonts+"/XObject<</X 5 0 R>>", "",
			stream("/Type/XObject/Subtype/Form/BBox[0 0 100 100]", "BT /F1 12 Tf (inside) Tj /X Do ET")), "inside"},
		{"ActualText", onePage("BT /F1 12 Tf 50 700 Td /Span<</ActualText(exact)>> BDC (3x#ct) Tj EMC ( words) Tj ET"), "exact words"},
		{"ActualText in a named resource", pageWith("BT /F1 12 Tf 50 700 Td /Span /P BDC (3x#ct) Tj EMC ET",
			fonts+"/Properties<</P<</ActualText(exact)>>>>", ""), "exact"},
		{"inline image", onePage("BI /W 1 /H 1 ID \x00(EI EI\xff \nEI\n" + at(50, 700, "after")), "after"},
		{"rotated text", onePage(at(50, 700, "level words here") + "BT /F1 10 Tf 0 1 -1 0 300 300 Tm (going up) Tj ET"), "level words here\ngoing up"},
		{"rotated page", pageWith("BT /F1 10 Tf 0 1 -1 0 300 300 Tm (sideways page) Tj ET", fonts, "/Rotate 90"), "sideways page"},
		{"text outside the page", onePage(at(50, 700, "seen") + at(5000, 700, "unseen")), "seen"},
		{"text printed twice", onePage(at(50, 700, "Total due") + at(50.2, 700, "Total due")), "Total due"},
		{"superscript", onePage(at(50, 700, "12 m") + "BT /F1 6 Tf 72 704 Td (2) Tj ET"), "12 m2"},
		{"two columns", onePage(column(50, 700, "The left side goes on and", "on for some lines until", "it ends down here at", "the end of the column.") +
			column(300, 700, "Right of it there is more", "to read, which comes after", "the words on the left and",
				"not between them.")),
			"The left side goes on and on for some lines until it ends down here at the end of the column.\n" +
				"Right of it there is more to read, which comes after the words on the left and not between them."},
		{"hyphenated words", onePage(column(50, 700, "This is the story of a ware-", "house between two well-", "Known places of the coast")),
			"This is the story of a warehouse between two well-Known places of the coast"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := read(t, test.file)
			if err != nil || d.Text() != test.want {
				t.Errorf("got %q, %v; want %q", d.Text(), err, test.want)
			}
		})
	}
}

func TestBlocks(t *testing.T) {
	page := "BT /F2 18 Tf 50 760 Td (Invoice) Tj ET\n" + at(50, 730, "We thank you for the order of last week, and ask for payment.") +
		at(50, 700, "Item") + at(300, 700, "Quantity") + at(400, 700, "Amount") +
		at(50, 680, "Crane hire") + at(300, 680, "2") + at(400, 680, "90.00") +
		at(50, 660, "Storage of cold") + at(300, 660, "11") + at(400, 660, "1,250.00") + at(50, 648, "goods") +
		at(50, 628, "Waste") + at(400, 628, "7.50") +
		at(50, 560, "\x95 first point") + at(70, 545, "\x95 below it") + at(50, 530, "2. second point")
	d, err := read(t, onePage(page))
	if err != nil {
		t.Fatal(err)
	}
	want := []documents.Block{
		{Kind: documents.Heading, Level: 1, Text: "Invoice"},
		{Kind: documents.Paragraph, Text: "We thank you for the order of last week, and ask for payment."},
		{Kind: documents.Row, Table: 1, Text: "Item\tQuantity\tAmount"},
		{Kind: documents.Row, Table: 1, Text: "Crane hire\t2\t90.00"},
		{Kind: documents.Row, Table: 1, Text: "Storage of cold goods\t11\t1,250.00"},
		{Kind: documents.Row, Table: 1, Text: "Waste\t7.50"},
		{Kind: documents.ListItem, Text: "first point"},
		{Kind: documents.ListItem, Level: 1, Text: "below it"},
		{Kind: documents.ListItem, Text: "2. second point"},
	}
	for i, b := range d.Blocks {
		got := documents.Block{Kind: b.Kind, Text: b.Text, Level: b.Level, Table: b.Table}
		if i >= len(want) || !reflect.DeepEqual(got, want[i]) || b.Page != 1 {
			t.Errorf("block %d is %+v", i, b)
		}
	}
	if len(d.Blocks) != len(want) {
		t.Fatalf("%d blocks", len(d.Blocks))
	}
	if !d.Blocks[2].Cells[0].Header || d.Blocks[3].Cells[0].Header || d.Blocks[5].Cells[1].Column != 2 {
		t.Errorf("cells: %+v %+v %+v", d.Blocks[2].Cells, d.Blocks[3].Cells, d.Blocks[5].Cells)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 6 }
	if box := d.Blocks[0].Box; box.Left != 50 || !near(box.Top, 68) || !near(box.Bottom, 85) || !near(box.Right, 112) {
		t.Errorf("the box of the heading is %+v", box)
	}
}

func TestReadErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		file []byte
		want error
	}{
		{"empty file", nil, documents.ErrEmpty},
		{"white space only", []byte(" \n"), documents.ErrEmpty},
		{"not a PDF", []byte("%PDF-1.4\nnothing else"), documents.ErrDamaged},
		{"no pages", []byte("%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\n"), documents.ErrDamaged},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := read(t, test.file); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestRepairWithoutTables(t *testing.T) {
	catalog, tree := "<</Type/Catalog/Pages 2 0 R>> ", "<</Type/Pages/Kids[3 0 R]>> "
	packed := fmt.Sprintf("1 0 2 %d 3 %d ", len(catalog), len(catalog+tree)) + catalog + tree +
		"<</Type/Page/Contents 4 0 R/Resources<</Font<<" + helvetica + ">>>>>>"
	first := strings.Index(packed, "<<")
	file := "%PDF-1.5\n4 0 obj\n<</Length 7>>\nstream\n" + at(50, 700, "found again") + "\nendstream\nendobj\n" +
		"5 0 obj\n" + stream(fmt.Sprintf("/Type/ObjStm/N 3/First %d/Filter/FlateDecode", first), deflated(t, packed)) + "\nendobj\n"
	d, err := read(t, []byte(file))
	if err != nil || d.Text() != "found again" {
		t.Errorf("got %q, %v", d.Text(), err)
	}
}

func TestPasswords(t *testing.T) {
	if _, err := readFile(t, "testdata/locked/user.pdf"); !errors.Is(err, documents.ErrEncrypted) {
		t.Errorf("user password: got %v, want ErrEncrypted", err)
	}
	d, err := readFile(t, "testdata/locked/owner.pdf")
	if err != nil || !strings.Contains(d.Text(), "Consiliul portului") {
		t.Errorf("owner password only: %v, %.80q", err, d.Text())
	}
}

func TestNarrowTableColumns(t *testing.T) {
	row := func(y float64, cells ...string) string {
		var out strings.Builder
		for i, c := range cells {
			out.WriteString(at([]float64{58, 121, 191}[i], y, c))
		}
		return out.String()
	}
	d, err := read(t, onePage(row(700, "Item", "Plan", "Spent")+row(685, "Materials of", "12 000 EUR", "11 450 EUR")+
		row(670, "Transporting", "3 500 EUR", "3 980 EUR")+at(58, 640, "Neither of these words stands in a column of the table.")+
		row(600, "No", "Date")+row(588, "7", "1 March")+row(550, "What", "How many", "How much")+row(535, "Crane", "2",
		"90.00")))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range d.Blocks {
		got = append(got, fmt.Sprint(b.Table, " ", b.Text))
	}
	want := []string{
		"1 Item\tPlan\tSpent", "1 Materials of\t12 000 EUR\t11 450 EUR", "1 Transporting\t3 500 EUR\t3 980 EUR",
		"0 Neither of these words stands in a column of the table.",
		"2 No\tDate", "2 7\t1 March", "3 What\tHow many\tHow much", "3 Crane\t2\t90.00",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestLabelsAndValuesAreRows(t *testing.T) {
	d, err := read(t, onePage(
		column(34, 700, "The harbour office of the town by the sea", "3 Quay of the Winds, 44000 Seaport", "Tax number 51 802 114 930")+
			column(38, 650, "No of invoice", "Date", "Client", "To be paid until")+
			column(237, 650, "F26-0912 of us", "19 September 2026", "Friends of the Lighthouse", "19 October 2026")))
	if err != nil {
		t.Fatal(err)
	}
	want := "No of invoice\tF26-0912 of us\nDate\t19 September 2026\nClient\tFriends of the Lighthouse\nTo be paid until\t19 October 2026"
	if !strings.HasSuffix(d.Text(), want) {
		t.Errorf("got %q", d.Text())
	}
}

// TestWordsHavePlaces compares the words of every file of the corpus with the text and their boxes with those of the
// blocks.
func TestWordsHavePlaces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		d, err := readFile(t, file)
		if err != nil {
			t.Fatal(err)
		}
		placed := 0
		for _, b := range d.Blocks {
			at := b.Start
			for _, w := range b.Words {
				if w.Start < at || d.Text()[w.Start:w.End()] != w.Text || b.Box.Union(w.Box) != b.Box {
					t.Fatalf("%s: the word %q at %d with the box %v in the block %v at %d", file, w.Text, w.Start, w.Box, b.Box, at)
				}
				at = w.End()
				placed += len(w.Text)
			}
		}
		if words := len(strings.Join(strings.Fields(d.Text()), "")); placed < words*98/100 {
			t.Errorf("%s: %d of %d bytes of words have places", file, placed, words)
		}
	}
}
