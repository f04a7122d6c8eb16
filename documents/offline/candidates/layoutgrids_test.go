package candidates

import (
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/offline/index"
)

// page returns the lines of a page as blocks. Each character is 6 points wide. Each line is 10 points high and begins
// 12 points below the previous one. Three or more spaces divide a line into blocks, as on a page without ruling lines
// between the columns.
func page(lines ...string) (blocks []documents.Block) {
	for y, line := range lines {
		for at := 0; at < len(line); {
			end := len(line)
			if gap := strings.Index(line[at:], "   "); gap >= 0 {
				end = at + gap
			}
			if text := strings.TrimSpace(line[at:end]); text != "" {
				b := documents.Block{Kind: documents.Paragraph, Text: text}
				b.Words = wordsAt(text, at+strings.Index(line[at:end], text), y)
				for _, w := range b.Words {
					b.Box = b.Box.Union(w.Box)
				}
				blocks = append(blocks, b)
			}
			at = end + 3
		}
	}
	return blocks
}

// wordsAt returns the words of a text that begins in a column of characters. Their offsets are those in the text.
func wordsAt(text string, column, line int) (words []documents.Word) {
	const width, height, distance = 6, 10, 12
	offset := 0
	for word := range strings.FieldsSeq(text) {
		offset += strings.Index(text[offset:], word)
		left, top := float64((column+offset)*width), float64(100+line*distance)
		words = append(words, documents.Word{Text: word, Start: offset, Box: documents.Box{
			Left: left, Top: top, Right: left + float64(len(word)*width), Bottom: top + height,
		}})
		offset += len(word)
	}
	return words
}

