package office_test

import (
	"strings"
	"testing"
)

// importing returns a document that imports one part between two paragraphs.
func importing(t *testing.T, name, content string) []byte {
	t.Helper()
	return word(t, r("<w:t>before</w:t>")+`<w:altChunk r:id="r1"/>`+r("<w:t>after</w:t>"),
		"word/_rels/document.xml.rels", related("aFChunk", name), "word/"+name, content)
}

func TestImportedParts(t *testing.T) {
	const mht = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html; charset=utf-8\n\n" +
		"<html><body><p>Rent of the archive</p></body></html>\n--x--\n"
	const page = "<html><head><title>no</title></head><body><h1>Lease</h1><p>Rent: 950 EUR</p></body></html>"
	const leftOut = "A part of the file is missing or damaged, and was left out."
	long := "<html><!--" + strings.Repeat(" ", 20<<20) + "--><p>Rent</p></html>" // two of it are too much for one document
	imported := `<w:altChunk r:id="r1"/>`
	nested := string(word(t, p("x", "Rent of the other")+`<w:altChunk r:id="r1"/>`,
		"word/_rels/document.xml.rels", related("aFChunk", "c.docx"), "word/c.docx", string(word(t, p("x", "too deep")))))
	run(t, ".docx", []step{
		{name: "HTML", data: importing(t, "a.htm", page), want: `
			1 P before
			1 H1 Lease
			1 P Rent: 950 EUR
			1 P after`},
		{name: "RTF", data: importing(t, "a.rtf", `{\rtf1 Rent\par}`), want: `
			1 P before
			1 P Rent
			1 P after`},
		{name: "web archive", data: importing(t, "a.mht", strings.ReplaceAll(mht, "\n", "\r\n")), want: `
			1 P before
			1 P Rent of the archive
			1 P after`},
		{name: "plain text", data: importing(t, "a.txt", "Rent of the text"), want: `
			1 P before
			1 P Rent of the text
			1 P after`},
		{name: "blank text", data: importing(t, "a.txt", " "), want: `
			1 P before
			1 P after`},
		{name: "Word in Word", data: importing(t, "b.docx", nested), want: `
			1 P before
			1 P Rent of the other
			1 P after`, warnings: leftOut},
		{name: "much work for a small file", data: word(t, strings.Repeat(imported, 5)+r("<w:t>after</w:t>"),
			"word/_rels/document.xml.rels", related("aFChunk", "a.htm"), "word/a.htm", long), want: `
			1 P Rent
			1 P after`, warnings: leftOut},
		{name: "missing", data: word(t, r("<w:t>before</w:t>")+`<w:altChunk r:id="r9"/>`), want: `
			1 P before`, warnings: leftOut},
	})
}
