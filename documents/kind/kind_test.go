package kind_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"portside/documents"
	"portside/documents/internal/scale"
	"portside/documents/kind"
)

func source(data string) documents.Source {
	return documents.FromBytes([]byte(data))
}

func detect(t *testing.T, data string) (documents.Format, error) {
	t.Helper()
	return kind.Detect(t.Context(), source(data), documents.DefaultLimits())
}

type sample struct {
	name string
	data string
	want documents.Format
	err  error
}

func check(t *testing.T, samples []sample) {
	t.Helper()
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			got, err := detect(t, s.data)
			if got != s.want || !errors.Is(err, s.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, s.want, s.err)
			}
		})
	}
}

func TestRealFiles(t *testing.T) {
	for name, want := range map[string]documents.Format{
		"note.docx": documents.DOCX, "note.odt": documents.ODT, "note.epub": documents.EPUB, "note.rtf": documents.RTF,
		"note.pptx": documents.PPTX,
		"note.pdf":  documents.PDF, "note.odp": documents.ODP, "numbers.xlsx": documents.XLSX, "numbers.ods": documents.ODS,
		"tone.mp3": documents.Audio, "tone.wav": documents.Audio, "tone.flac": documents.Audio, "tone.ogg": documents.Audio,
		"tone.m4a": documents.Audio, "tone.aac": documents.Audio, "sound.mp4": documents.Video,
		"tint.mp4": documents.Video, "tint.mov": documents.Video, "tint.webm": documents.Video, "tint.mkv": documents.Video,
		"tint.avi": documents.Video,
		"tint.png": documents.Image, "tint.jpg": documents.Image, "tint.gif": documents.Image, "tint.webp": documents.Image,
		"tint.tiff": "", "tint.bmp": "", "note.doc": "", "numbers.xls": "",
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := detect(t, string(data))
			if got != want || (want == "") != errors.Is(err, documents.ErrUnknown) {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestTexts(t *testing.T) {
	check(t, []sample{
		{"prose", "The meeting began at nine. Anna, Bob and Carl came, and so did Dora.\n", documents.PlainText, nil},
		{"prose with a comma a line", "Roses are red, violets are blue\nsugar is sweet, and so are you\nlilies are white, as they ever were\n",
			documents.PlainText, nil},
		{"letter", "Dear Anna,\nthank you, it was good, really.\nBest wishes,\nBob\n", documents.PlainText, nil},
		{"address", "Anna Berg, Director\nHauptstrasse 5, Berlin\n", documents.PlainText, nil},
		{"one line of commas", "a,b,c,d", documents.PlainText, nil},
		{"labels", "Invoice: 17\nDate: 2024-05-03\nTotal: 120.00\n", documents.PlainText, nil},
		{"memo without the fields of a mail", "Title: x\nAuthor: y\n\nText\n", documents.PlainText, nil},
		{"brackets", "[Note] hello there", documents.PlainText, nil},
		{"numbered in brackets", "[1] First source\n[2] Second source\n", documents.PlainText, nil},
		{"braces", "{not json at all}", documents.PlainText, nil},
		{"address in angles", "<anna@example.com> wrote: hello", documents.PlainText, nil},
		{"smaller than", "< 5 is small\n", documents.PlainText, nil},
		{"comment in a script", "#!/bin/sh\n# a comment\n# another\nset -e\n", documents.PlainText, nil},
		{"bullets alone", "- milk\n- bread\n", documents.PlainText, nil},
		{"WebVTT", "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n", documents.PlainText, nil},
		{"SRT", "1\n00:00:01,000 --> 00:00:02,000\nHi\n", documents.PlainText, nil},
		{"about PDF", "A file begins with %PDF-1.7 and goes on.\n", documents.PlainText, nil},
		{"begins like a bitmap", "BM is an abbreviation that has many meanings in many fields.", documents.PlainText, nil},
		{"comma separated", "name,amount\nAnna,5\nBob,7\n", documents.CSV, nil},
		{"semicolons", "Artikel;Menge;Preis\nSchraube;5;1,20\nMutter;7;0,80\n", documents.CSV, nil},
		{"tabs", "name\tamount\nAnna\t5\n", documents.CSV, nil},
		{"pipes", "a|b|c\n1|2|3\n4|5|6\n", documents.CSV, nil},
		{"quoted", "name,note\n\"Berg, Anna\",\"says \"\"hi\"\"\nand more\"\n\"Carl\",x\nD,y\n", documents.CSV, nil},
		{"sep line", "sep=;\na;b\n1;2\n", documents.CSV, nil},
		{"ragged", "a,b,c,d\n1,2,3,4\n1,2\n1,2,3,4\n5,6,7,8\n", documents.CSV, nil},
		{"JSON", `{"a": [1, 2]}`, documents.JSON, nil},
		{"JSON lines", "{\"a\": 1}\n{\"a\": 2}\n", documents.JSON, nil},
		{"JSON array", "  [1, 2]\n", documents.JSON, nil},
		{"JSON cut short", `{"name": "Anna", "tags": ["x", "y`, documents.JSON, nil},
		{"JSON with a byte order mark", "\xef\xbb\xbf{\"a\": 1}", documents.JSON, nil},
		{"XML", "<?xml version=\"1.0\"?>\n<invoice><id>1</id></invoice>", documents.XML, nil},
		{"XML without declaration", "<invoice><id>1</id></invoice>\n", documents.XML, nil},
		{"SVG", `<svg xmlns="http://www.w3.org/2000/svg"><text>Hi</text></svg>`, documents.XML, nil},
		{"SVG with a DTD", "<?xml version=\"1.0\"?><!DOCTYPE svg><svg><text>Hi</text></svg>", documents.XML, nil},
		{"HTML", "<!DOCTYPE html><title>x</title>", documents.HTML, nil},
		{"HTML fragment", "<p>Hello</p>", documents.HTML, nil},
		{"HTML after a comment", "<!-- made by hand -->\n<HTML><body>x", documents.HTML, nil},
		{"XHTML", "<?xml version=\"1.0\"?>\n<!DOCTYPE html><html><body/></html>", documents.HTML, nil},
		{"XHTML without doctype", "<?xml version=\"1.0\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><body/></html>", documents.HTML, nil},
		{"RTF", `{\rtf1\ansi Hello}`, documents.RTF, nil},
		{"mail", "From: a@example.com\r\nTo: b@example.com\r\nSubject: Hi\r\n\r\nHello\r\n", documents.Mail, nil},
		{"mail from a mailbox file", "From a@example.com Mon\nReceived: by x\n\tfor y\nFrom: a@example.com\nDate: today\n\nHello\n", documents.Mail, nil},
		{"fields without an end", "From: a@example.com\nTo: b@example.com\nSubject: Hi\n", documents.PlainText, nil},
		{"Markdown", "# Title\n\nSome text with **strong** words.\n", documents.Markdown, nil},
		{"Markdown table", "| a | b |\n|---|---|\n| 1 | 2 |\n", documents.Markdown, nil},
		{"front matter", "---\ntitle: x\n---\n\nText\n", documents.Markdown, nil},
	})
}

func TestEncodings(t *testing.T) {
	polish := "Zażółć gęślą jaźń, a potem napisz umowę o współpracy.\n"
	check(t, []sample{
		{"UTF-8", polish, documents.PlainText, nil},
		{"UTF-8 cut in a letter", strings.Repeat("ł", 40_000), documents.PlainText, nil},
		{"UTF-16 little with mark", "\xff\xfe" + utf16Of(polish, binary.LittleEndian), documents.PlainText, nil},
		{"UTF-16 big with mark", "\xfe\xff" + utf16Of(polish, binary.BigEndian), documents.PlainText, nil},
		{"UTF-16 little", utf16Of(polish, binary.LittleEndian), documents.PlainText, nil},
		{"UTF-16 big", utf16Of(polish, binary.BigEndian), documents.PlainText, nil},
		{"UTF-16 of odd length", utf16Of(polish, binary.LittleEndian) + "x", documents.PlainText, nil},
		{"UTF-16 JSON", utf16Of(`{"name": "Anna", "age": 7}`, binary.LittleEndian), documents.JSON, nil},
		{"UTF-16 CSV", "\xff\xfe" + utf16Of("a\tb\n1\t2\n", binary.LittleEndian), documents.CSV, nil},
		{"Latin", "Gr\xfc\xdfe aus M\xfcnchen, sch\xf6n", documents.PlainText, nil},
		{"Latin CSV", "Name;Ort\nJ\xf6rg;K\xf6ln\nAnna;D\xfcren\n", documents.CSV, nil},
		{"Russian of DOS", "\x84\xae\xa3\xae\xa2\xae\xe0 \xa0\xe0\xa5\xad\xa4\xeb: 45 000 \xe0\xe3\xa1\xab\xa5\xa9", documents.PlainText, nil},
		{"EBCDIC", "\xe3\x88\x85\x40\xa3\x85\x95\x81\x95\xa3\x40\x97\x81\xa8\xa2\x40\xf9\xf5\xf0\x4b", documents.PlainText, nil},
		{"one stray zero in a long text", strings.Repeat("word ", 100) + "\x00", documents.PlainText, nil},
	})
}

func utf16Of(text string, order binary.AppendByteOrder) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func TestDetectRefuses(t *testing.T) {
	check(t, []sample{
		{"empty", "", "", documents.ErrEmpty},
		{"white space", " \r\n\t\n", "", documents.ErrEmpty},
		{"zeros", strings.Repeat("\x00", 100), "", documents.ErrEmpty},
		{"a program", "\x7fELF\x02\x01\x01" + strings.Repeat("\x00\x01\x02", 99), "", documents.ErrUnknown},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03abc\x01\x02\x03\x04", "", documents.ErrUnknown},
		{"few strange bytes", "\x01\x02\x03", "", documents.ErrUnknown},
		{"PDF cut after its header", "%PDF-1.4\n", documents.PDF, nil},
		{"PDF after other bytes", "junk\x00\x01\n%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", documents.PDF, nil},
		{"PDF too far in", strings.Repeat("\x01", 2000) + "%PDF-1.4\n1 0 obj\n", "", documents.ErrUnknown},
		{"OLE cut short", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1abc", "", documents.ErrDamaged},
		{"OLE with an encrypted package", ole("Root Entry", "EncryptionInfo", "EncryptedPackage"), "", documents.ErrEncrypted},
		{"encrypted Word document of before 2007", oleStream("WordDocument", "\xec\xa5\xc1\x00\x00\x00\x00\x00\x00\x00\x00\x01"), "", documents.ErrEncrypted},
		{"encrypted workbook of before 2007", oleStream("Workbook", "\x09\x08\x02\x00\x00\x06\x2f\x00\x02\x00\x01\x00"), "", documents.ErrEncrypted},
		{"encrypted presentation of before 2007", ole("Root Entry", "EncryptedSummary"), "", documents.ErrEncrypted},
		{"mail of Outlook", ole("Root Entry", "__nameid_version1.0"), documents.Mail, nil},
		{"another order", ole("Root Entry", "__recip_version1.0_#00000000", "__substg1.0_0037001F"), documents.Mail, nil},
		{"OLE with something else", ole("Root Entry", "WordDocument"), "", documents.ErrUnknown},
	})
}

// ole returns an OLE container whose directory has these entries, which are empty.
func ole(entries ...string) string {
	header := make([]byte, 512)
	copy(header, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	binary.LittleEndian.PutUint16(header[30:], 9)
	binary.LittleEndian.PutUint32(header[48:], 1)
	directory := make([]byte, 1024)
	for i, name := range entries {
		copy(directory[512+128*i:], utf16Of(name, binary.LittleEndian))
	}
	return string(header) + string(directory)
}

// oleStream returns an OLE container with a stream.
func oleStream(name, data string) string {
	const streamAt, sector = 512 + 512 + 128 + 116, 2
	container := []byte(ole("Root Entry", name))
	binary.LittleEndian.PutUint32(container[streamAt:], sector)
	return string(container) + data
}

func TestOldDocumentsAreRefusedInWords(t *testing.T) {
	for name, data := range map[string]string{
		"document": oleStream("WordDocument", "\xec\xa5\xc1\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
		"workbook": oleStream("Workbook", "\x09\x08\x02\x00\x00\x06\x0a\x00\x00\x00"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := detect(t, data)
			if e := documents.AsError(err); e == nil || !strings.Contains(e.Message, "before 2007") {
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
}

func TestArchives(t *testing.T) {
	const types = `<?xml version="1.0"?><Types><Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/%s" ContentType="application/vnd.%s.main+xml"/></Types>`
	office := func(part, kind string) string {
		return archive(t, "[Content_Types].xml", fmt.Sprintf(types, part, kind), part, "<x/>")
	}
	const odt = "application/vnd.oasis.opendocument.text"
	check(t, []sample{
		{"document with macros", office("word/document.xml", "ms-word.document.macroEnabled"), documents.DOCX, nil},
		{"template of a sheet", office("xl/workbook.xml", "openxmlformats-officedocument.spreadsheetml.template"), documents.XLSX, nil},
		{"show with macros", office("ppt/presentation.xml", "ms-powerpoint.slideshow.macroEnabled"), documents.PPTX, nil},
		{"main part elsewhere", office("w/main.xml", "openxmlformats-officedocument.wordprocessingml.document"), documents.DOCX, nil},
		{"binary sheet", office("xl/workbook.bin", "ms-excel.sheet.binary.macroEnabled"), "", documents.ErrUnknown},
		{"main part missing", archive(t, "[Content_Types].xml",
			fmt.Sprintf(types, "word/document.xml", "ms-word.document.macroEnabled"), "x", "y"), "", documents.ErrUnknown},
		{"template of OpenDocument", archive(t, "mimetype", odt+"-template", "content.xml", "<x/>"), documents.ODT, nil},
		{"OpenDocument by its manifest", archive(t, "META-INF/manifest.xml",
			`<manifest><file-entry full-path="/" media-type="`+odt+`"/></manifest>`, "content.xml", "<x/>"), documents.ODT, nil},
		{"encrypted OpenDocument", archive(t, "mimetype", odt, "content.xml", "x", "META-INF/manifest.xml",
			`<manifest><file-entry full-path="content.xml"><encryption-data/></file-entry></manifest>`), "",
			documents.ErrEncrypted},
		{"drawing of OpenDocument", archive(t, "mimetype", "application/vnd.oasis.opendocument.graphics", "content.xml", "x"), "", documents.ErrUnknown},
		{"EPUB without mimetype", archive(t, "META-INF/container.xml", "<x/>"), documents.EPUB, nil},
		{"EPUB in name only", archive(t, "mimetype", "application/epub+zip"), "", documents.ErrUnknown},
		{"pictures", archive(t, "a.png", "x", "b.png", "y"), "", documents.ErrUnknown},
		{"Java", archive(t, "META-INF/MANIFEST.MF", "x", "A.class", "y"), "", documents.ErrUnknown},
		{"PDF within", archive(t, "a.pdf", "%PDF-1.4\n1 0 obj\n"), "", documents.ErrUnknown},
		{"no members", archive(t), "", documents.ErrUnknown},
		{"cut short", office("word/document.xml", "ms-word.document.macroEnabled")[:200], "", documents.ErrDamaged},
		{"picture with an archive behind", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + archive(t, "mimetype", odt, "content.xml", "x"), documents.Image, nil},
		{"PDF with an archive behind", "%PDF-1.4\n" + archive(t, "mimetype", odt, "content.xml", "x"), documents.PDF, nil},
		{"program with an archive behind", "MZ\x90\x00\x03\x00\x00\x00" + archive(t, "mimetype", odt, "content.xml", "x"), "", documents.ErrUnknown},
	})
}

// archive returns a zip file; members are pairs of a name and a content.
func archive(t *testing.T, members ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, members[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// counting counts the bytes that are read from a file.
type counting struct {
	io.ReaderAt
	read int
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.read += n
	return n, err
}

func TestDetectReadsLittle(t *testing.T) {
	var members []string
	for i := range 60_000 {
		members = append(members, fmt.Sprintf("a-rather-long-name-of-a-member-that-fills-the-directory-%d", i), "")
	}
	for name, c := range map[string]struct {
		data  string
		limit int
		err   error
	}{
		"text":         {strings.Repeat("words and words. ", 1<<20), 64 << 10, nil},
		"huge archive": {archive(t, members...), 5 << 20, documents.ErrTooMuch},
		"big member":   {archive(t, "mimetype", strings.Repeat("x", 8<<20)), 512 << 10, documents.ErrUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			counted := &counting{ReaderAt: strings.NewReader(c.data)}
			file := documents.Source{ReaderAt: counted, Size: int64(len(c.data))}
			if _, err := kind.Detect(t.Context(), file, documents.DefaultLimits()); !errors.Is(err, c.err) {
				t.Errorf("got %v, want %v", err, c.err)
			}
			if counted.read > c.limit {
				t.Errorf("read %d bytes, at most %d are needed", counted.read, c.limit)
			}
		})
	}
}

func TestDetectLimitsEntries(t *testing.T) {
	limits := documents.DefaultLimits()
	limits.Objects = 2
	_, err := kind.Detect(t.Context(), source(archive(t, "a", "", "b", "", "c", "")), limits)
	if !errors.Is(err, documents.ErrTooMuch) {
		t.Errorf("got %v", err)
	}
}

func TestDetectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := kind.Detect(ctx, source("text"), documents.DefaultLimits()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }

func TestFailingSource(t *testing.T) {
	file := documents.Source{ReaderAt: broken{}, Size: 9}
	if _, err := kind.Detect(t.Context(), file, documents.DefaultLimits()); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func TestDetectIgnoresAppendedBytes(t *testing.T) {
	png, err := os.ReadFile(filepath.Join("testdata", "tint.png"))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		tail := rapid.SliceOf(rapid.Byte()).Draw(t, "tail")
		got, err := kind.Detect(t.Context(), source(string(png)+string(tail)), documents.DefaultLimits())
		if err != nil || got != documents.Image {
			t.Fatalf("got %q, %v", got, err)
		}
	})
}

func FuzzDetect(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 4096)])
	}
	f.Add([]byte(ole("Root Entry", "EncryptedPackage")))
	f.Add([]byte("From: a\nTo: b\nDate: c\n\nd"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := detect(t, string(data))
		second, again := detect(t, string(data))
		if errors.Is(err, documents.ErrPanic) {
			t.Error(err)
		}
		if first != second || (err == nil) != (again == nil) || (first == "") != (err != nil) {
			t.Errorf("%q, %v and then %q, %v", first, err, second, again)
		}
	})
}
