package pdf_test

import (
	"strings"
	"testing"

	"portside/documents"
)

// TestRightToLeft reads pages in Hebrew and Arabic, with words and numbers from left to right between them. The texts
// are those of the HTML files that were printed.
func TestRightToLeft(t *testing.T) {
	for name, want := range map[string]string{
		"hebrew": "חשבונית מס 2026-17\nתאריך החשבונית: 3 במרץ 2026\n" +
			"הסחורה נשלחה אל חברת Lantern Works Ltd בנמל חיפה, והתשלום מגיע תוך 30 ימים (כולל מע\"מ). פרטים נוספים נמצאים באתר " +
			"www.example.com ובדואר אלקטרוני. נא לציין את מספר החשבונית בהעברה.\n" +
			"תיאור\tכמות\tסכום\nפנס סערה\t12\t1,020.00\nקומקום נחושת\t3\t120.00\nסך הכול לתשלום: 1,140.00 ₪",
		"arabic": "عقد إيجار\nيبدأ الإيجار في 1 مارس 2026 وينتهي بعد 12 شهرا. يدفع المستأجر مبلغ 900 دينار إلى شركة Harbor Homes Ltd " +
			"في أول كل شهر، ولا يجوز له تأجير الشقة لشخص آخر بدون موافقة المالك.\nرقم العقد: LH-2026-17",
		"mixed": "The seller is יוסי כהן ובניו (Haifa) and the buyer is Harbor Homes Ltd. The price is 900 EUR.",
	} {
		t.Run(name, func(t *testing.T) {
			d, err := readFile(t, "testdata/righttoleft/"+name+".pdf")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(d.Text()); got != want {
				t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
			}
		})
	}
}

// TestRightToLeftColumns checks that the first column of a table is the rightmost one, and that the places of words are
// those on the page.
func TestRightToLeftColumns(t *testing.T) {
	d, err := readFile(t, "testdata/righttoleft/hebrew.pdf")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, b := range d.Blocks {
		if b.Kind != documents.Row {
			continue
		}
		rows++
		for i, cell := range b.Cells {
			box := d.BoxOf(cell.Start, cell.Start+len(cell.Text))
			if cell.Column != i || box.Left < b.Box.Left || box.Right > b.Box.Right {
				t.Errorf("cell %q: column %d, box %v in %v", cell.Text, cell.Column, box, b.Box)
			}
			if i > 0 && box.Right >= d.BoxOf(b.Cells[i-1].Start, b.Cells[i-1].Start+len(b.Cells[i-1].Text)).Left {
				t.Errorf("cell %q is not left of cell %q", cell.Text, b.Cells[i-1].Text)
			}
		}
	}
	if rows != 3 {
		t.Errorf("%d rows, want 3", rows)
	}
}
