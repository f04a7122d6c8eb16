package office_test

import (
	"fmt"
	"strings"
	"testing"
)

// rows returns 50,000 cells: dates, texts, numbers and percentages.
func rows() string {
	const columns, count = 10, 5_000
	var out strings.Builder
	for r := 1; r <= count; r++ {
		fmt.Fprintf(&out, `<row r="%d">`, r)
		for c := range columns {
			name := fmt.Sprintf("%c%d", 'A'+c, r)
			switch c % 4 {
			case 0:
				fmt.Fprintf(&out, `<c r="%s" s="1"><v>%d</v></c>`, name, 40_000+r)
			case 1:
				fmt.Fprintf(&out, `<c r="%s" t="s"><v>%d</v></c>`, name, r%1_000)
			case 2:
				fmt.Fprintf(&out, `<c r="%s"><v>%d.%d</v></c>`, name, r*7919%100_003, r%97)
			default:
				fmt.Fprintf(&out, `<c r="%s" t="inlineStr"><is><t>note %x on row %d</t></is></c>`, name, r*2_654_435_761, r)
			}
		}
		out.WriteString(`</row>`)
	}
	return out.String()
}

func BenchmarkWorkbookOf50000Cells(b *testing.B) {
	shared := `<sst>`
	for i := range 1_000 {
		shared += fmt.Sprintf(`<si><t>shared text %d</t></si>`, i)
	}
	data := workbook(b, rows(), "xl/styles.xml", sheetStyles, "xl/sharedStrings.xml", shared+`</sst>`)
	b.ReportMetric(float64(len(data)), "file-bytes")
	b.ReportAllocs()
	for b.Loop() {
		if d, err := parse(b, ".xlsx", data); err != nil || len(d.Blocks) != 5_001 {
			b.Fatal(err, len(d.Blocks))
		}
	}
}
