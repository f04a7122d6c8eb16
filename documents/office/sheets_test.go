package office_test

import (
	"strings"
	"testing"
)

const sheetStyles = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy\ hh:mm"/></numFmts>` +
	`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/>` +
	`<xf numFmtId="170"/></cellXfs></styleSheet>`

func TestSheetCells(t *testing.T) {
	shared := `<sst><si><t>plain</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>kana</t></rPh></si><si>` +
		`<t xml:space="preserve">a_x000D_
b</t></si></sst>`
	parts := []string{"xl/styles.xml", sheetStyles, "xl/sharedStrings.xml", shared}
	run(t, ".xlsx", []step{
		{name: "kinds", data: workbook(t, `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c>`+
			`<c r="D1" t="s"><v>99</v></c><c r="E1" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c><c r="F1" t="b"><v>1</v></c>`+
			`<c r="G1" t="e"><v>#DIV/0!</v></c><c r="H1" t="str"><f>A1</f><v>formula</v></c><c r="I1"><f>1+1</f><v>2</v></c>`+
			`<c r="J1" t="d"><v>2026-05-06T00:00:00</v></c></row>`,
			parts...), want: `
			1 H1 One
			1 T1 0:plain 1:rich text 2:a b 4:inline 5:TRUE 6:#DIV/0! 7:formula 8:2 9:2026-05-06`},
		{name: "formats", data: workbook(t, `<row><c><v>0.30000000000000004</v></c><c s="1"><v>46000</v></c><c s="2"><v>0.125</v>`+
			`</c><c s="3"><v>46000.5</v></c><c s="9"><v>5</v></c></row>`,
			parts...), want: `
			1 H1 One
			1 T1 0:0.3 1:2025-12-09 2:12.5 % 3:2025-12-09T12:00:00 4:5`},
		{name: "a header after a title and a gap", data: workbook(t, `<row r="1"><c t="inlineStr"><is><t>Sales</t></is></c><c><v>2026</v></c></row>`+
			`<row r="3"><c t="inlineStr"><is><t>Day</t></is></c><c t="inlineStr"><is><t>Who</t></is></c><c t="inlineStr"><is>`+
			`<t>Sum</t></is></c></row>`+
			`<row r="4"><c s="1"><v>46000</v></c><c t="inlineStr"><is><t>Ann</t></is></c><c><v>5</v></c></row>`, parts...), want: `
			1 H1 One
			1 T1 0:Sales 1:2026
			1 T2 0:Day* 1:Who* 2:Sum*
			1 T2 0:2025-12-09 1:Ann 2:5`},
		{name: "far apart", data: workbook(t, `<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v>`+
			`</c></row>`), want: `
			1 H1 One
			1 T1 0:1
			1 T1 16383:2`},
	})
}

func TestSheetsInOrder(t *testing.T) {
	sheet := func(n string) string {
		return `<worksheet><sheetData><row><c s="1"><v>` + n + `</v></c></row></sheetData></worksheet>`
	}
	run(t, ".xlsx", []step{{name: "order and hiding", data: pack(t,
		"xl/workbook.xml", `<workbook xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="B" r:id="r2"/><sheet name="A" r:id="r1"/>`+
			`<sheet name="C" state="veryHidden" r:id="r3"/><sheet name="D" r:id="r4"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels",
		related("worksheet", "a.xml", "worksheet", "b.xml", "worksheet", "c.xml", "worksheet", "d.xml", "styles", "s.xml"),
		"xl/s.xml", sheetStyles,
		"xl/a.xml", sheet("1"), "xl/b.xml", sheet("2"), "xl/c.xml", sheet("3")),
		want: `
			1 H1 B
			1 T1 0:1904-01-03
			2 H1 A
			2 T2 0:1904-01-02
			3 H1 D`,
		warnings: "Hidden sheets were left out. A part of the file is missing or damaged, and was left out."}})
}

func TestOpenDocumentSheets(t *testing.T) {
	cell := func(attributes, text string) string {
		return `<table:table-cell ` + attributes + `><text:p>` + text + `</text:p></table:table-cell>`
	}
	run(t, ".ods", []step{
		{name: "values", data: open(t, "spreadsheet",
			`<table:table table:name="S"><table:table-row>`+cell(`office:value-type="float" office:value="1234567.5"`, "1.234.567,50")+
				cell(`office:value-type="percentage" office:value="0.125"`, "13%")+
				cell(`office:value-type="date" office:date-value="2026-01-02"`, "2. Jan")+
				cell(`office:value-type="time" office:time-value="PT14H05M09S"`, "2pm")+
				cell(`office:value-type="boolean" office:boolean-value="true"`, "WAHR")+
				cell(`office:value-type="currency" office:value="0.30000000000000004"`, "0 €")+
				`<table:table-cell office:value-type="string"><office:annotation><text:p>no</text:p></office:annotation>`+
				`<text:p>a</text:p><text:p>b</text:p></table:table-cell>`+
				`</table:table-row></table:table><table:table table:name="H" table:style-name="h">`+
				`<table:table-row>`+cell("", "no")+`</table:table-row></table:table>`,
			"styles.xml", `<style:style style:name="h" style:family="table"><style:table-properties table:display="false"/></style:style>`),
			want: `
			1 H1 S
			1 T1 0:1234567.5 1:12.5 % 2:2026-01-02 3:14:05:09 4:TRUE 5:0.3 € 6:a b`,
			warnings: "Hidden sheets were left out. Comments (1) were left out."},
		{name: "repeats", data: open(t, "spreadsheet", `<table:table table:name="S">`+
			`<table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="3"/>`+
			cell(`table:number-columns-repeated="2"`, "x")+`</table:table-row><table:table-row table:number-rows-repeated="1048576">`+
			`<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`),
			want: `
			1 H1 S
			1 T1 3:x 4:x
			1 T1 3:x 4:x`},
	})
	d, err := parse(t, ".ods", open(t, "spreadsheet", `<table:table><table:table-row table:number-rows-repeated="1048576">`+
		cell(`table:number-columns-repeated="16384"`, "x")+`</table:table-row></table:table>`))
	if len(d.Text()) > 600_000 || strings.Join(d.Warnings, "") == "" {
		t.Errorf("a full sheet: %d bytes, %v, %q", len(d.Text()), err, d.Warnings)
	}
}
