package papers

import (
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/pdf"
)

// readPDF reads a file as the service does.
func readPDF(t *testing.T, file []byte) *documents.Document {
	t.Helper()
	into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	if err := pdf.Read(t.Context(), documents.FromBytes(file), into); err != nil {
		t.Fatal(err)
	}
	return into.Document()
}

func TestReportTextIsReadCompletely(t *testing.T) {
	pages := Prose(1, 3)
	d := readPDF(t, Print(pages, nil))
	want := strings.Fields(strings.Join(slices.Concat(pages...), " "))
	if got := strings.Fields(d.Text()); d.Pages != 3 || !slices.Equal(got, want) {
		t.Errorf("got %d pages and %d of %d words", d.Pages, len(got), len(want))
	}
	if got := CountWords(pages); got != len(want) {
		t.Errorf("counted %d words of %d", got, len(want))
	}
	if slices.Equal(Prose(2, 3)[0], pages[0]) {
		t.Error("reports with different seeds are equal")
	}
}

func TestScanDoesNotChangeInvoiceText(t *testing.T) {
	scan := Noise(100 * 100)
	plain, scanned := Invoice("INV-7", nil), Invoice("INV-7", scan)
	if more := len(scanned) - len(plain); more < len(scan) {
		t.Errorf("the scan adds only %d bytes", more)
	}
	if got, want := readPDF(t, scanned).Text(), readPDF(t, plain).Text(); got != want || !strings.Contains(got, "Invoice number: INV-7") {
		t.Errorf("got %q, and without the scan %q", got, want)
	}
}
