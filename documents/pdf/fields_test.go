package pdf_test

import (
	"strings"
	"testing"
)

func TestReadIncludesFormFields(t *testing.T) {
	d, err := readFile(t, "testdata/fields/form.pdf")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(d.Text(), "\t", " ")
	for _, want := range []string{
		"Order form", "Name Ioana Marinescu", "Deliver to gate 4,", "not before noon.", "Date 2026-03-01", "With ice ☒", "With nets ☐", "Port Rotterdam",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}

func TestAnnotations(t *testing.T) {
	appearance := stream("/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<<"+helvetica+">>>>",
		"BT /F1 10 Tf 2 6 Td (as it looks) Tj ET")
	empty := stream("/Subtype/Form/BBox[0 0 100 20]", "/Tx BMC EMC")
	const rect = "/Rect[100 600 200 620]"
	widget := "/Subtype/Widget" + rect
	for _, test := range []struct{ name, annotation, want string }{
		{"field with appearance", "<<" + widget + "/FT/Tx/V(as it is)/AP<</N 5 0 R>>>>", "Label as it looks"},
		{"field without appearance", "<<" + widget + "/FT/Tx/V(as it is)>>", "Label as it is"},
		{"field with empty appearance", "<<" + widget + "/FT/Tx/V(as it is)/AP<</N 6 0 R>>>>", "Label as it is"},
		{"inherited value", "<<" + widget + "/Parent<</FT/Tx/Parent<</V<FEFF0103>>>>>>>>", "Label ă"},
		{"choice", "<<" + widget + "/FT/Ch/V(b)/Opt[[(a)(first)][(b)(second)]]>>", "Label second"},
		{"several choices", "<<" + widget + "/FT/Ch/V[(a)(b)]/Opt[[(a)(first)][(b)(second)]]>>", "Label first, second"},
		{"checked box", "<<" + widget + "/FT/Btn/V/Yes/AS/Yes>>", "Label ☒"},
		{"unchecked box", "<<" + widget + "/FT/Btn/V/Off/AS/Off>>", "Label ☐"},
		{"unselected radio button", "<<" + widget + "/FT/Btn/Ff 32768/V/B/AP<</N<</A 6 0 R/Off 6 0 R>>>>>>", "Label ☐"},
		{"password", "<<" + widget + "/FT/Tx/Ff 8192/V(secret)>>", "Label"},
		{"hidden field", "<<" + widget + "/F 2/FT/Tx/V(secret)>>", "Label"},
		{"push button", "<<" + widget + "/FT/Btn/Ff 65536/AP<</N 5 0 R>>>>", "Label as it looks"},
		{"free text with appearance", "<</Subtype/FreeText" + rect + "/Contents(noted)/AP<</N 5 0 R>>>>", "Label as it looks"},
		{"free text without appearance", "<</Subtype/FreeText" + rect + "/Contents(noted)>>", "Label noted"},
		{"note that is not on the page", "<</Subtype/Text" + rect + "/Contents(remark)>>", "Label"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := pageWith(at(60, 606, "Label"), "/Font<<"+helvetica+">>", "/Annots["+test.annotation+"]", appearance, empty)
			d, err := read(t, file)
			if got := strings.ReplaceAll(d.Text(), "\t", " "); err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestAnnotationCycles(t *testing.T) {
	loop := "<</Subtype/Widget/Rect[100 600 200 620]/Parent 5 0 R/AP<</N 6 0 R>>>>"
	appearance := stream("/Subtype/Form/BBox[0 0 0 0]/Resources<</XObject<</X 6 0 R>>>>", "/X Do")
	d, err := read(t, pageWith(at(60, 606, "Label"), "/Font<<"+helvetica+">>", "/Annots[5 0 R 5 0 R]", loop, appearance))
	if err != nil || d.Text() != "Label" {
		t.Errorf("got %q, %v", d.Text(), err)
	}
}

func TestStaleAppearancesAreIgnored(t *testing.T) {
	r := &raw{}
	r.add("<</Type/Catalog/Pages 2 0 R/AcroForm<</NeedAppearances true>>>>")
	r.add("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	r.add("<</Type/Page/MediaBox[0 0 595 842]/Annots[<</Subtype/Widget/Rect[100 600 200 620]/FT/Tx/V(new)/AP<</N 4 0 R>>>>]>>")
	r.stream("/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<<"+helvetica+">>>>", "BT /F1 10 Tf 2 6 Td (old) Tj ET")
	if d, err := read(t, r.bytes()); err != nil || d.Text() != "new" {
		t.Errorf("got %q, %v", d.Text(), err)
	}
}
