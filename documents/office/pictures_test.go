package office_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portside/documents"
)

// dots returns a PNG of which the width tells it from others.
func dots(tb testing.TB, width, height int) string {
	tb.Helper()
	var out bytes.Buffer
	m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	if err := png.Encode(&out, m); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

// view reads a document and writes the width of each picture in its place, as a viewer would write its text.
func view(tb testing.TB, extension string, data []byte, limits documents.Limits) *documents.Document {
	tb.Helper()
	reader := readers[extension]
	into := documents.NewBuilder(reader.format, limits)
	if err := reader.read(tb.Context(), source(data), into); err != nil {
		tb.Fatal(err)
	}
	texts := []documents.PictureText{}
	for _, p := range into.Pictures() {
		config, err := png.DecodeConfig(bytes.NewReader(p.Data))
		if err != nil || p.MediaType != "image/png" || p.Place != (documents.Box{}) {
			tb.Errorf("a picture of type %s at %v: %v", p.MediaType, p.Place, err)
		}
		texts = append(texts, documents.PictureText{Blocks: []documents.Block{{Text: "picture " + strconv.Itoa(config.Width)}}})
	}
	if err := into.InsertPictures(texts); err != nil {
		tb.Fatal(err)
	}
	return into.Document()
}

// blip is a drawing of Word with the picture of a relationship.
func blip(id string) string {
	return `<w:drawing><a:graphic xmlns:a="a"><pic:pic xmlns:pic="p"><pic:blipFill><a:blip r:embed="` + id +
		`"/></pic:blipFill></pic:pic></a:graphic></w:drawing>`
}

func TestPicturesStandInTheirPlace(t *testing.T) {
	large, other, small := dots(t, 300, 200), dots(t, 301, 200), dots(t, 40, 40)
	const frame = `<draw:frame><draw:image xlink:href="Pictures/1.png"/></draw:frame>`
	const pic = `<p:pic><p:blipFill><a:blip r:embed="r1"/></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="9"/></a:xfrm></p:spPr></p:pic>`
	wordRels := []string{
		"word/_rels/document.xml.rels",
		related("image", "media/1.png", "image", "media/2.png", "image", "media/small.png", "image", "media/drawing.emf", "header", "h.xml"),
		"word/media/1.png", large, "word/media/2.png", other, "word/media/small.png", small, "word/media/drawing.emf", "emf",
	}
	docx := func(body string, others ...string) []byte { return word(t, body, slices.Concat(wordRels, others)...) }
	nested := string(word(t, r(blip("r1")), "word/_rels/document.xml.rels", related("image", "1.png"), "word/1.png", large))
	for _, test := range []struct {
		name, extension string
		data            []byte
		want            string
	}{
		{"after their paragraph", ".docx", docx(r("<w:t>a</w:t>"+blip("r1")) + r("<w:t>b</w:t>") + r(blip("r2"))), "1:a|1:picture 300|1:b|1:picture 301"},
		{"once", ".docx", docx(r(blip("r1")) + r("<w:t>b</w:t>") + r(blip("r1"))), "1:picture 300|1:b"},
		{"not of decorations and drawings", ".docx", docx(r("<w:t>a</w:t>"+blip("r3")+blip("r4")) + r(blip("r9"))), "1:a"},
		{"on their page", ".docx", docx(r("<w:t>a</w:t>") + r(`<w:br w:type="page"/>`) + r("<w:t>b</w:t>"+blip("r1"))), "1:a|2:b|2:picture 300"},
		{"not hidden", ".docx", docx(`<w:p><w:r><w:rPr><w:vanish/></w:rPr>` + blip("r1") + `</w:r></w:p>` + r("<w:t>b</w:t>")), "1:b"},
		{"of one alternative", ".docx", docx(r(`<mc:AlternateContent><mc:Choice>` + blip("r1") +
			`</mc:Choice><mc:Fallback><v:imagedata r:id="r2"/></mc:Fallback></mc:AlternateContent>`)), "1:picture 300"},
		{"of older shapes", ".docx", docx(r(`<w:pict><v:shape><v:imagedata r:id="r2"/></v:shape></w:pict>`)), "1:picture 301"},
		{"after their table", ".docx", docx(`<w:tbl><w:tr>` + tc("", "Name") + tc("", "Price") + `</w:tr><w:tr>` + tc("", "Cup") +
			`<w:tc>` + r("<w:t>3</w:t>"+blip("r1")) + `</w:tc></w:tr><w:tr>` + tc("", "Jug") + tc("", "9") + `</w:tr></w:tbl>` + p("x", "b")),
			"1:Name\tPrice|1:Cup\t3|1:Jug\t9|1:picture 300|1:b"},
		{"of a header", ".docx", docx(r("<w:t>a</w:t>"), "word/h.xml", `<w:hdr`+wordNames+`>`+r(blip("r1"))+`</w:hdr>`,
			"word/_rels/h.xml.rels", related("image", "media/2.png")), "1:picture 301|1:a"},
		{"of an imported document", ".docx", importing(t, "c.docx", nested), "1:before|1:picture 300|1:after"},
		{"of slides", ".pptx", deck(t, slide("", pic+sp("", 0, 0, ap(">", "above"))+sp("", 0, 914400, ap(">", "below"))),
			slide("", sp("", 0, 0, ap(">", "next"))), "ppt/slides/_rels/slide2.xml.rels", related("image", "../media/1.png"),
			"ppt/media/1.png", large), "1:above|1:picture 300|1:below|2:next"},
		{"of sheets", ".xlsx", workbook(t, `<row r="1"><c r="A1"><v>3</v></c></row>`,
			"xl/worksheets/_rels/sheet1.xml.rels", related("drawing", "../d.xml"), "xl/_rels/d.xml.rels", related("image", "1.png"),
			"xl/1.png", large,
			"xl/d.xml", `<xdr:wsDr xmlns:r="r"><xdr:pic><xdr:blipFill><a:blip r:embed="r1"/></xdr:blipFill></xdr:pic></xdr:wsDr>`),
			"1:One|1:3|1:picture 300"},
		{"of OpenDocument texts", ".odt", open(t, "text", `<text:p>a`+frame+`</text:p><text:p>b</text:p>`, "Pictures/1.png", large), "1:a|1:picture 300|1:b"},
		{"not of objects", ".odt", open(t, "text", `<text:p>a<draw:frame><draw:image xlink:href="./ObjectReplacements/O 1"/></draw:frame></text:p>`,
			"ObjectReplacements/O 1", large), "1:a"},
		{"of OpenDocument cells", ".odt", open(t, "text", `<table:table><table:table-row><table:table-cell><text:p>a`+frame+
			`</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row><table:table-row>`+
			`<table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table>`, "Pictures/1.png", large),
			"1:a\tb|1:c|1:picture 300"},
		{"of OpenDocument slides", ".odp", open(t, "presentation", `<draw:page>`+frame+`</draw:page>`, "Pictures/1.png", large), "1:picture 300"},
		{"of OpenDocument sheets", ".ods", open(t, "spreadsheet", `<table:table table:name="S"><table:shapes>`+frame+
			`</table:shapes><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table>`,
			"Pictures/1.png", large), "1:S|1:a|1:picture 300"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := view(t, test.extension, test.data, documents.DefaultLimits())
			var got []string
			for _, b := range d.Blocks {
				got = append(got, strconv.Itoa(b.Page)+":"+b.Text)
			}
			if text := strings.Join(got, "|"); text != test.want || len(d.Warnings) > 0 {
				t.Errorf("%q, warnings %q; want %q", text, d.Warnings, test.want)
			}
		})
	}
}

