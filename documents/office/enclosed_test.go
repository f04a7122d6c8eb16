package office_test

import (
	"fmt"
	"testing"
)

// TestCommentsAndEmbeddedDocuments checks that parts beside the text are counted, and those of charts are not.
func TestCommentsAndEmbeddedDocuments(t *testing.T) {
	const comments = `<w:comments xmlns:w="w"><w:comment><w:p/></w:comment><w:comment><w:p/></w:comment></w:comments>`
	const objects = "Embedded objects (%d), such as a sheet in a letter, were not read. Save each as a file and send it by itself."
	inWord := word(t, r(`<w:t>body</w:t>`), "word/comments.xml", comments, "word/embeddings/a.xlsx", "x", "word/embeddings/b.bin", "x",
		"word/_rels/document.xml.rels", related("comments", "comments.xml", "package", "embeddings/a.xlsx", "oleObject", "embeddings/b.bin",
			"chart", "charts/c.xml"), "word/charts/_rels/c.xml.rels", related("package", "../embeddings/c.xlsx"))
	run(t, ".docx", []step{
		{name: "in a document", data: inWord, want: "1 P body", warnings: "Comments (2) were left out. " + fmt.Sprintf(objects, 2)},
		{name: "missing parts", data: word(t, r(`<w:t>body</w:t>`), "word/_rels/document.xml.rels", related("comments", "comments.xml")),
			want: "1 P body"},
		{name: "damaged parts", data: word(t, r(`<w:t>body</w:t>`), "word/_rels/document.xml.rels", related("comments", "comments.xml"),
			"word/comments.xml", "<w:comments><w:comment>"), want: "1 P body",
			warnings: "A part of the file is missing or damaged, and was left out. Comments (1) were left out."},
	})
	run(t, ".xlsx", []step{{
		name: "in a sheet", data: workbook(t, `<row><c t="str"><v>a</v></c></row>`,
			"xl/worksheets/_rels/sheet1.xml.rels", related("comments", "../comments1.xml"),
			"xl/comments1.xml", `<comments><commentList><comment ref="A1"/></commentList></comments>`),
		want: "1 H1 One\n1 T1 0:a", warnings: "Comments (1) were left out.",
	}})
	run(t, ".pptx", []step{{
		name: "in slides", data: deck(t, slide("", sp("", 0, 0, ap(">", "first"))), slide("", sp("", 0, 0, ap(">", "second"))),
			"ppt/slides/_rels/slide1.xml.rels", related("comments", "../comments/comment1.xml", "oleObject", "../embeddings/a.bin"),
			"ppt/slides/_rels/slide2.xml.rels", related("comments", "../comments/comment2.xml", "oleObject", "../embeddings/a.bin"),
			"ppt/comments/comment1.xml", `<p:cmLst xmlns:p="p"><p:cm><p:text>no</p:text></p:cm></p:cmLst>`,
			"ppt/comments/comment2.xml", `<p:cmLst xmlns:p="p"><p:cm/><p:cm/></p:cmLst>`),
		want: "1 P first\n2 P second", warnings: "Comments (3) were left out. " + fmt.Sprintf(objects, 1),
	}})
	run(t, ".odt", []step{{
		name: "in OpenDocument", data: open(t, "text", `<text:p>a<office:annotation><text:p>no</text:p></office:annotation>`+
			`<draw:frame><draw:object-ole/></draw:frame></text:p>`),
		want: "1 P a", warnings: "Comments (1) were left out. " + fmt.Sprintf(objects, 1),
	}})
}
