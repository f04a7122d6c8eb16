package office_test

import (
	"fmt"
	"testing"
)

const drawingNames = ` xmlns:p="p" xmlns:a="a" xmlns:r="r" xmlns:c="c" xmlns:dgm="dgm" xmlns:mc="mc"`

// sp returns a shape of a slide.
func sp(holder string, x, y int, paragraphs string) string {
	at := ""
	if x >= 0 {
		at = fmt.Sprintf(`<a:xfrm><a:off x="%d" y="%d"/></a:xfrm>`, x, y)
	}
	return `<p:sp><p:nvSpPr><p:nvPr>` + holder + `</p:nvPr></p:nvSpPr><p:spPr>` + at + `</p:spPr>` +
		`<p:txBody>` + paragraphs + `</p:txBody></p:sp>`
}

func ap(properties, text string) string {
	return `<a:p><a:pPr ` + properties + `</a:pPr><a:r><a:t>` + text + `</a:t></a:r></a:p>`
}

func slide(attributes, shapes string) string {
	return `<p:sld` + drawingNames + attributes + `><p:cSld><p:spTree><p:grpSpPr/>` + shapes + `</p:spTree></p:cSld></p:sld>`
}

// deck returns a presentation that shows its second slide file first.
func deck(t *testing.T, first, second string, others ...string) []byte {
	t.Helper()
	return pack(t, append([]string{
		"ppt/presentation.xml", `<p:presentation` + drawingNames + `><p:sldIdLst><p:sldId id="256" r:id="r2"/>` +
			`<p:sldId id="257" r:id="r1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", related("slide", "slides/slide1.xml", "slide", "slides/slide2.xml"),
		"ppt/slides/slide1.xml", second, "ppt/slides/slide2.xml", first,
	}, others...)...)
}

const deckChart = `<c:chartSpace` + drawingNames + `><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sold</a:t></a:r></a:p></c:rich>` +
	`</c:tx></c:title><c:plotArea><c:barChart><c:ser>` +
	`<c:tx><c:strRef><c:f>S!A1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>Cups</c:v></c:pt></c:strCache></c:strRef></c:tx>` +
	`<c:cat><c:numRef><c:numCache><c:formatCode>yyyy\-mm\-dd</c:formatCode><c:pt idx="0"><c:v>46000</c:v></c:pt><c:pt idx="1">` +
	`<c:v>46001</c:v></c:pt></c:numCache></c:numRef></c:cat>` +
	`<c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>3</c:v></c:pt><c:pt idx="1"><c:v>4.5</c:v></c:pt></c:numCache></c:numRef>` +
	`</c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`

const deckDiagram = `<dgm:dataModel` + drawingNames + `><dgm:ptLst><dgm:pt type="doc"><dgm:t><a:p><a:r><a:t>no</a:t></a:r></a:p>` +
	`</dgm:t></dgm:pt>` +
	`<dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt type="node"><dgm:t><a:p><a:r><a:t>Do</a:t>` +
	`</a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`

func TestSlides(t *testing.T) {
	const title, body, inch = `<p:ph type="title"/>`, `<p:ph idx="1"/>`, 914400
	layout := []string{
		"ppt/slides/_rels/slide2.xml.rels",
		related("slideLayout", "../slideLayouts/l.xml", "chart", "../charts/c.xml", "diagramData", "../d.xml"),
		"ppt/slideLayouts/l.xml", slide("", sp(title, 0, 5*inch, "")+sp(body, 0, 3*inch, "")),
	}
	run(t, ".pptx", []step{
		{name: "order of slides and shapes", data: deck(t,
			slide("", sp("", 5*inch, inch+9, ap("/><a:pPr>", "right"))+sp("", 0, 4*inch, ap("/><a:pPr>", "below"))+
				sp("", inch, inch+inch/10, ap("/><a:pPr>", "left"))+
				sp(body, -1, 0, ap(`lvl="1">`, "item")+ap(`><a:buNone/>`, "text"))+sp(title, -1, 0, ap(">", "The")+ap(">", "title"))),
			slide("", sp("", 0, 0, ap(`><a:buAutoNum type="alphaLcParenR" startAt="2"/>`, "x")+ap(`>`+
				`<a:buAutoNum type="alphaLcParenR" startAt="2"/>`, "y"))), layout...),
			want: `
			1 H1 The title
			1 P left
			1 P right
			1 L1 item
			1 P text
			1 P below
			2 L0 b) x
			2 L0 c) y`},
		{name: "hidden, footers, notes", data: deck(t, slide(` show="0"`, sp("", 0, 0, ap(">", "no"))),
			slide("", sp(`<p:ph type="ftr"/>`, 0, 0, ap(">", "Acme"))+sp(`<p:ph type="sldNum"/>`, 0, 0, ap(">", "7"))+sp("", 0, 9, ap(">", "said"))),
			"ppt/slides/_rels/slide1.xml.rels", related("notesSlide", "../n.xml"),
			"ppt/n.xml", slide("", sp(`<p:ph type="sldImg"/>`, 0, 0, ap(">", "no"))+sp(`<p:ph type="body" idx="1"/>`, 0, 0, ap(">", "noted")))),
			want: `
			1 P said
			1 P Acme
			1 P noted`, warnings: "Hidden slides were left out."},
		{name: "groups, tables, charts, diagrams", data: deck(t, slide("", `<p:graphicFrame><p:xfrm><a:off x="0" y="9000000"/>`+
			`</p:xfrm><a:graphic><a:graphicData><c:chart r:id="r2"/></a:graphicData></a:graphic></p:graphicFrame>`+
			`<p:graphicFrame><p:xfrm><a:off x="0" y="7000000"/></p:xfrm><a:graphic><a:graphicData><dgm:relIds r:dm="r3"/>`+
			`</a:graphicData></a:graphic></p:graphicFrame>`+
			`<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="5000000"/></a:xfrm>`+
			`</p:grpSpPr>`+sp("", 0, 900000, ap(">", "two"))+sp("", 0, 1, ap(">", "one"))+`</p:grpSp>`+
			`<p:graphicFrame><p:xfrm><a:off x="0" y="1"/></p:xfrm><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/><a:tr><a:tc>`+
			`<a:txBody>`+ap(">", "h")+`</a:txBody></a:tc></a:tr>`+
			`<a:tr><a:tc><a:txBody>`+ap(">", "v")+`</a:txBody></a:tc><a:tc><a:txBody>`+ap(">", "w")+`</a:txBody></a:tc></a:tr></a:tbl>`+
			`</a:graphicData></a:graphic></p:graphicFrame>`),
			slide("", ""), append(layout, "ppt/charts/c.xml", deckChart, "ppt/d.xml", deckDiagram)...),
			want: `
			1 T2 0:h*
			1 T2 0:v 1:w
			1 P one
			1 P two
			1 L0 Plan
			1 L0 Do
			1 P Sold
			1 T1 1:Cups*
			1 T1 0:2025-12-09 1:3
			1 T1 0:2025-12-10 1:4.5`},
	})
}

func TestOpenDocumentSlides(t *testing.T) {
	frame := func(class, x, y, inner string) string {
		return `<draw:frame presentation:class="` + class + `" svg:x="` + x + `" svg:y="` + y + `">` + inner + `</draw:frame>`
	}
	box := func(inner string) string { return `<draw:text-box>` + inner + `</draw:text-box>` }
	chart := `<office:document-content` + odfNames + `><office:body><office:chart><c:chart xmlns:c="c"><c:title>` +
		`<text:p>Sold</text:p></c:title><table:table><table:table-header-rows><table:table-row><table:table-cell/>` +
		`<table:table-cell><text:p>Cups</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row>` +
		`<table:table-cell><text:p>May</text:p></table:table-cell>` +
		`<table:table-cell office:value-type="float" office:value="3.5"><text:p>3,5</text:p></table:table-cell></table:table-row>` +
		`</table:table></c:chart></office:chart></office:body></office:document-content>`
	run(t, ".odp", []step{{name: "slides", data: open(t, "presentation",
		`<draw:page draw:style-name="h">`+frame("title", "0cm", "0cm", box(`<text:p>no</text:p>`))+`</draw:page><draw:page>`+
			frame("", "1cm", "9cm", `<draw:object xlink:href="./Object 1"/>`)+`<draw:g><draw:custom-shape svg:x="1in" svg:y="3in">`+
			`<svg:title>no</svg:title><text:p>shape</text:p></draw:custom-shape></draw:g>`+
			frame("outline", "1cm", "20mm", box(`<text:list><text:list-item><text:p>a</text:p><text:list><text:list-item>`+
				`<text:p>b</text:p></text:list-item></text:list></text:list-item></text:list>`))+
			frame("title", "1cm", "90pt", box(`<text:p>Top</text:p>`+
				`<text:p>line</text:p>`))+frame("page-number", "0cm", "0cm", box(`<text:p>7</text:p>`))+
			`<presentation:notes>`+frame("notes", "0cm", "0cm", box(`<text:p>noted</text:p>`))+`</presentation:notes>`+
			`</draw:page>`, "Object 1/content.xml", chart, "styles.xml", `<style:style style:name="h" style:family="drawing-page">`+
			`<style:drawing-page-properties presentation:visibility="hidden"/></style:style>`),
		want: `
			1 H1 Top line
			1 L0 a
			1 L1 b
			1 P shape
			1 P Sold
			1 T1 1:Cups*
			1 T1 0:May 1:3.5
			1 P noted`, warnings: "Hidden slides were left out."}})
}
