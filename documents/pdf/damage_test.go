package pdf_test

import (
	"bytes"
	"encoding/ascii85"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/documents"
)

const damageWarning = "Parts of the file are damaged or cut short and could not be read."

// threePages is a file of pages whose contents come last, packed by the filters.
func threePages(filters string, pack func(string) string) []byte {
	r := &raw{}
	r.add("<</Type/Catalog/Pages 2 0 R>>")
	r.add("<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>")
	for i := range 3 {
		r.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<<%s>>>>>>", 6+i, helvetica)
	}
	for i := range 3 {
		var lines []string
		for n := range 30 {
			lines = append(lines, fmt.Sprintf("Page %d, line %d: %x", i+1, n+1, uint32(n*n+i)*2654435761))
		}
		r.stream(filters, pack(column(50, 700, lines...)))
	}
	return r.bytes()
}

// changed replaces what is there once.
func changed(tb testing.TB, data []byte, old, made string) []byte {
	tb.Helper()
	if n := bytes.Count(data, []byte(old)); n != 1 {
		tb.Fatalf("%q is there %d times", old, n)
	}
	return bytes.Replace(data, []byte(old), []byte(made), 1)
}

// before is the file up to a word.
func before(data []byte, word string) []byte {
	rest, _, _ := bytes.Cut(data, []byte(word))
	return rest
}

// overwritten is the file with bytes in the middle of the second page's stream replaced.
func overwritten(data []byte, with string) []byte {
	data = bytes.Clone(data)
	from := bytes.Index(data, []byte("\n7 0 obj"))
	end := from + bytes.Index(data[from:], []byte("endstream"))
	copy(data[(from+end)/2:end], with)
	return data
}

// damage is a file, and whether something of it is lost.
type damage struct {
	name string
	file []byte
	lost bool
}

func ofThreePages(tb testing.TB) []damage {
	tb.Helper()
	flate := func(content string) string { return deflated(tb, content) }
	text := func(content string) string {
		packed := deflated(tb, content)
		out := make([]byte, ascii85.MaxEncodedLen(len(packed)))
		return string(out[:ascii85.Encode(out, []byte(packed))]) + "~>"
	}
	plain := threePages("", func(content string) string { return content })
	packed := threePages("/Filter/FlateDecode", flate)
	letters := threePages("/Filter[/ASCII85Decode/FlateDecode]", text)
	table := bytes.LastIndex(packed, []byte("xref\n0 "))
	header := strings.Repeat("\x00", len("7 0 obj"))
	_, object, _ := strings.Cut(string(packed), "7 0 obj")
	dict, _, _ := strings.Cut(object, "stream")
	withoutDict := changed(tb, packed, "7 0 obj"+dict, "7 0 obj"+strings.Repeat("\x00", len(dict)))
	return []damage{
		{"sound", plain, false},
		{"packed", packed, false},
		{"letters", letters, false},
		{"zeros in a stream", overwritten(packed, strings.Repeat("\x00", 40)), true},
		{"bytes in a stream", overwritten(packed, "damaged!"), true},
		{"zeros in letters", overwritten(letters, strings.Repeat("\x00", 40)), true},
		{"no letters", overwritten(letters, "\xff\xfe{|}\xff"), true},
		{"other letters", overwritten(letters, "5u9Rk1"), true},
		{"cut at 80 %", packed[:len(packed)*8/10], true},
		{"cut at 55 %", packed[:len(packed)*55/100], true},
		{"cut between letters", letters[:len(letters)*8/10], true},
		{"cut between words", plain[:len(plain)*8/10], true},
		{"no header of a page", changed(tb, packed, "\n4 0 obj", "\n"+header), true},
		{"no header of a content", changed(tb, packed, "\n7 0 obj", "\n"+header), true},
		{"no dictionary of a content", withoutDict, true},
		{"no pages", changed(tb, packed, "\n2 0 obj", "\n"+header), true},
		{"no place of the table", changed(tb, packed, "startxref", "startyref"), false},
		{"cut in the table", packed[:table+60], false},
		{"no table", packed[:table], false},
	}
}

func ofOnePage(tb testing.TB) []damage {
	tb.Helper()
	content := at(50, 700, "words of a page")
	fonts := "/Font<<" + helvetica + ">>"
	short := deflated(tb, content)
	form := "/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Filter/FlateDecode"
	last := changed(tb, pageWith(content, fonts, "", "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>"), "Kids[", "Kids[5 0 R ")
	font := pageWith(content+"BT /F2 10 Tf 50 600 Td (x) Tj ET", "/Font<<"+helvetica+"/F2 6 0 R>>", "", "null", "<</Type/Font>>")
	return []damage{
		{"cut in the object of a page", before(last, "/Contents 4 0 R>>\nendobj\nxref"), true},
		{"an unknown filter", pageWith(content, fonts, "/Contents[4 0 R 5 0 R]", stream("/Filter/FlatXDecode", short)), true},
		{"a content that is no stream", pageWith(content, fonts, "/Contents[4 0 R 5 0 R]", "<</Length 7>>"), true},
		{"half a form", pageWith(content+"/X Do", fonts+"/XObject<</X 5 0 R>>", "", stream(form, short[:len(short)/2])), true},
		{"a wrong checksum", pageWith(content, fonts, "/Contents 5 0 R", stream("/Filter/FlateDecode", short[:len(short)-4]+"oops")), true},
		{"no checksum", pageWith(content, fonts, "/Contents 5 0 R", stream("/Filter/FlateDecode", short[:len(short)-4])), false},
		{"an empty stream", pageWith(content, fonts, "/Contents[4 0 R 5 0 R]", stream("/Filter/FlateDecode", "")), false},
		{"references to nothing", pageWith(content, fonts+"/XObject<</X 9 0 R>>", "/Annots[8 0 R]/Contents[4 0 R 7 0 R]"), false},
		{"no annotation in a repaired file", append(pageWith(content, fonts, "/Annots[8 0 R]"), "startxref 7"...), false},
		{"no font", before(font, "\n6 0 obj"), true},
	}
}

func TestWhatIsLostIsTold(t *testing.T) {
	for _, test := range append(ofThreePages(t), ofOnePage(t)...) {
		t.Run(test.name, func(t *testing.T) {
			d, err := read(t, test.file)
			if err != nil || len(d.Blocks) == 0 {
				t.Fatalf("got %q, %v", d.Text(), err)
			}
			if told := slices.Contains(d.Warnings, damageWarning); told != test.lost {
				t.Errorf("warnings %q, of %d pages", d.Warnings, d.Pages)
			}
		})
	}
}

func TestSoundFilesGiveNoWarningOfDamage(t *testing.T) {
	seen := 0
	for _, root := range []string{"testdata", "../kind/testdata", "../cmd/quality/testdata"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".pdf" {
				return err
			}
			seen++
			d, err := readFile(t, path)
			if err != nil && !errors.Is(err, documents.ErrEncrypted) {
				t.Errorf("%s: %v", path, err)
			}
			if slices.Contains(d.Warnings, damageWarning) {
				t.Errorf("%s: %q", path, d.Warnings)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 80 {
		t.Errorf("only %d files", seen)
	}
}
