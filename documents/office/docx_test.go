package office_test

import "testing"

const wordStyles = `<w:styles` + wordNames + `>
	<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
	<w:style w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
	<w:style w:styleId="Gliederung"><w:name w:val="Gliederung"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
	<w:style w:styleId="Fliess"><w:name w:val="Fliess"/><w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
	<w:style w:styleId="Kreis"><w:name w:val="Kreis"/><w:basedOn w:val="Kreis2"/></w:style>
	<w:style w:styleId="Kreis2"><w:name w:val="Kreis2"/><w:basedOn w:val="Kreis"/></w:style>
	<w:style w:styleId="Artikel"><w:name w:val="Artikel"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
</w:styles>`

const wordNumbering = `<w:numbering` + wordNames + `><w:abstractNum w:abstractNumId="0">
	<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="Art. %1"/></w:lvl>
	<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/><w:pStyle w:val="Artikel"/></w:lvl>
	<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>
	<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
	<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride></w:num>
</w:numbering>`

func p(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func item(number, level, text string) string {
	return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + number + `"/></w:numPr></w:pPr><w:r><w:t>` +
		text + `</w:t></w:r></w:p>`
}

// tc returns a cell with properties.
func tc(properties, text string) string {
	return `<w:tc><w:tcPr>` + properties + `</w:tcPr><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:tc>`
}

func r(content string) string { return `<w:p><w:r>` + content + `</w:r></w:p>` }

func TestWordRolesOfParagraphs(t *testing.T) {
	parts := []string{
		"word/_rels/document.xml.rels", related("styles", "styles.xml", "numbering", "/word/numbering.xml"),
		"word/styles.xml", wordStyles, "word/numbering.xml", wordNumbering,
	}
	run(t, ".docx", []step{
		{name: "styles", data: word(t, p("berschrift1", "Eins")+p("Kapitel", "Zwei")+p("Gliederung", "Drei")+p("Fliess", "Vier")+
			p("Kreis", "Fünf")+p("fehlt", "Sechs"), parts...), want: `
			1 H1 Eins
			1 H1 Zwei
			1 H3 Drei
			1 P Vier
			1 P Fünf
			1 P Sechs`},
		{name: "own outline level", data: word(t, `<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>`), want: `
			1 H2 a`},
		{name: "numbering", data: word(t, item("1", "0", "a")+item("1", "1", "b")+item("1", "1", "c")+item("1", "2", "d")+
			item("1", "0", "e")+p("Artikel", "f")+item("2", "0", "g")+item("0", "0", "h")+item("7", "0", "i"), parts...), want: `
			1 L0 Art. III a
			1 L1 III.1 b
			1 L1 III.2 c
			1 L2 d
			1 L0 Art. IV e
			1 L1 IV.1 f
			1 L0 Art. IX g
			1 P h
			1 L0 i`},
	})
}

func TestWordInlineContent(t *testing.T) {
	run(t, ".docx", []step{
		{name: "signs", data: word(t, r(`<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/>`+
			`<w:t>e</w:t><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Symbol" w:char="F06D"/>`+
			`<w:sym w:font="Wingdings" w:char="F031"/>`)),
			want: `1 P a b/c-de✓μ`},
		{name: "changes", data: word(t, `<w:p><w:ins><w:r><w:t>new </w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>`+
			`<w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t>come</w:t></w:r></w:moveTo></w:p>`),
			want: `1 P new come`},
		{name: "deleted end", data: word(t, `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>one </w:t></w:r></w:p>`+r(`<w:t>two</w:t>`)),
			want: `1 P one two`},
		{name: "field", data: word(t, r(`<w:fldChar w:fldCharType="begin"/><w:instrText>DATE \@ x</w:instrText>`+
			`<w:fldChar w:fldCharType="separate"/><w:t>7 May</w:t><w:fldChar w:fldCharType="end"/>`)+
			`<w:p><w:fldSimple w:instr="PAGE"><w:r><w:t>12 a</w:t></w:r></w:fldSimple></w:p>`), want: `
			1 P 7 May
			1 P 12 a`},
		{name: "wrappers", data: word(t, `<w:sdt><w:sdtPr><w:alias w:val="x"/></w:sdtPr><w:sdtContent><w:p><w:hyperlink r:id="r9">`+
			`<w:r><w:t>a</w:t></w:r>`+
			`</w:hyperlink><w:smartTag><w:r><w:t>b</w:t></w:r></w:smartTag><w:sdt><w:sdtContent><w:r><w:t>c</w:t></w:r></w:sdtContent>`+
			`</w:sdt></w:p>`+
			`</w:sdtContent></w:sdt>`), want: `1 P abc`},
		{name: "hidden", data: word(t, `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/>`+
			`</w:rPr><w:t>yes</w:t></w:r></w:p>`),
			want: `1 P yes`},
		{name: "text box once", data: word(t, r(`<w:t>before</w:t><mc:AlternateContent><mc:Choice><w:drawing>`+
			`<w:txbxContent>`+r(`<w:t>box</w:t>`)+
			`</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>`+r(`<w:t>box</w:t>`)+
			`</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent><w:t> after</w:t>`)), want: `
			1 P before after
			1 P box`},
		{name: "fallback alone", data: word(t, r(`<mc:AlternateContent><mc:Choice><w:drawing/></mc:Choice><mc:Fallback>`+
			`<w:t>words</w:t></mc:Fallback></mc:AlternateContent>`)),
			want: `1 P words`},
		{name: "check boxes", data: word(t, r(`<w:fldChar><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>`+
			`</w:ffData></w:fldChar><w:t>paid</w:t>`)),
			want: `1 P ☒ paid`},
	})
}

func TestWordPages(t *testing.T) {
	const rendered, forced = `<w:lastRenderedPageBreak/>`, `<w:br w:type="page"/>`
	run(t, ".docx", []step{
		{name: "a forced break is noted again", data: word(t, r(`<w:t>a</w:t>`)+r(forced)+r(rendered+`<w:t>b</w:t>`)+r(`<w:t>c</w:t>`+rendered+`<w:t>d</w:t>`)+r(`<w:t>e</w:t>`)),
			want: `
			1 P a
			2 P b
			2 P cd
			3 P e`},
		{name: "sections", data: word(t, `<w:p><w:pPr><w:sectPr/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>`+
			`<w:p><w:pPr><w:sectPr><w:type w:val="continuous"/></w:sectPr></w:pPr><w:r><w:t>b</w:t></w:r></w:p>`+
			`<w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:t>c</w:t></w:r></w:p>`), want: `
			1 P a
			2 P b
			3 P c`},
	})
}

func TestWordTables(t *testing.T) {
	nested := `<w:tbl><w:tr>` + tc("", "n1") + tc("", "n2") + `</w:tr></w:tbl>`
	run(t, ".docx", []step{
		{name: "spans", data: word(t, `<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>`+tc(`<w:gridSpan w:val="2"/>`, "a")+tc("", "b")+`</w:tr>`+
			`<w:tr>`+tc(`<w:vMerge w:val="restart"/>`, "c")+tc("", "d")+tc("", "e")+`</w:tr>`+
			`<w:tr>`+tc(`<w:vMerge/>`, "")+tc("", "f")+tc("", "")+`</w:tr></w:tbl>`),
			want: `
			1 T1 0:a* 2:b*
			1 T1 0:c 1:d 2:e
			1 T1 1:f`},
		{name: "deleted row", data: word(t, `<w:tbl><w:tr><w:trPr><w:del/></w:trPr>`+tc("", "a")+`</w:tr>`+
			`<w:tr>`+tc("", "b")+tc("", "c")+`</w:tr></w:tbl>`),
			want: `1 T1 0:b 1:c`},
		{name: "header by types", data: word(t, `<w:tbl><w:tr>`+tc("", "Item")+tc("", "Qty")+tc("", "Price")+`</w:tr>`+
			`<w:tr>`+tc("", "Nail")+tc("", "3")+tc("", "1,50 €")+`</w:tr></w:tbl>`),
			want: `
			1 T1 0:Item* 1:Qty* 2:Price*
			1 T1 0:Nail 1:3 2:1,50 €`},
		{name: "names and values have no header", data: word(t, `<w:tbl><w:tr>`+tc("", "Customer")+tc("", "Ann")+`</w:tr>`+
			`<w:tr>`+tc("", "Total")+tc("", "12")+`</w:tr></w:tbl>`),
			want: `
			1 T1 0:Customer 1:Ann
			1 T1 0:Total 1:12`},
		{name: "nested", data: word(t, `<w:tbl><w:tr>`+tc("", "a")+`<w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p>`+nested+`</w:tc>`+
			`</w:tr><w:tr>`+tc("", "c")+tc("", "d")+`</w:tr></w:tbl>`),
			want: `
			1 T1 0:a 1:b
			1 T2 0:n1 1:n2
			1 T3 0:c 1:d`},
		{name: "a frame is no table", data: word(t, `<w:tbl><w:tr><w:tc>`+r(`<w:t>a</w:t>`)+r(`<w:t>b</w:t>`)+`</w:tc></w:tr></w:tbl>`), want: `
			1 P a
			1 P b`},
	})
}

func TestWordPartsAroundTheBody(t *testing.T) {
	header := func(text string) string { return `<w:hdr` + wordNames + `>` + r(`<w:t>`+text+`</w:t>`) + `</w:hdr>` }
	data := word(t, r(`<w:t>body</w:t><w:footnoteReference w:id="2"/>`),
		"word/_rels/document.xml.rels", related("header", "h1.xml", "header", "h2.xml", "footer", "f1.xml",
			"footnotes", "n.xml", "comments", "c.xml"),
		"word/h1.xml", header("Acme"), "word/h2.xml", header("Acme"), "word/f1.xml", header("17"),
		"word/n.xml", `<w:footnotes`+wordNames+`><w:footnote w:type="separator" w:id="0">`+r(`<w:t>line</w:t>`)+`</w:footnote>`+
			`<w:footnote w:id="2">`+
			r(`<w:t>note</w:t>`)+`</w:footnote></w:footnotes>`,
		"word/c.xml", `<w:comments`+wordNames+`>`+r(`<w:t>comment</w:t>`)+`</w:comments>`)
	run(t, ".docx", []step{{name: "headers once", data: data, want: `
		1 P Acme
		1 P body
		1 P note`}})
}
