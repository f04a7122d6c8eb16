package office_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"portside/documents"
)

// pack returns an archive; the arguments are pairs of a name and a content.
func pack(tb testing.TB, parts ...string) []byte {
	tb.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for i := 0; i+1 < len(parts); i += 2 {
		header := &zip.FileHeader{Name: parts[i], Method: zip.Deflate}
		if parts[i+1] == "" {
			header.Method = zip.Store // a compressor for each of 100,000 would take a minute
		}
		part, err := archive.CreateHeader(header)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := part.Write([]byte(parts[i+1])); err != nil {
			tb.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

const (
	wordNames = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"` +
		` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"` +
		` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// related returns the relationships of a part; the arguments are pairs of a kind and a target. The IDs are r1, r2 and
// so on.
func related(kindsAndTargets ...string) string {
	var out strings.Builder
	out.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i+1 < len(kindsAndTargets); i += 2 {
		fmt.Fprintf(&out, `<Relationship Id="r%d" Type="%s%s" Target="%s"/>`, i/2+1, kinds, kindsAndTargets[i], kindsAndTargets[i+1])
	}
	out.WriteString(`</Relationships>`)
	return out.String()
}

// word returns a document with a body and other parts.
func word(tb testing.TB, body string, others ...string) []byte {
	tb.Helper()
	return pack(tb, append([]string{
		"_rels/.rels", related("officeDocument", "word/document.xml"),
		"word/document.xml", `<w:document` + wordNames + `><w:body>` + body + `</w:body></w:document>`,
	}, others...)...)
}

// workbook returns a workbook with the rows of one sheet and other parts.
func workbook(tb testing.TB, rows string, others ...string) []byte {
	tb.Helper()
	return pack(tb, append([]string{
		"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", related("worksheet", "worksheets/sheet1.xml", "styles", "styles.xml", "sharedStrings", "sharedStrings.xml"),
		"xl/worksheets/sheet1.xml", `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
	}, others...)...)
}

const odfNames = ` xmlns:office="o" xmlns:text="t" xmlns:table="tb" xmlns:draw="d" xmlns:style="s" xmlns:svg="sv" xmlns:fo="f"` +
	` xmlns:presentation="p" xmlns:xlink="x"`

// open returns an OpenDocument file. The kind of the body is text, spreadsheet or presentation.
func open(tb testing.TB, kind, body string, others ...string) []byte {
	tb.Helper()
	return pack(tb, append([]string{"content.xml", `<office:document-content` + odfNames + `><office:body><office:` + kind + `>` + body +
		`</office:` + kind + `></office:body></office:document-content>`}, others...)...)
}

const container = `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`

// epub returns a book with the body of one chapter and other parts.
func epub(tb testing.TB, body string, others ...string) []byte {
	tb.Helper()
	return pack(tb, append([]string{
		"META-INF/container.xml", container,
		"OEBPS/book.opf", `<package><metadata xmlns:dc="dc"><dc:title>A book</dc:title></metadata><manifest>` +
			`<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>` +
			`<item id="c" href="chapter%201.xhtml" media-type="application/xhtml+xml"/></manifest>` +
			`<spine><itemref idref="n"/><itemref idref="c"/></spine></package>`,
		"OEBPS/nav.xhtml", `<html><body><p>left out</p></body></html>`,
		"OEBPS/chapter 1.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>` + body + `</body></html>`,
	}, others...)...)
}

// lines returns the blocks of a document in a short form, one on each line: page, kind with level, and text. Header
// cells have a star.
func lines(d *documents.Document) string {
	var out strings.Builder
	for _, b := range d.Blocks {
		text := strings.ReplaceAll(b.Text, "\n", "/")
		switch b.Kind {
		case documents.Heading:
			fmt.Fprintf(&out, "%d H%d %s\n", b.Page, b.Level, text)
		case documents.ListItem:
			fmt.Fprintf(&out, "%d L%d %s\n", b.Page, b.Level, text)
		case documents.Row:
			fmt.Fprintf(&out, "%d T%d %s\n", b.Page, b.Table, cells(b))
		default:
			fmt.Fprintf(&out, "%d P %s\n", b.Page, text)
		}
	}
	return out.String()
}

func cells(b documents.Block) string {
	texts := make([]string, len(b.Cells))
	for i, c := range b.Cells {
		texts[i] = fmt.Sprintf("%d:%s", c.Column, c.Text)
		if c.Header {
			texts[i] += "*"
		}
	}
	return strings.Join(texts, " ")
}

// step is a small document and the blocks that the reader returns.
type step struct {
	name     string
	data     []byte
	want     string // as lines writes it, less the indentation
	warnings string // joined
}

func run(t *testing.T, extension string, steps []step) {
	t.Helper()
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			d, err := parse(t, extension, s.data)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := lines(d), dedent(s.want); got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
			if got := strings.Join(d.Warnings, " "); got != s.warnings {
				t.Errorf("warnings: %q, not %q", got, s.warnings)
			}
		})
	}
}

func dedent(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
