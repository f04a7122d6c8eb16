package office_test

import (
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/heaptest"
	"portside/documents/office"
)

// A whole row is in memory until its role is known, so a few kilobytes must not unpack to a row of millions of cells.
func TestRowsAreBounded(t *testing.T) {
	const maxGrowth, cells = 64 << 20, 300_000
	sheet := func(row string) []byte {
		return open(t, "spreadsheet", "<table><table-row>"+row+"</table-row></table>")
	}
	for name, file := range map[string][]byte{
		"cells":           sheet(strings.Repeat("<table-cell><p>x</p></table-cell>", cells)),
		"repeated letter": sheet(`<table-cell number-columns-repeated="16384"><p>` + strings.Repeat("x", 1<<20) + "</p></table-cell>"),
	} {
		t.Run(name, func(t *testing.T) {
			var into *documents.Builder
			grown := heaptest.Peak(maxGrowth, func() {
				into = documents.NewBuilder(documents.ODS, documents.DefaultLimits())
				_ = office.ReadODS(t.Context(), source(file), into) // other tests check the error
			})
			if d := into.Document(); len(d.Blocks) == 0 {
				t.Error("nothing of it is read")
			}
			if grown > maxGrowth {
				t.Errorf("it took %d MB", grown>>20)
			}
		})
	}
}
