// Package papers makes the documents that benchmarks read: reports, and invoices with or without a scan. Each is the
// same in every run.
package papers

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// pdfFile is a PDF file that grows object by object. The numbers of the objects start at 1.
type pdfFile struct {
	out     bytes.Buffer
	offsets []int
}

// Print prints the lines of each page in Helvetica. The optional scan is a square of gray pixels
// on the first page.
func Print(pages [][]string, scan []byte) []byte {
	const firstPage = 5 // followed by its content
	var file pdfFile
	file.out.WriteString("%PDF-1.7\n")
	file.object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, " %d 0 R", firstPage+2*i)
	}
	file.object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s ] >>", len(pages), kids.String()))
	file.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	file.scan(scan)
	for i, lines := range pages {
		file.object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "+
			"/Resources << /Font << /F1 3 0 R >> /XObject << /Scan 4 0 R >> >> >>", firstPage+2*i+1))
		file.stream("/Filter /FlateDecode", compressed(content(lines, i == 0 && scan != nil)))
	}
	return file.end()
}

func (f *pdfFile) object(text string) {
	f.offsets = append(f.offsets, f.out.Len())
	fmt.Fprintf(&f.out, "%d 0 obj\n%s\nendobj\n", len(f.offsets), text)
}

func (f *pdfFile) scan(pixels []byte) {
	if pixels == nil {
		f.object("null")
		return
	}
	side := int(math.Sqrt(float64(len(pixels))))
	f.stream(fmt.Sprintf("/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8 /Width %d /Height %[1]d", side), pixels)
}

func (f *pdfFile) stream(entries string, content []byte) {
	f.offsets = append(f.offsets, f.out.Len())
	fmt.Fprintf(&f.out, "%d 0 obj\n<< /Length %d %s >>\nstream\n%s\nendstream\nendobj\n",
		len(f.offsets), len(content), entries, content)
}

// end writes the cross-reference table.
func (f *pdfFile) end() []byte {
	at := f.out.Len()
	fmt.Fprintf(&f.out, "xref\n0 %d\n0000000000 65535 f \n", len(f.offsets)+1)
	for _, offset := range f.offsets {
		fmt.Fprintf(&f.out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&f.out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets)+1, at)
	return f.out.Bytes()
}

// content returns the drawing operators of the lines, which must not contain parentheses.
func content(lines []string, scanned bool) []byte {
	var text bytes.Buffer
	if scanned {
		text.WriteString("q 200 0 0 200 60 60 cm /Scan Do Q\n")
	}
	text.WriteString("BT /F1 10 Tf 14 TL 60 780 Td\n")
	for _, line := range lines {
		fmt.Fprintf(&text, "(%s) Tj T*\n", line)
	}
	text.WriteString("ET\n")
	return text.Bytes()
}

func compressed(content []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, err := w.Write(content)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err) // writing to memory cannot fail
	}
	return out.Bytes()
}

// Invoice returns an invoice with the three values.
func Invoice(id string, scan []byte) []byte {
	return Print([][]string{{
		"Harbour Paper Ltd.", "", "INVOICE", "", "Invoice number: " + id, "Invoice date: 3 March 2026", "Due date: 2 April 2026", "",
		"Paper, 40 boxes: 1,080.00 EUR", "Tax, 21 %: 226.80 EUR", "Total amount to pay: 1,306.80 EUR",
	}}, scan)
}

// Noise returns bytes that cannot be compressed.
func Noise(size int) []byte {
	random, out := rand.New(rand.NewPCG(7, 8)), make([]byte, size) //nolint:gosec // the same in every run
	for i := range out {
		out[i] = byte(random.Uint32()) //nolint:gosec // the lowest byte of random bits
	}
	return out
}
