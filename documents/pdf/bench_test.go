package pdf_test

import (
	"os"
	"testing"

	"portside/documents"
	"portside/documents/pdf"
)

func BenchmarkRead(b *testing.B) {
	for _, file := range []string{
		"chrome-invoice-de", "office-invoice-de", "chrome-long-en", "office-long-pt", "fields/form", "scans/flate", "scans/fax", "locked/aes-256",
	} {
		data, err := os.ReadFile("testdata/" + file + ".pdf")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(file, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
				err := pdf.Read(b.Context(), documents.FromBytes(data), into)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
