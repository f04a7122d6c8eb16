package office_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/heaptest"
)

// A few kilobytes must not become gigabytes of text: neither a text that cells share, nor texts that a row, a title or
// a paragraph gathers.
func TestRepeatedTextIsBounded(t *testing.T) {
	const maxGrowth, text = 20 << 20, 1 << 18
	type file struct {
		extension string
		data      []byte
		want      error
	}
	long := strings.Repeat(strings.Repeat("x", text)+"<!-- -->", 120)
	sheet := func(content string) []byte {
		return open(t, "spreadsheet", "<table><table-row>"+content+"</table-row></table>")
	}
	shared := func(of string) string { return "<sst><si><t>" + of + "</t></si></sst>" }
	cells := func(count int) string { return "<row>" + strings.Repeat(`<c t="s"><v>0</v></c>`, count) + "</row>" }
	drawn := func(chart string) []byte {
		return deck(t, slide("", `<p:graphicFrame><c:chart r:id="r1"/></p:graphicFrame>`), slide("", ""), "ppt/slides/_rels/slide2.xml.rels",
			related("chart", "../charts/chart1.xml"), "ppt/charts/chart1.xml", `<c:chartSpace xmlns:c="c">`+chart+`</c:chartSpace>`)
	}
	for name, f := range map[string]file{
		"a text that cells share": {".xlsx", workbook(t, cells(10_000), "xl/sharedStrings.xml", shared(strings.Repeat("x ", 40_000))),
			documents.ErrTooMuch},
		"a text of spaces that cells share": {".xlsx", workbook(t, strings.Repeat(cells(100), 40),
			"xl/sharedStrings.xml", shared("x"+strings.Repeat(" ", 60_000)+"x")), nil},
		"a long text that could be shared": {".xlsx", workbook(t, cells(1), "xl/sharedStrings.xml", shared(long)), documents.ErrTooMuch},
		"a long value":                     {".xlsx", workbook(t, `<row><c t="str"><v>`+long+`</v></c></row>`), documents.ErrTooMuch},
		"a long title":                     {".odt", open(t, "text", "", "meta.xml", `<m><title>`+long+`</title></m>`), documents.ErrTooMuch},
		"repeated cells": {".ods", sheet(strings.Repeat(`<table-cell number-columns-repeated="256"><p>x</p></table-cell>`, 1<<14)),
			documents.ErrTooMuch},
		"repeated words": {".ods", sheet(strings.Repeat(`<table-cell number-columns-repeated="256"><p>`+strings.Repeat("x", 256)+
			`</p></table-cell>`, 1<<13)), documents.ErrTooMuch},
		"a row of Word": {".docx", word(t, `<w:tbl><w:tr>`+strings.Repeat(`<w:tc>`+r(`<w:t>`+strings.Repeat("x", text)+`</w:t>`)+`</w:tc>`, 120)+
			`</w:tr></w:tbl>`), documents.ErrTooMuch},
		"a run of Word":   {".docx", word(t, r(`<w:t>`+long+`</w:t>`)), documents.ErrTooMuch},
		"a paragraph":     {".odt", open(t, "text", `<text:p>`+long+`</text:p>`), documents.ErrTooMuch},
		"a text of a box": {".pptx", deck(t, slide("", sp("", 0, 0, ap(">", long))), slide("", "")), documents.ErrTooMuch},
		"a row of a slide": {".pptx", deck(t, slide("", `<p:graphicFrame><a:tbl><a:tr>`+strings.Repeat(`<a:tc><a:txBody><a:p><a:r><a:t>`+
			strings.Repeat("x", text)+`</a:t></a:r></a:p></a:txBody></a:tc>`, 120)+`</a:tr></a:tbl></p:graphicFrame>`), slide("", "")),
			documents.ErrTooMuch},
		"a row of a book": {".epub", epub(t, `<table><tr>`+strings.Repeat(`<td>`+strings.Repeat("x", text)+`</td>`, 120)+`</tr></table>`),
			documents.ErrTooMuch},
		"series without values": {".pptx", drawn(strings.Repeat(`<c:ser/>`, 500_000)), documents.ErrTooMuch},
		"values of a chart":     {".pptx", drawn(`<c:ser><c:val><c:pt idx="1">` + long + `</c:pt></c:val></c:ser>`), documents.ErrTooMuch},
	} {
		t.Run(name, func(t *testing.T) {
			limits := documents.DefaultLimits()
			limits.Text, limits.Blocks = text, limits.Blocks/2
			var err error
			grown := heaptest.Peak(maxGrowth, func() {
				err = readers[f.extension].read(t.Context(), source(f.data), documents.NewBuilder("", limits))
			})
			if !errors.Is(err, f.want) {
				t.Errorf("it ends with %v", err)
			}
			if grown > maxGrowth {
				t.Errorf("it took %d MB", grown>>20)
			}
		})
	}
}

// Paragraphs with deleted ends form one paragraph. Its text must not be copied for each of them.
func TestJoinedParagraphsAreNotCopied(t *testing.T) {
	const count, size, maxTaken = 2_000, 1 << 20, 256 << 20
	joined := func(content string) string { return `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>` + content + `</w:p>` }
	file := word(t, joined(`<w:r><w:t>`+strings.Repeat("x", size)+`</w:t></w:r>`)+strings.Repeat(joined(""), count)+r(`<w:t>y</w:t>`))
	into := documents.NewBuilder(documents.DOCX, documents.DefaultLimits())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := readers[".docx"].read(t.Context(), source(file), into)
	runtime.ReadMemStats(&after)
	if d := into.Document(); err != nil || len(d.Blocks) != 1 || len(d.Text()) != size+1 {
		t.Errorf("%d blocks of %d bytes: %v", len(d.Blocks), len(d.Text()), err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > maxTaken {
		t.Errorf("it took %d MB", taken>>20)
	}
}
