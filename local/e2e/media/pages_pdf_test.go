package media

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// The page of the PDF that the test makes, and its font, in points.
const (
	pageWidth, pageHeight = 612, 792
	marginLeft            = 72
	fontSize              = 12
)

// helvetica has the widths of characters in thousandths of the font size, from the metrics that Adobe published. They
// do not depend on any program that draws PDFs.
var helvetica = map[rune]float64{
	' ': 278, '.': 278, ':': 278, ',': 278, 'T': 611, 'E': 667, 'U': 722, 'R': 722,
	'o': 556, 't': 278, 'a': 556, 'l': 222, 'd': 556, 'u': 556, 'e': 556,
}

func helveticaWidth(text string) (points float64) {
	for _, r := range text {
		if r >= '0' && r <= '9' {
			points += 556
			continue
		}
		points += helvetica[r]
	}
	return points * fontSize / 1000
}

// box is a part of a page: shares of its width and height.
type box struct{ Left, Top, Right, Bottom float64 }

// selectedBox is the box of the selected mark on the drawn page.
const selectedBox = `(() => {
	const page = document.querySelector(".paper canvas").getBoundingClientRect();
	const mark = document.querySelector(".paper .mark.selected").getBoundingClientRect();
	return {
		left: (mark.left - page.left) / page.width, right: (mark.right - page.left) / page.width,
		top: (mark.top - page.top) / page.height, bottom: (mark.bottom - page.top) / page.height,
	};
})()`

// inkedShare is the share of dark pixels in the selected mark.
const inkedShare = `(() => {
	const canvas = document.querySelector(".paper canvas"), page = canvas.getBoundingClientRect();
	const mark = document.querySelector(".paper .mark.selected").getBoundingClientRect(), scale = canvas.width / page.width;
	const { data } = canvas.getContext("2d").getImageData((mark.left - page.left) * scale, (mark.top - page.top) * scale,
		mark.width * scale, mark.height * scale);
	let dark = 0;
	for (let i = 0; i < data.length; i += 4) dark += data[i] < 128;
	return dark / (data.length / 4);
})()`

// The PDF has the same amount on both pages, and on the second page it follows a label.
func TestValuesOfPDF(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	const baseline, label, amount = 500, "Total due: ", "1,306.80 EUR"
	first := line(700, "Offer") + line(680, "A deposit of 1,306.80 EUR was discussed in spring.")
	second := line(700, "Invoice number: INV-2026-0117") + line(baseline, label+amount)
	m.Check("Extract values", true)
	m.Upload(chooseFiles, m.file(t, "two pages.pdf", newPDF(first, second)))
	m.variable("Variable 1", "total_due", "Number", "total due")
	m.variable("Variable 2", "invoice_number", "Text", "number of the invoice")
	m.Click(browser.Button("Extract"))
	m.WaitFor(browser.Row("total_due"))
	m.Within(browser.Row("total_due")).WaitText("page 2")
	m.Click(browser.Button("Show where total_due was found"))
	m.WaitFor(browser.Role("image", "Page 2 of two pages.pdf"))
	m.Settle()

	got := browser.Eval[box](m.Page, selectedBox)
	want := box{
		Left:   (marginLeft + helveticaWidth(label)) / pageWidth,
		Right:  (marginLeft + helveticaWidth(label+amount)) / pageWidth,
		Top:    (pageHeight - baseline - 0.9*fontSize) / pageHeight,
		Bottom: (pageHeight - baseline + 0.2*fontSize) / pageHeight,
	}
	for name, pair := range map[string][2]float64{
		"left": {got.Left, want.Left}, "right": {got.Right, want.Right}, "top": {got.Top, want.Top},
		"bottom": {got.Bottom, want.Bottom},
	} {
		t.Run(name, func(t *testing.T) {
			if math.Abs(pair[0]-pair[1]) > 0.005 {
				t.Errorf("the %s edge of the mark is at %.4f, want %.4f", name, pair[0], pair[1])
			}
		})
	}
	if ink := browser.Eval[float64](m.Page, inkedShare); ink < 0.03 {
		t.Errorf("%.3f of the mark is ink: the text is elsewhere", ink)
	}
	m.wantSameFromCurl(t)
	m.Axe()
	testPortalInvoice(t, m)
}

// testPortalInvoice marks all values of an invoice that LibreOffice made, whose fonts are embedded.
func testPortalInvoice(t *testing.T, m *mediaPage) {
	m.Click(browser.Button("Remove the file two pages.pdf"))
	m.Upload(chooseFiles, m.example(t, "invoice-march.pdf"))
	m.Click(browser.Button("Extract"))
	card := m.result("Extract values", "invoice-march.pdf")
	card.Click(browser.Button("Show where invoice_number was found"))
	card.WaitFor(browser.Role("image", "Page 1 of invoice-march.pdf"))
	card.Click(browser.Button("Show where total_due was found"))
	m.Settle()
	if ink := browser.Eval[float64](m.Page, inkedShare); ink < 0.03 {
		t.Errorf("%.3f of the mark is ink: the text is elsewhere", ink)
	}
}

// line returns the operators of a page that write a text with its baseline at y, from the bottom.
func line(y int, text string) string {
	return fmt.Sprintf("BT /F1 %d Tf %d %d Td (%s) Tj ET\n", fontSize, marginLeft, y, text)
}

// newPDF returns a PDF whose pages have these operators.
func newPDF(pages ...string) string {
	var kids []string
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	for _, operators := range pages {
		number := len(objects) + 1
		kids = append(kids, fmt.Sprintf("%d 0 R", number))
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
				pageWidth, pageHeight, number+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(operators), operators))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	var file, table strings.Builder
	file.WriteString("%PDF-1.7\n")
	fmt.Fprintf(&table, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := file.Len()
	fmt.Fprintf(&file, "%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", table.String(), len(objects)+1,
		start)
	return file.String()
}
