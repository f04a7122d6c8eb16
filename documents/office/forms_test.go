package office_test

import (
	"fmt"
	"strings"
	"testing"
)

// sdt returns a content control with properties and content.
func sdt(properties, content string) string {
	return `<w:sdt><w:sdtPr>` + properties + `</w:sdtPr><w:sdtContent>` + content + `</w:sdtContent></w:sdt>`
}

// run1 returns one run of text.
func run1(text string) string { return `<w:r><w:t>` + text + `</w:t></w:r>` }

// field returns a legacy form field.
func field(kind, data, result string) string {
	return `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>` + data + `</w:ffData></w:fldChar></w:r><w:r><w:instrText> ` + kind +
		` </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` + result + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
}

func TestWordForms(t *testing.T) {
	const prompt = `<w:showingPlcHdr/>`
	box := func(checked string) string {
		return `<w14:checkbox xmlns:w14="x"><w14:checked w14:val="` + checked + `"/><w14:checkedState w14:val="2612"/></w14:checkbox>`
	}
	choices := `<w:ddList><w:result w:val="%d"/><w:listEntry w:val="Red"/><w:listEntry w:val="Blue"/></w:ddList>`
	run(t, ".docx", []step{
		{name: "text", data: word(t, `<w:p>`+run1("Name: ")+sdt(`<w:text/>`, run1("Anna Berg"))+`</w:p>`), want: `1 P Name: Anna Berg`},
		{name: "nothing filled in", data: word(t, `<w:p>`+run1("Name: ")+sdt(prompt, run1("Click here to enter text."))+`</w:p>`+
			sdt(prompt, r(`<w:t>Click here</w:t>`))+r(`<w:t>after</w:t>`)), want: `
			1 P Name:
			1 P after`},
		{name: "prompt no more", data: word(t, sdt(`<w:showingPlcHdr w:val="0"/>`, r(`<w:t>said</w:t>`))), want: `1 P said`},
		{name: "choice and date", data: word(t, `<w:p>`+sdt(`<w:dropDownList><w:listItem w:displayText="No" w:value="1"/>`+
			`<w:listItem w:displayText="Yes" w:value="2"/></w:dropDownList>`, run1("Yes"))+run1(", ")+
			sdt(`<w:date w:fullDate="2026-05-07T00:00:00Z"/>`, run1("7 May 2026"))+`</w:p>`), want: `1 P Yes, 7 May 2026`},
		{name: "boxes", data: word(t, `<w:p>`+sdt(box("1"), run1("☒"))+run1(" yes ")+sdt(box("0"), `<w:r><w:sym w:font="Wingdings" w:char="F0A8"/>`+
			`</w:r>`)+run1(" no ")+sdt(box("1"), "")+run1(" bare ")+sdt(box("0"), "")+`</w:p>`), want: `1 P ☒ yes ☐ no ☒ bare ☐`},
		{name: "controls around cells and rows", data: word(t, `<w:tbl>`+sdt(``, `<w:tr>`+tc("", "a")+sdt(``, tc("", "b"))+`</w:tr>`)+`</w:tbl>`),
			want: `1 T1 0:a 1:b`},
		{name: "repeated section", data: word(t, sdt(``, sdt(``, r(`<w:t>one</w:t>`))+sdt(``, r(`<w:t>two</w:t>`)))), want: `
			1 P one
			1 P two`},
		{name: "old fields", data: word(t, `<w:p>`+run1("Name: ")+field("FORMTEXT", `<w:textInput><w:default w:val="unset"/></w:textInput>`,
			run1("Anna"))+run1(" Colour: ")+field("FORMDROPDOWN", fmt.Sprintf(choices, 1), "")+run1(" ")+
			field("FORMDROPDOWN", fmt.Sprintf(choices, 0), run1("Red"))+field("FORMDROPDOWN", fmt.Sprintf(choices, 9), "")+run1(" ")+
			field("FORMCHECKBOX", `<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>`, "")+`</w:p>`),
			want: `1 P Name: Anna Colour: Blue Red ☒`},
		{name: "value in a hidden field", data: word(t, `<w:p><w:r><w:rPr><w:vanish/></w:rPr>`+
			`<w:fldChar w:fldCharType="begin"><w:ffData>`+fmt.Sprintf(choices, 1)+`</w:ffData></w:fldChar>`+
			`<w:fldChar w:fldCharType="end"/></w:r>`+run1("seen")+`</w:p>`), want: `1 P seen`},
	})
}

