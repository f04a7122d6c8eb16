package kind_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/documents"
)

func load(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// If a file fits two formats, its beginning decides, so that nothing can hide behind it.
func TestPolyglots(t *testing.T) {
	docx, pdf, png := load(t, "note.docx"), load(t, "note.pdf"), load(t, "tint.png")
	words := strings.Repeat("Words that somebody put there for a machine. ", 3000)
	check(t, []sample{
		{"PDF with a document behind", pdf + docx, documents.PDF, nil},
		{"PDF within the first member", archive(t, "x", pdf, "y", "z"), "", documents.ErrUnknown},
		{"document with a PDF behind", docx + pdf, documents.DOCX, nil},
		{"page with a document behind", "<!DOCTYPE html><p>Hi</p>" + docx, "", documents.ErrUnknown},
		{"two documents, of which the directory of the last counts", load(t, "note.pptx") + docx, documents.DOCX, nil},
		{"text in a picture", png[:33] + "\x00\x02\x00\x00tEXtComment\x00" + words, documents.Image, nil},
		{"text in a photograph", "\xff\xd8\xff\xfe\x7f\x7f" + words, documents.Image, nil},
		{"text in an animation", "GIF89a\x01\x00\x01\x00\x80\x00\x00!\xfe" + words, documents.Image, nil},
		{"text about animations", "GIF89a is a format. " + words, documents.PlainText, nil},
		{"words of a song", "ID3\x03\x00\x00\x00\x00\x7f\x7fUSLT\x00\x00\x7f\x7f\x00\x00\x00eng" + words, documents.Audio, nil},
		{"pictures as they are in RTF", `{\rtf1 a\par{\pict\bin9000 ` + png + strings.Repeat("\x00\x01\x02\x03", 20_000), documents.RTF, nil},
	})
}

// An archive of uncompressed texts looks like text except for a few bytes.
func TestPackedFilesAreNotText(t *testing.T) {
	words := strings.Repeat("Words upon words upon words. ", 3000)
	var tarred, zipped bytes.Buffer
	w := tar.NewWriter(&tarred)
	err := errors.Join(w.WriteHeader(&tar.Header{Name: "a.txt", Size: int64(len(words)), Mode: 0o600}), write(w, words),
		w.Close())
	stored, flate := gzip.NewWriterLevel(&zipped, gzip.NoCompression)
	if err := errors.Join(err, flate, write(stored, words), stored.Close()); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"tar": tarred.String(), "gzip": zipped.String(), "7-Zip": "7z\xbc\xaf\x27\x1c\x00\x04" + words,
		"RAR":       "Rar!\x1a\x07\x01\x00" + words,
		"Zstandard": "\x28\xb5\x2f\xfd" + words, "bzip2": "BZh91AY&SY" + words, "xz": "\xfd7zXZ\x00" + words,
	} {
		format, err := detect(t, data)
		if format != "" || !errors.Is(err, documents.ErrUnknown) ||
			!strings.Contains(documents.AsError(err).Message, "Unpack") {
			t.Errorf("%s: %q, %v", name, format, err)
		}
	}
}

func write(to interface{ Write([]byte) (int, error) }, text string) error {
	_, err := to.Write([]byte(text))
	return err
}

// The message of a refusal says what to send instead.
func TestRefusalsSayWhatToSend(t *testing.T) {
	for name, c := range map[string]struct{ data, word string }{
		"TIFF": {load(t, "tint.tiff"), "PNG"}, "BMP": {load(t, "tint.bmp"), "PNG"},
		"HEIC":          {"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic\x00\x00\x00\x00", "PNG"},
		"AVIF":          {"\x00\x00\x00\x18ftypavif\x00\x00\x00\x00mif1avif\x00\x00\x00\x00", "PNG"},
		"old Word":      {load(t, "note.doc"), ".docx"},
		"winmail.dat":   {"\x78\x9f\x3e\x22\x01\x00\x01\x06\x90\x08\x00\x04\x00\x00\x00", ".msg"},
		"anything else": {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 99), "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := detect(t, c.data)
			e := documents.AsError(err)
			if !errors.Is(err, documents.ErrUnknown) || e == nil || !e.Unsupported || !strings.Contains(e.Message, c.word) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// A zip file may have two central directories. The detector and the reader must use the same one.
func TestSecondDirectory(t *testing.T) {
	first := archive(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", "<x/>")
	comment := []byte(first)
	docx := load(t, "note.docx")
	binary.LittleEndian.PutUint16(comment[len(comment)-2:], uint16(len(docx)))
	for name, c := range map[string]struct {
		data string
		want documents.Format
	}{
		"one after the other":                    {first + docx, documents.DOCX},
		"the second in the comment of the first": {string(comment) + docx, documents.DOCX},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := detect(t, c.data); got != c.want {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		})
	}
}
