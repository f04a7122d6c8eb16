package text_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"portside/documents"
	"portside/documents/text"
)

// try fuzzes a reader. It may return only documented errors, its offsets must be right, and a second read must give the
// same document.
func try(f *testing.F, read documents.Reader, more ...string) {
	f.Helper()
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if end := filepath.Ext(name); readers[end] == nil {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, data := range more {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := document(t, read, string(data))
		known := errors.Is(err, documents.ErrDamaged) || errors.Is(err, documents.ErrTooMuch) || errors.Is(err, documents.ErrEncrypted)
		if err != nil && !known || errors.Is(err, documents.ErrPanic) {
			t.Errorf("undocumented error: %v", err)
		}
		checkOffsets(t, first)
		if second, _ := document(t, read, string(data)); shown(first) != shown(second) {
			t.Error("reading it again gives another document")
		}
	})
}

func FuzzText(f *testing.F) {
	try(f, text.ReadText, "a  b\nc  d\n\n- x\n  y", "a\tb\n1\t2", "A\f\fB")
}
func FuzzMarkdown(f *testing.F) {
	try(f, text.ReadMarkdown, "[a](b) *c* `d` | e |\n---|---\n", "<div>\n\n<!--")
}
func FuzzHTML(f *testing.F) {
	try(f, text.ReadHTML, "<table><td><table><tr><th>", "<dl><dt>a<dd hidden>b", "<svg/><p")
}
func FuzzCSV(f *testing.F)  { try(f, text.ReadCSV, "a,\"b\"\"\nc", "sep=,\n", "'a';'b'\r\n") }
func FuzzJSON(f *testing.F) { try(f, text.ReadJSON, `{"a":[{"b":1},{"b":null}]}`, `[[1,{}],[]]`) }
func FuzzXML(f *testing.F) {
	try(f, text.ReadXML, `<a b="c">d<e/>f</a>`, "<a><b>1</b><b x='2'/></a>", ciiInvoice, ublInvoice)
}
func FuzzRTF(f *testing.F) {
	try(f, text.ReadRTF, `{\rtf1{\footnote a}\u-1?\bin3 x\cell\row}`, `{\rtf1{\*\x}{\fonttbl\f9\fcharset2}`)
}
func FuzzMail(f *testing.F) {
	try(f, text.ReadMail, "From: =?x?Q?=41?=\nContent-Type: multipart/mixed; boundary=a\n\n--a\n\n--a--", "From: a\n b\n\n=\n=41")
}
func FuzzCaptions(f *testing.F) {
	try(f, text.ReadCaptions, "WEBVTT\n\n0:1 --> 0:2\n<v A>b", "1\n1:00:00,0 --> 1:00:01,0\n")
}
