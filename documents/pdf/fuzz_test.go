package pdf_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/pdf"
)

func tightLimits() documents.Limits {
	return documents.Limits{
		Text: 1 << 20, Blocks: 20_000, Pages: 50, Inflated: 4 << 20, Depth: 32, Objects: 20_000, Pictures: 3,
		PictureBytes: 4 << 20,
	}
}

// FuzzRead checks that no file makes the reader panic or exceed its limits.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil {
		f.Fatal(err)
	}
	more, err := filepath.Glob("testdata/*/*.pdf")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files[:12:12], more...) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(withAttachment("/Names<</EmbeddedFiles 5 0 R>>/AF[6 0 R]", "factur-x.xml", "", invoiceXML))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := documents.NewBuilder(documents.PDF, tightLimits())
		err := pdf.Read(t.Context(), documents.FromBytes(data), b)
		if errors.Is(err, documents.ErrPanic) {
			t.Error(err)
		}
		d := b.Document()
		if len(d.Text()) > tightLimits().Text || !utf8.ValidString(d.Text()) {
			t.Errorf("%d bytes of text", len(d.Text()))
		}
	})
}
