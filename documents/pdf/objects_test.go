package pdf_test

import (
	"bytes"
	"encoding/ascii85"
	"errors"
	"fmt"
	"strings"
	"testing"

	"portside/documents"
)

func TestEncryptionMethods(t *testing.T) {
	for _, kind := range []string{"rc4-40", "rc4-128", "aes-128", "aes-r5", "aes-256"} {
		d, err := readFile(t, "testdata/locked/"+kind+".pdf")
		if err != nil || !strings.Contains(d.Text(), "Berth 7 is let to Nordwind Shipping") || d.Title != "A lease" {
			t.Errorf("%s: %q, %q, %v", kind, d.Title, d.Text(), err)
		}
		data := load(t, "testdata/locked/"+kind+".pdf")
		d, err = read(t, bytes.ReplaceAll(data, []byte("startxref"), []byte("startyref")))
		if err != nil || !strings.Contains(d.Text(), "Nordwind") {
			t.Errorf("%s, damaged: %q, %v", kind, d.Text(), err)
		}
	}
	if _, err := readFile(t, "testdata/locked/rc4-user.pdf"); !errors.Is(err, documents.ErrEncrypted) {
		t.Errorf("file with a user password: got %v, want ErrEncrypted", err)
	}
}

func TestObjectLookup(t *testing.T) {
	page := load(t, "testdata/fields/page.pdf")
	linear := load(t, "testdata/fields/linear.pdf")
	cut := bytes.LastIndex(page, []byte("xref\n0"))
	for name, file := range map[string][]byte{
		"undamaged":                page,
		"linearized":               linear,
		"junk before the header":   append([]byte("HTTP/1.1 200 OK\r\n\r\n"), page...),
		"wrong offset":             bytes.Replace(page, []byte("0000000009 00000 n"), []byte("0000000010 00000 n"), 1),
		"no table":                 page[:cut],
		"linearized, no startxref": bytes.ReplaceAll(linear, []byte("startxref"), []byte("startyref")),
		"stream length too short":  bytes.Replace(page, []byte("/Length 2"), []byte("/Length 1"), 1),
		"stream length too long":   bytes.Replace(page, []byte("/Length 2"), []byte("/Length 9"), 1),
		"no endobj":                bytes.ReplaceAll(page, []byte("endobj"), nil),
		"carriage returns only":    bytes.ReplaceAll(page, []byte(" obj\n"), []byte(" obj\r")),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := read(t, file)
			if err != nil || !strings.HasPrefix(d.Text(), "Harbour office\n") || !strings.Contains(d.Text(), "night watch.") ||
				d.Title != "A lease" && bytes.Contains(file, []byte("/Info")) {
				t.Errorf("%s: %q, %q, %v", name, d.Title, d.Text(), err)
			}
		})
	}
}

func TestNewestObjectWins(t *testing.T) {
	first := onePage(at(50, 700, "first"))
	table := bytes.LastIndex(first, []byte("xref\n0"))
	second := len(first)
	newer := string(first) + "4 0 obj\n" + stream("", at(50, 700, "second")) + "\nendobj\n"
	newer += fmt.Sprintf("xref\n4 1\n%010d 00000 n \ntrailer\n<</Size 5/Root 1 0 R/Prev %d>>\n", second, table) +
		fmt.Sprintf("startxref\n%d\n%%%%EOF\n", len(newer))
	for name, file := range map[string]string{"with tables": newer,
		"repaired": strings.ReplaceAll(newer, "startxref", "startyref")} {
		t.Run(name, func(t *testing.T) {
			if d, err := read(t, []byte(file)); err != nil || d.Text() != "second" {
				t.Errorf("%s: %q, %v", name, d.Text(), err)
			}
		})
	}
}

func TestFilters(t *testing.T) {
	content := at(50, 700, "unpacked")
	base85 := make([]byte, ascii85.MaxEncodedLen(len(content)))
	base85 = base85[:ascii85.Encode(base85, []byte(content))]
	rows := content + strings.Repeat(" ", 8-len(content)%8)
	up, above := "", strings.Repeat("\x00", 8)
	for ; rows != ""; rows = rows[8:] {
		up += "\x02"
		for i := range 8 {
			up += string([]byte{rows[i] - above[i]})
		}
		above = rows[:8]
	}
	for name, packed := range map[string]string{
		"ASCII85":         stream("/Filter/ASCII85Decode", string(base85)+"~>"),
		"hexadecimal":     stream("/Filter[/ASCIIHexDecode]", fmt.Sprintf("%x>", content)),
		"LZW":             stream("/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>", lzwPacked(t, content)),
		"run length":      stream("/Filter/RunLengthDecode", string([]byte{byte(len(content) - 1)})+content+"\xfe \x80"),
		"Flate twice":     stream("/Filter[/FlateDecode/FlateDecode]", deflated(t, deflated(t, content))),
		"PNG predictor":   stream("/Filter/FlateDecode/DecodeParms[<</Predictor 12/Columns 8>>]", deflated(t, up)),
		"truncated Flate": stream("/Filter/FlateDecode", deflated(t, content)[:len(deflated(t, content))-5]),
		"wrong checksum":  stream("/Filter/FlateDecode", deflated(t, content)[:len(deflated(t, content))-4]+"abcd"),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := read(t, pageWith("", "/Font<<"+helvetica+">>", "/Contents 5 0 R", packed))
			if err != nil || d.Text() != "unpacked" {
				t.Errorf("%s: %q, %v", name, d.Text(), err)
			}
		})
	}
}