// gridsText returns the grids of pages as text: for each grid, a line with the headers between bars, and a line for
// each row with the cells between slashes.
func gridsText(t *testing.T, pages ...[]documents.Block) string {
	t.Helper()
	into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	for _, blocks := range pages {
		into.Page()
		for _, b := range blocks {
			if err := into.Add(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	doc, err := index.New(t.Context(), into.Document())
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, g := range LayoutGrids(doc) {
		headers := make([]string, len(g.Headers))
		for i, h := range g.Headers {
			headers[i] = h.Text
		}
		fmt.Fprintln(&text, strings.Join(headers, "|"))
		for _, row := range g.Rows {
			cells := make([]string, len(g.Headers))
			for _, c := range row.Cells {
				cells[c.Column] = c.Text
			}
			fmt.Fprintln(&text, strings.Join(cells, "/"))
		}
	}
	return text.String()
}

// layoutTests are pages and the text of their grids.
var layoutTests = map[string]struct {
	pages [][]documents.Block
	want  string
}{
	"columns far apart": {
		[][]documents.Block{page(
			"Quantity   Description                                            Amount",
			"2          Rope                                                     10.00",
			"1          Sail, white                                              90.00",
		)},
		"Quantity|Description|Amount\n2/Rope/10.00\n1/Sail, white/90.00\n",
	},
	"a record with several lines": {
		[][]documents.Block{page(
			"Pos   Description        Price      Quantity   Amount",
			"1     Rope, 30 m         5.00       2",
			"      4012345001235                            10.00",
			"2     Sail               90.00      1",
			"      4012345001242                            90.00",
		)},
		"Pos|Description|Price|Quantity|Amount\n1/Rope, 30 m/5.00/2/10.00\n2/Sail/90.00/1/90.00\n",
	},
	"headers on several lines": {
		[][]documents.Block{page(
			"                               Unit-      Amount",
			"Pos   Description   Quantity   price      excluding",
			"                                          VAT",
			"1     Rope          2          5.00       10.00",
		)},
		"Pos|Description|Quantity|Unitprice|Amount excluding VAT\n1/Rope/2/5.00/10.00\n",
	},
	"headers with a single space between them": {
		[][]documents.Block{page(
			"Description      Quantity Unit price   Amount",
			"Rope             2        5.00          10.00",
		)},
		"Description|Quantity|Unit price|Amount\nRope/2/5.00/10.00\n",
	},
	"cells with a single space between them": {
		[][]documents.Block{page(
			"Description   Quantity   Price   Amount",
			"Rope                2     5.00 10.00",
		)},
		"Description|Quantity|Price|Amount\nRope/2/5.00/10.00\n",
	},
	"an empty cell": {
		[][]documents.Block{page(
			"Description   Quantity   Discount   Amount",
			"Rope          2                     10.00",
			"Sail          1          5.00       85.00",
		)},
		"Description|Quantity|Discount|Amount\nRope/2//10.00\nSail/1/5.00/85.00\n",
	},
	"a table that ends with its total": {
		[][]documents.Block{page(
			"Description   Quantity   Amount",
			"Rope          2          10.00",
			"              Total      10.00",
			"Please pay within 30 days   IBAN DE02 1203 0000 0000 2020 51",
		)},
		"Description|Quantity|Amount\nRope/2/10.00\n/Total/10.00\n",
	},
	"a table that continues with headers": {
		[][]documents.Block{
			page("Description   Quantity   Amount", "Rope          2          10.00", "", "", "", "", "",
				"Seller      Bank        Phone",
				"Acme        1203 0000   555 0100"),
			page("Description   Quantity   Amount", "Sail          1          90.00"),
		},
		"Description|Quantity|Amount\nRope/2/10.00\nSail/1/90.00\nSeller|Bank|Phone\nAcme/1203 0000/555 0100\n",
	},
	"a table that continues without headers": {
		[][]documents.Block{
			page("Description   Quantity   Amount", "Rope          2          10.00"),
			page("Page 2", "", "Sail          1          90.00", "Oar           2          18.00"),
		},
		"Description|Quantity|Amount\nRope/2/10.00\nSail/1/90.00\nOar/2/18.00\n",
	},
	"text far below": {
		[][]documents.Block{page("Description   Quantity   Amount", "Rope          2          10.00", "", "", "", "", "",
			"Paid          1          10.00")},
		"Description|Quantity|Amount\nRope/2/10.00\n",
	},
	"words without values": {
		[][]documents.Block{page("Description   Quantity   Amount", "Rope          two        ten")}, "",
	},
}

func TestLayoutGrids(t *testing.T) {
	for name, test := range layoutTests {
		t.Run(name, func(t *testing.T) {
			if got := gridsText(t, test.pages...); got != test.want {
				t.Errorf("%swant\n%s", got, test.want)
			}
		})
	}
}

// FuzzLayoutGrids checks that the cells of a row are parts of the text, from the left, each below a header.
func FuzzLayoutGrids(f *testing.F) {
	f.Add("Quantity   Description        Amount\n2          Rope               10.00\n           Total              10.00")
	f.Add("                 Unit-\nDescription      price   Amount\nRope             5.00 10.00\n\n\n\n\n\nSail             1   2")
	f.Fuzz(func(t *testing.T, text string) {
		into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
		for _, b := range page(strings.Split(strings.ToValidUTF8(text, ""), "\n")...) {
			if err := into.Add(b); err != nil {
				return
			}
		}
		doc, err := index.New(t.Context(), into.Document())
		if err != nil {
			return
		}
		for _, g := range LayoutGrids(doc) {
			for _, row := range g.Rows {
				checkCells(t, doc.Text, g, row.Cells)
			}
		}
	})
}

func checkCells(t *testing.T, text string, g Grid, cells []documents.Cell) {
	t.Helper()
	for i, c := range cells {
		if c.Text == "" || text[c.Start:c.Start+len(c.Text)] != c.Text {
			t.Errorf("the cell %+v is not in the text", c)
		}
		if _, hasHeader := g.Headers[c.Column]; !hasHeader || i > 0 && cells[i-1].Column >= c.Column {
			t.Errorf("the cells %+v are in wrong columns", cells)
		}
	}
}
