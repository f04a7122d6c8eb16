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

// threePages returns a file with three pages whose contents are at the end of the file. encode must apply
// the filters.
func threePages(filters string, encode func(string) string) []byte {
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
		r.stream(filters, encode(column(50, 700, lines...)))
	}
	return r.bytes()
}

// replaceOnce replaces a text that occurs once.
func replaceOnce(tb testing.TB, data []byte, old, replacement string) []byte {
	tb.Helper()
	if n := bytes.Count(data, []byte(old)); n != 1 {
		tb.Fatalf("%q occurs %d times", old, n)
	}
	return bytes.Replace(data, []byte(old), []byte(replacement), 1)
}

// cutBefore returns the file up to a word.
func cutBefore(data []byte, word string) []byte {
	rest, _, _ := bytes.Cut(data, []byte(word))
	return rest
}

// overwritten returns the file with bytes in the middle of the second page's stream replaced.
func overwritten(data []byte, with string) []byte {
	data = bytes.Clone(data)
	from := bytes.Index(data, []byte("\n7 0 obj"))
	end := from + bytes.Index(data[from:], []byte("endstream"))
	copy(data[(from+end)/2:end], with)
	return data
}

// damagedFile is a file, and whether some of its text is lost.
type damagedFile struct {
	name   string
	file   []byte
	isLost bool
}

// filesOfThreePages returns a file with three pages, damaged in several ways.
func filesOfThreePages(tb testing.TB) []damagedFile {
	tb.Helper()
	flate := func(content string) string { return deflated(tb, content) }
	base85 := func(content string) string {
		data := deflated(tb, content)
		out := make([]byte, ascii85.MaxEncodedLen(len(data)))
		return string(out[:ascii85.Encode(out, []byte(data))]) + "~>"
	}
	plain := threePages("", func(content string) string { return content })
	compressed := threePages("/Filter/FlateDecode", flate)
	encoded := threePages("/Filter[/ASCII85Decode/FlateDecode]", base85)
	table := bytes.LastIndex(compressed, []byte("xref\n0 "))
	header := strings.Repeat("\x00", len("7 0 obj"))
	_, object, _ := strings.Cut(string(compressed), "7 0 obj")
	dict, _, _ := strings.Cut(object, "stream")
	withoutDict := replaceOnce(tb, compressed, "7 0 obj"+dict, "7 0 obj"+strings.Repeat("\x00", len(dict)))
	return []damagedFile{
		{"undamaged", plain, false},
		{"undamaged, compressed", compressed, false},
		{"undamaged, ASCII85", encoded, false},
		{"zeros in a Flate stream", overwritten(compressed, strings.Repeat("\x00", 40)), true},
		{"wrong bytes in a Flate stream", overwritten(compressed, "damaged!"), true},
		{"zeros in an ASCII85 stream", overwritten(encoded, strings.Repeat("\x00", 40)), true},
		{"invalid characters in an ASCII85 stream", overwritten(encoded, "\xff\xfe{|}\xff"), true},
		{"wrong characters in an ASCII85 stream", overwritten(encoded, "5u9Rk1"), true},
		{"truncated at 80 %", compressed[:len(compressed)*8/10], true},
		{"truncated at 55 %", compressed[:len(compressed)*55/100], true},
		{"truncated ASCII85 stream", encoded[:len(encoded)*8/10], true},
		{"truncated plain stream", plain[:len(plain)*8/10], true},
		{"page object without header", replaceOnce(tb, compressed, "\n4 0 obj", "\n"+header), true},
		{"content stream without header", replaceOnce(tb, compressed, "\n7 0 obj", "\n"+header), true},
		{"content stream without dictionary", withoutDict, true},
		{"page tree without header", replaceOnce(tb, compressed, "\n2 0 obj", "\n"+header), true},
		{"no startxref", replaceOnce(tb, compressed, "startxref", "startyref"), false},
		{"truncated table", compressed[:table+60], false},
		{"no table", compressed[:table], false},
	}
}

// filesOfOnePage returns files with one page that are damaged or unusual.
func filesOfOnePage(tb testing.TB) []damagedFile {
	tb.Helper()
	content := at(50, 700, "words of a page")
	fonts := "/Font<<" + helvetica + ">>"
	short := deflated(tb, content)
	form := "/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Filter/FlateDecode"
	last := replaceOnce(tb, pageWith(content, fonts, "", "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>"), "Kids[",
		"Kids[5 0 R ")
	font := pageWith(content+"BT /F2 10 Tf 50 600 Td (x) Tj ET", "/Font<<"+helvetica+"/F2 6 0 R>>", "", "null",
		"<</Type/Font>>")
	return []damagedFile{
		{"truncated page object", cutBefore(last, "/Contents 4 0 R>>\nendobj\nxref"), true},
		{"unknown filter", pageWith(content, fonts, "/Contents[4 0 R 5 0 R]", stream("/Filter/FlatXDecode", short)), true},
		{"content that is not a stream", pageWith(content, fonts, "/Contents[4 0 R 5 0 R]", "<</Length 7>>"), true},
		{"truncated form", pageWith(content+"/X Do", fonts+"/XObject<</X 5 0 R>>", "", stream(form, short[:len(short)/2])), true},
		{"wrong checksum", pageWith(content, fonts, "/Contents 5 0 R", stream("/Filter/FlateDecode", short[:len(short)-4]+"oops")), true},
		{"no checksum", pageWith(content, fonts, "/Contents 5 0 R", stream("/Filter/FlateDecode", short[:len(short)-4])), false},
		{"empty stream", pageWith(content, fonts, "/Contents[4 0 R 5 0 R]", stream("/Filter/FlateDecode", "")), false},
		{"references to missing objects", pageWith(content, fonts+"/XObject<</X 9 0 R>>", "/Annots[8 0 R]/Contents[4 0 R 7 0 R]"), false},
		{"missing annotation in a repaired file", append(pageWith(content, fonts, "/Annots[8 0 R]"), "startxref 7"...), false},
		{"missing font", cutBefore(font, "\n6 0 obj"), true},
	}
}

func TestLostTextGivesWarning(t *testing.T) {
	for _, test := range append(filesOfThreePages(t), filesOfOnePage(t)...) {
		t.Run(test.name, func(t *testing.T) {
			d, err := read(t, test.file)
			if err != nil || len(d.Blocks) == 0 {
				t.Fatalf("got %q, %v", d.Text(), err)
			}
			if hasWarning := slices.Contains(d.Warnings, damageWarning); hasWarning != test.isLost {
				t.Errorf("%d pages with the warnings %q; want a warning of damage: %v", d.Pages, d.Warnings, test.isLost)
			}
		})
	}
}

func TestUndamagedFilesGiveNoWarning(t *testing.T) {
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
		t.Errorf("found only %d files", seen)
	}
}
