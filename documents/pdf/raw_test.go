package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"
)

// raw builds a file from PDF syntax, so that a test controls every byte. Objects are numbered from 1. The
// first is the catalog, the second the page tree.
type raw struct{ objects []string }

func (r *raw) add(format string, args ...any) {
	r.objects = append(r.objects, fmt.Sprintf(format, args...))
}

func (r *raw) stream(dict, data string) {
	r.add("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func (r *raw) bytes() []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(r.objects))
	for i, o := range r.objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	return out.Bytes()
}

const (
	helvetica = "/F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	bold      = "/F2<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>"
)

// onePage returns a file with one page.
func onePage(content string) []byte {
	return pageWith(content, "/Font<<"+helvetica+bold+">>", "")
}

// pageWith returns a file with one page. more has the objects from number 5 on.
func pageWith(content, resources, entries string, more ...string) []byte {
	r := &raw{}
	r.add("<</Type/Catalog/Pages 2 0 R>>")
	r.add("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	r.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<%s>>%s>>", resources, entries)
	r.stream("", content)
	for _, o := range more {
		r.add("%s", o)
	}
	return r.bytes()
}

func stream(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func deflated(tb testing.TB, data string) string {
	tb.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write([]byte(data)); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

// at returns the content that shows a text at a position.
func at(x, y float64, text string) string {
	return fmt.Sprintf("BT /F1 10 Tf %g %g Td (%s) Tj ET\n", x, y, text)
}

// column returns the content that shows lines below each other.
func column(x, y float64, lines ...string) string {
	var out strings.Builder
	for i, l := range lines {
		out.WriteString(at(x, y-12*float64(i), l))
	}
	return out.String()
}
