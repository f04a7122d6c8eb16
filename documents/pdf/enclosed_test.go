package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"portside/documents"
)

// withEnclosed returns a file with entries in its catalog and annotations on its page. It has three attached files,
// objects 5 to 7.
func withEnclosed(catalog, annotations string) []byte {
	r := &raw{}
	r.add("<</Type/Catalog/Pages 2 0 R%s>>", catalog)
	r.add("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	r.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<<%s>>>>/Annots[%s]>>", helvetica, annotations)
	r.stream("", at(50, 700, "the page"))
	for _, name := range []string{"prices.xlsx", "terms.docx", "plan.pdf"} {
		r.add("<</Type/Filespec/F(%s)/EF<</F 8 0 R>>>>", name)
	}
	r.stream("", "data")
	return r.bytes()
}

// TestWarningsOfEnclosedParts checks that a reader of the answer learns what the file has beside its pages.
func TestWarningsOfEnclosedParts(t *testing.T) {
	const all = "/Names<</EmbeddedFiles<</Names[(a) 5 0 R(b) 6 0 R(c) 7 0 R]>>>>"
	note := func(kind, entries string) string { return "<</Subtype/" + kind + "/Rect[0 0 9 9]" + entries + ">>" }
	for _, test := range []struct{ name, catalog, annotations, want string }{
		{"nothing", "", note("Link", "/Contents(to the next page)") + note("Highlight", ""), ""},
		{"attached to the file", "/Names<</EmbeddedFiles<</Names[(a) 5 0 R]>>>>", "",
			`The attachment "prices.xlsx" was not read; send it by itself.`},
		{"attached to the page", "", note("FileAttachment", "/FS 6 0 R"), `The attachment "terms.docx" was not read; send it by itself.`},
		{"attached twice", all + "/AF[5 0 R]", note("FileAttachment", "/FS 6 0 R"),
			`The 3 attachments were not read; send each by itself: "prices.xlsx", "terms.docx", "plan.pdf".`},
		{"portfolio", all + "/Collection<</View/D>>", "",
			"The PDF is a portfolio, of which only the cover was read. The 3 attachments were not read; send each by itself: " +
				`"prices.xlsx", "terms.docx", "plan.pdf".`},
		{"comments", "", note("Text", "/Contents(Is this right?)") + note("Highlight", "/Contents(Yes)") +
			note("Text", "/F 2/Contents(hidden)") + note("Text", "/Contents( )") + note("Popup", "/Contents(Yes)"),
			"Comments (2) were left out."},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := read(t, withEnclosed(test.catalog, test.annotations))
			if got := strings.Join(d.Warnings, " "); err != nil || got != test.want || d.Text() != "the page" {
				t.Errorf("got %q with the text %q, %v", got, d.Text(), err)
			}
		})
	}
}

// TestManyAttachments checks that the warning stays short.
func TestManyAttachments(t *testing.T) {
	var names strings.Builder
	for i := range 500 {
		fmt.Fprintf(&names, "(%d)<</F(%s)/EF<</F 8 0 R>>>>", i, strings.Repeat("n", 300))
	}
	d, err := read(t, withEnclosed("/Names<</EmbeddedFiles<</Names["+names.String()+"]>>>>", ""))
	got := strings.Join(d.Warnings, " ")
	if err != nil || !strings.HasPrefix(got, "The 500 attachments were not read") || len(got) > 1500 {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestDynamicForms(t *testing.T) {
	for name, test := range map[string]struct {
		catalog string
		isError bool
	}{
		"pages made while it is shown": {"/NeedsRendering true/AcroForm<</XFA 8 0 R/Fields[5 0 R]>>", true},
		"no fields":                    {"/AcroForm<</XFA[(template) 8 0 R]/Fields[]>>", true},
		"static form":                  {"/AcroForm<</XFA 8 0 R/Fields[5 0 R]>>", false},
		"common form":                  {"/AcroForm<</Fields[]>>", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, withEnclosed(test.catalog, ""))
			if e := documents.AsError(err); (e != nil) != test.isError || e != nil && !strings.Contains(e.Message, "print it to a new PDF") {
				t.Errorf("got %v", err)
			}
		})
	}
}