func TestHeadersWithinTables(t *testing.T) {
	sheet := func(rows ...string) []byte {
		var out strings.Builder
		for _, row := range rows {
			out.WriteString("<row>")
			for cell := range strings.SplitSeq(row, "|") {
				if strings.Trim(cell, "0123456789") == "" {
					out.WriteString("<c><v>" + cell + "</v></c>")
				} else {
					out.WriteString(`<c t="inlineStr"><is><t>` + cell + `</t></is></c>`)
				}
			}
			out.WriteString("</row>")
		}
		return workbook(t, out.String())
	}
	run(t, ".xlsx", []step{
		{name: "repeated", data: sheet("Day|Sum|Who", "1|2|Ann", "3|4|Bob", "Day|Sum|Who", "5|6|Cy"), want: `
			1 H1 One
			1 T1 0:Day* 1:Sum* 2:Who*
			1 T1 0:1 1:2 2:Ann
			1 T1 0:3 1:4 2:Bob
			1 T2 0:Day* 1:Sum* 2:Who*
			1 T2 0:5 1:6 2:Cy`},
		{name: "of another part", data: sheet("Day|Sum|Who", "1|2|Ann", "3|4|Bob", "Costs", "Week|Price|By", "5|6|Cy", "7|8|Di"), want: `
			1 H1 One
			1 T1 0:Day* 1:Sum* 2:Who*
			1 T1 0:1 1:2 2:Ann
			1 T1 0:3 1:4 2:Bob
			1 T1 0:Costs
			1 T2 0:Week* 1:Price* 2:By*
			1 T2 0:5 1:6 2:Cy
			1 T2 0:7 1:8 2:Di`},
		{name: "words among figures are none", data: sheet("Day|Sum|Who", "1|2|Ann", "3|4|Di", "none|none|Bob", "5|6|Cy"), want: `
			1 H1 One
			1 T1 0:Day* 1:Sum* 2:Who*
			1 T1 0:1 1:2 2:Ann
			1 T1 0:3 1:4 2:Di
			1 T1 0:none 1:none 2:Bob
			1 T1 0:5 1:6 2:Cy`},
	})
}

func TestMoneyInSheets(t *testing.T) {
	euro := `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="#,##0.00\ [$€-407]"/></numFmts><cellXfs><xf numFmtId="0"/>` +
		`<xf numFmtId="170"/></cellXfs></styleSheet>`
	amounts := `<row><c s="1"><v>1234.5</v></c><c><v>1234.5</v></c></row>`
	run(t, ".xlsx", []step{{name: "format", data: workbook(t, amounts, "xl/styles.xml", euro), want: `
			1 H1 One
			1 T1 0:1234.50 € 1:1234.5`}})
	cell := func(value, shown string) string {
		return `<table:table-cell office:value-type="currency" office:value="` + value + `"><text:p>` + shown + `</text:p></table:table-cell>`
	}
	run(t, ".ods", []step{{name: "shown", data: open(t, "spreadsheet", `<table:table table:name="S"><table:table-row>`+
		cell("1234.5", "1.234,50 €")+cell("-7", "-$7.00")+cell("3", "3")+cell("12.5", "12,50 zł")+cell("5", "5 pen")+cell("8", "CHF 8.00")+
		`</table:table-row></table:table>`), want: `
			1 H1 S
			1 T1 0:1234.50 € 1:-7.00 $ 2:3 3:12.50 zł 4:5 5:8.00 CHF`}})
}
