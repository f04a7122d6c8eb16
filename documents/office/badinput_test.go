package office_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"portside/documents"
)

// corpus returns the names of the files in testdata, which other programs made.
func corpus(tb testing.TB) []string {
	tb.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		tb.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if _, ok := readers[filepath.Ext(e.Name())]; ok {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestOtherFilesAreRefused(t *testing.T) {
	container := "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 70_000)
	packaged := container + strings.Join(strings.Split("EncryptedPackage", ""), "\x00") + "\x00"
	for extension := range readers {
		for _, c := range []struct {
			name, data string
			want       error
		}{
			{"empty", "", documents.ErrEmpty},
			{"a byte", "P", documents.ErrDamaged},
			{"text", strings.Repeat("PK\x03\x04 nothing ", 1000), documents.ErrDamaged},
			{"an archive of nothing", string(pack(t)), documents.ErrDamaged},
			{"an archive of something else", string(pack(t, "readme.txt", "hello")), documents.ErrDamaged},
			{"before 2007", container, documents.ErrUnknown},
			{"with a password", packaged, documents.ErrEncrypted},
		} {
			t.Run(extension+", "+c.name, func(t *testing.T) {
				if _, err := parse(t, extension, []byte(c.data)); !errors.Is(err, c.want) {
					t.Error(err)
				}
			})
		}
	}
}

func TestFilesOfAnotherFormatAreDamaged(t *testing.T) {
	for _, name := range corpus(t) {
		for extension := range readers {
			sameFamily := strings.HasPrefix(extension, ".od") && strings.HasPrefix(filepath.Ext(name), ".od")
			if extension == filepath.Ext(name) || sameFamily {
				continue
			}
			t.Run(name+" as "+extension, func(t *testing.T) {
				d, err := parse(t, extension, load(t, name))
				if !errors.Is(err, documents.ErrDamaged) && len(d.Blocks) > 0 && filepath.Ext(name) != ".docx" {
					t.Errorf("%v, %d blocks", err, len(d.Blocks))
				}
			})
		}
	}
}

func TestBrokenFilesDoNotPanic(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range corpus(t) {
		data := load(t, name)
		for i := range 12 {
			if _, err := parse(t, filepath.Ext(name), data[:len(data)*i/12]); err == nil {
				t.Errorf("%s, cut at %d/12, was read", name, i)
			}
			broken := slices.Clone(data)
			for range 1 + i {
				broken[random.IntN(len(broken))] ^= byte(1 + random.IntN(255))
			}
			if _, err := parse(t, filepath.Ext(name), broken); errors.Is(err, documents.ErrPanic) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestWhatWasReadBeforeDamageIsKept(t *testing.T) {
	data := pack(t, "word/document.xml", `<w:document`+wordNames+`><w:body>`+r(`<w:t>kept</w:t>`)+`<w:p><w:r><w:t>cut`)
	d, err := parse(t, ".docx", data)
	if !errors.Is(err, documents.ErrDamaged) || d.Text() != "kept\ncut" {
		t.Errorf("%q, %v", d.Text(), err)
	}
}

func TestEncryptedFilesAreRefused(t *testing.T) {
	manifest := `<!DOCTYPE manifest PUBLIC "x" "y"><manifest><file-entry><encryption-data/></file-entry></manifest>`
	flagged := word(t, r(`<w:t>a</w:t>`))
	for _, magic := range []string{"PK\x03\x04", "PK\x01\x02"} {
		at := 6 // of the flags
		if magic == "PK\x01\x02" {
			at = 8
		}
		for i := range flagged {
			if bytes.HasPrefix(flagged[i:], []byte(magic)) {
				flagged[i+at] |= 1
			}
		}
	}
	for name, data := range map[string][]byte{
		"a.odt":  open(t, "text", `<text:p>a</text:p>`, "META-INF/manifest.xml", manifest),
		"a.ods":  open(t, "spreadsheet", ``, "META-INF/manifest.xml", manifest),
		"a.odp":  open(t, "presentation", ``, "META-INF/manifest.xml", manifest),
		"a.epub": epub(t, "", "META-INF/encryption.xml", `<e><CipherReference URI="OEBPS/chapter%201.xhtml"/></e>`),
		"a.docx": flagged,
	} {
		if _, err := parse(t, filepath.Ext(name), data); !errors.Is(err, documents.ErrEncrypted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

//proves:docs/security.md
func TestDeclaredEntitiesAreRefused(t *testing.T) {
	laughs := `<!DOCTYPE d [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>`
	outside := `<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/hostname">]>`
	for _, head := range []string{laughs, outside} {
		for name, data := range map[string][]byte{
			".docx": pack(t, "word/document.xml", head+`<w:document`+wordNames+`><w:body>`+r(`<w:t>&c;&a;</w:t>`)+`</w:body></w:document>`),
			".odt":  pack(t, "content.xml", head+`<o><body><text><p>&c;&a;</p></text></body></o>`),
			".epub": epub(t, "", "META-INF/encryption.xml", head+"<e/>"),
		} {
			d, err := parse(t, name, data)
			if d.Text() != "" || !errors.Is(err, documents.ErrDamaged) && len(d.Warnings) == 0 {
				t.Errorf("%s: %q, %v", name, d.Text(), err)
			}
		}
	}
}

// limited reads a file with changed limits.
func limited(tb testing.TB, extension string, data []byte, change func(*documents.Limits)) (*documents.Document, error) {
	tb.Helper()
	limits := documents.DefaultLimits()
	change(&limits)
	into := documents.NewBuilder(readers[extension].format, limits)
	err := readers[extension].read(tb.Context(), source(data), into)
	return into.Document(), err
}

func TestLimits(t *testing.T) {
	two := r(`<w:t>one</w:t>`) + r(`<w:br w:type="page"/><w:t>two</w:t>`)
	for _, c := range []struct {
		name   string
		data   []byte
		change func(*documents.Limits)
		want   error
		text   string
	}{
		{"inflated", word(t, r(`<w:t>one</w:t>`)+strings.Repeat(" ", 1<<20)), func(l *documents.Limits) { l.Inflated = 1 << 19 }, documents.ErrTooMuch, "one"},
		{"text", word(t, two), func(l *documents.Limits) { l.Text = 5 }, documents.ErrTooMuch, "one"},
		{"blocks", word(t, two), func(l *documents.Limits) { l.Blocks = 1 }, documents.ErrTooMuch, "one"},
		{"pages", word(t, two), func(l *documents.Limits) { l.Pages = 1 }, nil, "one"},
		{"entries", word(t, two, "a", "", "b", ""), func(l *documents.Limits) { l.Objects = 3 }, documents.ErrTooMuch, ""},
		{"a huge attribute", word(t, r(`<w:t>one</w:t>`)+`<w:p a="`+strings.Repeat("x", 5<<20)+`"/>`), func(*documents.Limits) {}, documents.ErrTooMuch, "one"},
		{"deep", word(t, r(`<w:t>one</w:t>`)+strings.Repeat("<w:sdt>", 100_000)+two+strings.Repeat("</w:sdt>", 100_000)+r(`<w:t>three</w:t>`)),
			func(*documents.Limits) {}, nil, "one\nthree"},
		{"nested archive", pack(t, "word/document.xml", string(word(t, two))), func(*documents.Limits) {}, documents.ErrDamaged, ""},
		{"two of one name", word(t, two, "word/document.xml", `<w:document><w:body>`+r(`<w:t>no</w:t>`)+`</w:body>`+
			`</w:document>`), func(*documents.Limits) {}, nil, "one\ntwo"},
		{"a folded name and a strange path", pack(t, `..\/WORD\Document.XML`, "", `/Word\Document.xml`, `<w:document>`+
			`<w:body>`+two+`</w:body></w:document>`), func(*documents.Limits) {}, nil, "one\ntwo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := limited(t, ".docx", c.data, c.change)
			if !errors.Is(err, c.want) || d.Text() != c.text {
				t.Errorf("%v, %q", err, d.Text())
			}
		})
	}
}

func TestManyEntries(t *testing.T) {
	parts := make([]string, 0, 200_000)
	for i := range 100_000 {
		parts = append(parts, fmt.Sprintf("x/%d.xml", i), "")
	}
	d, err := parse(t, ".docx", word(t, r(`<w:t>one</w:t>`), parts...))
	if err != nil || d.Text() != "one" {
		t.Errorf("%v, %q", err, d.Text())
	}
}

// overlap returns an archive whose entries, which have numbers as names, share the same compressed bytes.
func overlap(t *testing.T, first []byte, name string, count int) []byte {
	t.Helper()
	const headerSize, endSize = 46, 22
	end := len(first) - endSize
	from := int(binary.LittleEndian.Uint32(first[end+16:]))
	last := bytes.LastIndex(first[:end], []byte("PK\x01\x02"))
	header := first[last:end]
	if !bytes.Contains(header[headerSize:], []byte(name)) {
		t.Fatal("the part is not the last")
	}
	out := slices.Clone(first[:last])
	for i := range count {
		out = append(out, bytes.Replace(header, []byte(name), fmt.Appendf(nil, "%0*d", len(name), i), 1)...)
	}
	size, tail := len(out)-from, slices.Clone(first[end:])
	entries := binary.LittleEndian.Uint16(tail[10:]) - 1 + uint16(count)
	binary.LittleEndian.PutUint16(tail[8:], entries)
	binary.LittleEndian.PutUint16(tail[10:], entries)
	binary.LittleEndian.PutUint32(tail[12:], uint32(size))
	return append(out, tail...)
}

func TestOverlappingEntriesShareOneBudget(t *testing.T) {
	const count = 400
	var sheets, targets strings.Builder
	for i := range count {
		fmt.Fprintf(&sheets, `<sheet name="S" r:id="r%d"/>`, i)
		fmt.Fprintf(&targets, `<Relationship Id="r%d" Type="worksheet" Target="%04d"/>`, i, i)
	}
	bomb := overlap(t, pack(t,
		"xl/workbook.xml", `<workbook xmlns:r="r"><sheets>`+sheets.String()+`</sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships>`+targets.String()+`</Relationships>`,
		"xl/data", `<worksheet>`+strings.Repeat(" ", 1<<20)+`</worksheet>`), "data", count)
	d, err := limited(t, ".xlsx", bomb, func(l *documents.Limits) { l.Inflated = 20 << 20 })
	if !errors.Is(err, documents.ErrTooMuch) || d.Pages < 10 || d.Pages > 20 {
		t.Errorf("%v after %d pages", err, d.Pages)
	}
}

func TestFalseSizesInHeaders(t *testing.T) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	part, err := archive.CreateRaw(&zip.FileHeader{
		Name: "content.xml", Method: zip.Deflate, UncompressedSize64: 1 << 62, CompressedSize64: 1 << 61,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte("\x03\x00")); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := parse(t, ".odt", out.Bytes()); !errors.Is(err, documents.ErrDamaged) {
		t.Error(err)
	}
}

func TestReadersEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range corpus(t) {
		reader := readers[filepath.Ext(name)]
		err := reader.read(ctx, source(load(t, name)), documents.NewBuilder(reader.format, documents.DefaultLimits()))
		if !errors.Is(err, context.Canceled) || errors.Is(err, documents.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOtherEncodings(t *testing.T) {
	text := `<?xml version="1.0" encoding="UTF-16"?><w:document><w:body>` + r(`<w:t>größer 𝄞</w:t>`) + `</w:body></w:document>`
	little := binary.LittleEndian.AppendUint16(nil, 0xfeff)
	big := binary.BigEndian.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(text)) {
		little, big = binary.LittleEndian.AppendUint16(little, unit), binary.BigEndian.AppendUint16(big, unit)
	}
	latin := `<?xml version="1.0" encoding="windows-1252"?><w:document>` +
		`<w:body>` + r("<w:t>gr\xf6\xdfer \x80</w:t>") + `</w:body></w:document>`
	for part, want := range map[string]string{string(little): "größer 𝄞", string(big): "größer 𝄞", latin: "größer €"} {
		d, err := parse(t, ".docx", pack(t, "word/document.xml", part))
		if err != nil || d.Text() != want {
			t.Errorf("%v, %q", err, d.Text())
		}
	}
}