// TestRecursionIsBounded covers the ways in which objects can contain or refer to themselves. A stack
// overflow would end the process.
func TestRecursionIsBounded(t *testing.T) {
	const deep = 2_000_000
	text := at(50, 700, "still here")
	fonts := "/Font<<" + helvetica + ">>"
	self := &raw{}
	self.add("<</Type/Catalog/Pages 2 0 R>>")
	self.add("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	self.add("<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<<%s>>/X 5 0 R>>", fonts)
	self.add("<</Length 4 0 R>>\nstream\n%s\nendstream", text)
	chain := &raw{objects: append([]string{}, self.objects[:3]...)}
	const links = 30_000
	for i := range links {
		chain.add("<</Length %d 0 R>>\nstream\n%s\nendstream", 4+(i+1)%links, text)
	}
	packed := &raw{objects: append([]string{}, self.objects[:3]...)}
	packed.stream("", text)
	packed.add("%s", stream("/Type/ObjStm/N 1/First 4", "5 0 <</A 1>>"))
	prev := "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
	prev += fmt.Sprintf("xref\n0 0\ntrailer\n<</Root 1 0 R/Prev %d/XRefStm %d>>\nstartxref\n%d\n%%%%EOF\n", len(prev),
		len(prev), len(prev))
	for _, test := range []struct {
		name, text string
		file       []byte
	}{
		{"nested arrays", "", pageWith(text, fonts, "/X"+strings.Repeat("[", deep))},
		{"nested dictionaries", "", pageWith(text, fonts, "/X"+strings.Repeat("<</A", deep/2))},
		{"nested arrays in an unused object", "still here", pageWith(text, fonts, "", strings.Repeat("[", deep))},
		{"nested strings", "", pageWith(text, fonts, "/X"+strings.Repeat("(", deep))},
		{"length that refers to its stream", "still here", self.bytes()},
		{"cycle of lengths", "still here", chain.bytes()},
		{"object stream that contains itself", "still here", packed.bytes()},
		{"object stream located in itself", "", []byte("%PDF-1.5\n1 0 obj\n" + stream("/Type/XRef/W[1 1 1]/Size 3/Root 2 0 R", "\x02\x02\x00\x02\x02\x00\x02\x01\x00") +
			"\nendobj\nstartxref\n9\n%%EOF")},
		{"cycle of tables", "", []byte(prev)},
		{"cycle of references", "", []byte("%PDF-1.4\n1 0 obj 2 0 R endobj 2 0 obj 1 0 R endobj trailer<</Root 1 0 R>>")},
		{"color space based on itself", "", scan(wholePage, "", stream(fourByFour+"/BitsPerComponent 8/ColorSpace 6 0 R", "x"), "[/Indexed 6 0 R 3 (abc)]")},
		{"cycle of parents", "still here", pageWith(text, fonts, "/Annots[5 0 R]", "<</Subtype/Widget/Parent 5 0 R/Rect[0 0 9 9]>>")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if d, err := read(t, test.file); !strings.Contains(d.Text(), test.text) {
				t.Errorf("got %q, %v", d.Text(), err)
			}
		})
	}
}

func TestObjectCountIsBounded(t *testing.T) {
	r := &raw{}
	r.add("<</Type/Catalog/Pages 2 0 R>>")
	r.add("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	r.add("<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<<%s>>>>>>", helvetica)
	r.stream("", at(50, 700, "among many"))
	for range 95_000 {
		r.add("<</A 1>>")
	}
	for name, file := range map[string][]byte{"with a table": r.bytes(),
		"repaired": bytes.ReplaceAll(r.bytes(), []byte("startxref"), nil)} {
		t.Run(name, func(t *testing.T) {
			if d, err := read(t, file); err != nil || d.Text() != "among many" {
				t.Errorf("%s: %q, %v", name, d.Text(), err)
			}
		})
	}
	var starts strings.Builder
	for i := range documents.DefaultLimits().Objects + 1 {
		fmt.Fprintf(&starts, "%d 0 obj\n", i+1)
	}
	if _, err := read(t, []byte("%PDF-1.4\n"+starts.String())); !errors.Is(err, documents.ErrTooMuch) {
		t.Errorf("more objects than the limit: got %v, want ErrTooMuch", err)
	}
	if _, err := read(t, pageWith("", "", "/X["+strings.Repeat("<<>>", 1<<20)+"]")); !errors.Is(err,
		documents.ErrTooMuch) {
		t.Errorf("object that is too large: got %v, want ErrTooMuch", err)
	}
}
