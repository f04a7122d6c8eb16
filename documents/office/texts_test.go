package office_test

import (
	"errors"
	"strings"
	"testing"

	"portside/documents"
)

func TestOpenDocumentTexts(t *testing.T) {
	styles := `<o:styles xmlns:o="o"><style:style style:name="T1" style:family="paragraph" style:parent-style-name="Title"/>` +
		`<style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>` +
		`<style:style style:name="K" style:family="paragraph" style:parent-style-name="K"/>` +
		`<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="." ` +
		`text:start-value="4"/>` +
		`<text:list-level-style-number text:level="2" style:num-format="A" text:display-levels="2"/></text:list-style></o:styles>`
	run(t, ".odt", []step{
		{name: "roles and pages", data: open(t, "text", `<text:p text:style-name="T1">Title</text:p><text:h text:outline-level="2">Head
			ing</text:h><text:p text:style-name="B">next</text:p><text:p text:style-name="K">`+
			`a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d<text:soft-page-break/>e</text:p><text:p>f</text:p>`,
			"styles.xml", styles),
			want: `
			1 H1 Title
			1 H2 Head ing
			2 P next
			2 P a b c/de
			3 P f`},
		{name: "lists", data: open(t, "text", `<text:list text:style-name="L"><text:list-item><text:p>a</text:p>`+
			`<text:p>more</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item></text:list>`+
			`<text:p>between</text:p><text:list text:style-name="L" text:continue-numbering="true"><text:list-item><text:p>c</text:p>`+
			`</text:list-item></text:list>`+
			`<text:list text:style-name="L"><text:list-item text:start-value="9"><text:p>d</text:p></text:list-item>`+
			`</text:list>`, "styles.xml", styles),
			want: `
			1 L0 4. a
			1 L0 more
			1 L1 4.A b
			1 P between
			1 L0 5. c
			1 L0 9. d`},
		{name: "left out", data: open(t, "text", `<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p>`+
			`</text:deletion></text:changed-region></text:tracked-changes>`+
			`<text:p>a<office:annotation><text:p>no</text:p></office:annotation><text:note><text:note-citation>1</text:note-citation>`+
			`<text:note-body><text:p>note</text:p></text:note-body></text:note> b</text:p>`+
			`<text:table-of-content><text:table-of-content-source><text:index-title-template>no</text:index-title-template>`+
			`</text:table-of-content-source><text:index-body><text:p>Contents</text:p></text:index-body></text:table-of-content>`),
			want: `
			1 P a b
			1 P Contents
			1 P note`, warnings: "Comments (1) were left out."},
		{name: "boxes and tables", data: open(t, "text", `<text:p><draw:frame><draw:text-box><text:p>box</text:p></draw:text-box>`+
			`</draw:frame>text</text:p>`+
			`<table:table><table:table-row><table:table-cell><text:p>a</text:p><table:table><table:table-row><table:table-cell>`+
			`<text:p>n</text:p></table:table-cell></table:table-row></table:table></table:table-cell>`+
			`<table:covered-table-cell/><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>`),
			want: `
			1 P text
			1 P box
			1 T1 0:a 2:b
			1 T2 0:n`},
	})
}

func TestBooks(t *testing.T) {
	run(t, ".epub", []step{
		{name: "blocks", data: epub(t, `<h2>Head<br/>line</h2><p>one
			&nbsp;two &amp; <i>three</i></p>loose<div><p>four</p></div><ul><li>a<ol start="3"><li><p>b</p><p>c</p></li></ol></li></ul><pre>x
y</pre><script>no</script><p hidden="hidden">no</p><blockquote>said</blockquote>`), want: `
			1 H2 Head/line
			1 P one two & three
			1 P loose
			1 P four
			1 L0 a
			1 L1 3. b
			1 P c
			1 P x/y
			1 P said`},
		{name: "tables", data: epub(t, `<table><caption>Cap</caption><tr><th>A</th><th colspan="2">B</th><th>C</th></tr><tr>`+
			`<td>1</td><td>2</td><td>3</td><td>4<table><tr><td>n</td></tr></table></td></tr></table>`), want: `
			1 P Cap
			1 T1 0:A* 1:B* 3:C*
			1 T1 0:1 1:2 2:3 3:4 n`},
		{name: "careless", data: epub(t, `<p>one<br>two<img src="x"><hr></p></b><P>th</P><p>end &unknown; &lt;`), want: `
			1 P one/two
			1 P th
			1 P end &unknown; <`},
		{name: "fonts may be encrypted", data: epub(t, `<p>a</p>`, "META-INF/encryption.xml", `<encryption><EncryptedData>`+
			`<CipherReference URI="OEBPS/f.otf"/></EncryptedData></encryption>`),
			want: `1 P a`},
	})
}

// A spine may list a chapter many times, or its own package file.
func TestSpinesThatRepeatAChapter(t *testing.T) {
	book := func(href string) []byte {
		return pack(t, "META-INF/container.xml", container, "OEBPS/book.opf", `<package><manifest><item id="c" href="`+href+
			`" media-type="application/xhtml+xml"/></manifest><spine>`+strings.Repeat(`<itemref idref="c"/>`, 20_000)+`</spine></package>`,
			"OEBPS/c.xhtml", "<html><body><p>again</p></body></html>")
	}
	const thrice = "again\nagain\nagain"
	for href, text := range map[string]string{"c.xhtml": thrice, "book.opf": "", "../META-INF/../OEBPS/c.xhtml": thrice} {
		d, err := limited(t, ".epub", book(href), func(l *documents.Limits) { l.Pages = 3 })
		if err != nil || d.Text() != text || d.Pages != 3 || len(d.Warnings) != 1 {
			t.Errorf("%s: %v, %q, %d pages, %q", href, err, d.Text(), d.Pages, d.Warnings)
		}
	}
	d, err := limited(t, ".epub", book("c.xhtml"), func(l *documents.Limits) { l.Pages, l.Blocks = 1<<30, 10 })
	if !errors.Is(err, documents.ErrTooMuch) || len(d.Blocks) != 10 {
		t.Errorf("%v, %d blocks", err, len(d.Blocks))
	}
}