func TestPicturesAreBounded(t *testing.T) {
	large := dots(t, 300, 200)
	data := func(pictures ...string) []byte {
		parts, kinds, body := []string{}, []string{}, r("<w:t>a</w:t>")
		for i, content := range pictures {
			name := "media/" + strconv.Itoa(i+1) + ".png"
			parts, kinds = append(parts, "word/"+name, content), append(kinds, "image", name)
			body += r(blip("r" + strconv.Itoa(i+1)))
		}
		return word(t, body+r("<w:t>b</w:t>"), append(parts, "word/_rels/document.xml.rels", related(kinds...))...)
	}
	none, one, few := documents.DefaultLimits(), documents.DefaultLimits(), documents.DefaultLimits()
	none.Pictures, one.Pictures, few.PictureBytes = 0, 1, int64(len(large))+1
	const (
		unread = "Pictures in the file were left out; they are not read here."
		first  = "Only the first pictures were read; the file has more than can be."
		lost   = "Some pictures are damaged or in a format that is not supported. They were left out."
	)
	for _, test := range []struct {
		name   string
		limits documents.Limits
		data   []byte
		want   string
		warn   []string
	}{
		{"no viewer", none, data(large, dots(t, 301, 200)), "a\nb", []string{unread}},
		{"no viewer, only decorations", none, data(dots(t, 30, 30), "GIF89a", "II*\x00"), "a\nb", nil},
		{"too many", one, data(large, dots(t, 301, 200), dots(t, 302, 200)), "a\npicture 300\nb", []string{first}},
		{"too many bytes", few, data(large, strings.Repeat(large, 9)), "a\npicture 300\nb", []string{first}},
		{"damaged", one, data(large[:len(large)-20], "II*\x00", large), "a\nb", []string{lost, first}},
		{"other formats", few, data("II*\x00", large), "a\npicture 300\nb", []string{lost}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := view(t, ".docx", test.data, test.limits)
			if d.Text() != test.want || !slices.Equal(d.Warnings, test.warn) {
				t.Errorf("%q, warnings %q; want %q, %q", d.Text(), d.Warnings, test.want, test.warn)
			}
		})
	}
}

// The text of a document is complete if the time ends while its pictures are prepared.
func TestTextIsReadBeforePicturesArePrepared(t *testing.T) {
	data := word(t, r("<w:t>a</w:t>"+blip("r1"))+r("<w:t>b</w:t>"), "word/_rels/document.xml.rels", related("image", "1.png"),
		"word/1.png", dots(t, 300, 200))
	const plenty = 1 << 30
	whole := &expiring{Context: t.Context(), left: plenty}
	into := documents.NewBuilder(documents.DOCX, documents.DefaultLimits())
	if err := readers[".docx"].read(whole, source(data), into); err != nil {
		t.Fatal(err)
	}
	for used := plenty - whole.left; used > 0; used-- {
		into := documents.NewBuilder(documents.DOCX, documents.DefaultLimits())
		err := readers[".docx"].read(&expiring{Context: t.Context(), left: used - 1}, source(data), into)
		d := into.Document()
		if strings.Contains(strings.Join(d.Warnings, " "), "takes too long") {
			if err == nil || d.Text() != "a\nb" || !d.Incomplete || len(into.Pictures()) > 0 {
				t.Errorf("text %q, incomplete %v, error %v", d.Text(), d.Incomplete, err)
			}
			return
		}
	}
	t.Error("the time never ended while the picture was prepared")
}
