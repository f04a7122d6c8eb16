package text_test

import (
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/kind"
	"portside/documents/text"
)

// TestHeaderWithAnotherSeparator checks every pair of separators of the header and of the rows.
func TestHeaderWithAnotherSeparator(t *testing.T) {
	rows := [][]string{{"Rope", "12", "24.00"}, {"Lamp, old", "3", "7.50"}, {"Anchor", "1", "90.00"}, {"Chain", "4", "8.25"}}
	for _, head := range []string{",", ";", "\t", "|"} {
		for _, body := range []string{",", ";", "\t", "|"} {
			for _, quote := range []string{"", `"`} {
				if body == "," && quote == "" {
					rows[1][0] = "Lamp"
				}
				line := func(cells []string, comma string) string {
					return quote + strings.Join(cells, quote+comma+quote) + quote + "\n"
				}
				file, want := line([]string{"Item", "Pieces", "Price"}, head), "Item\tPieces\tPrice"
				for _, row := range rows {
					file += line(row, body)
					want += "\n" + strings.Join(row, "\t")
				}
				checkCSV(t, file, want)
			}
		}
	}
}

// checkCSV checks that a text is recognized as CSV and read as rows of which the first is the header.
func checkCSV(t *testing.T, file, want string) {
	t.Helper()
	format, err := kind.Detect(t.Context(), source(file), documents.DefaultLimits())
	if err != nil || format != documents.CSV {
		t.Errorf("%q is detected as %q, %v", file, format, err)
	}
	d, err := document(t, text.ReadCSV, file)
	if err != nil || d.Text() != want {
		t.Errorf("%q is read as %q, %v; want %q", file, d.Text(), err, want)
	}
	if len(d.Blocks) == 0 || len(d.Blocks[0].Cells) == 0 || !d.Blocks[0].Cells[0].Header {
		t.Errorf("%q has no header", file)
	}
}

// TestDecimalCommasAreNoSeparators has more commas than separators.
func TestDecimalCommasAreNoSeparators(t *testing.T) {
	for _, file := range []string{
		"Breite;Höhe;Tiefe\n1,5;2,5;3,5\n2,5;3,5;4,5\n1,0;2,0;3,0\n",
		"Breite,Höhe,Tiefe\n1,5;2,5;3,5\n2,5;3,5;4,5\n1,0;2,0;3,0\n",
		"Breite\tHöhe\tTiefe\n1,5\t2,5\t3,5\n2,5\t3,5\t4,5\n1,0\t2,0\t3,0\n",
		"\"Breite\";\"Höhe\";\"Tiefe\"\n\"1,5\";\"2,5\";\"3,5\"\n\"2,5\";\"3,5\";\"4,5\"\n\"1,0\";\"2,0\";\"3,0\"\n",
	} {
		checkCSV(t, file, "Breite\tHöhe\tTiefe\n1,5\t2,5\t3,5\n2,5\t3,5\t4,5\n1,0\t2,0\t3,0")
	}
	for _, file := range []string{"A,B,C\n1,2,3\n4,5,6\n7,8,9\n", "A,B,C\n1,2,x;y\n4,5,x;y\n7,8,x;y\n"} {
		d, err := document(t, text.ReadCSV, file)
		if want := strings.TrimSpace(strings.ReplaceAll(file, ",", "\t")); err != nil || d.Text() != want {
			t.Errorf("%q is read as %q, %v", file, d.Text(), err)
		}
	}
}

func TestTitleAboveTableIsNoHeader(t *testing.T) {
	d, err := document(t, text.ReadCSV, "Prices, spring\nItem;Price\nRope;12\nLamp;3\n")
	if err != nil || !strings.HasPrefix(d.Text(), "Prices, spring\nItem\tPrice\n") {
		t.Errorf("got %q, %v", d.Text(), err)
	}
}
