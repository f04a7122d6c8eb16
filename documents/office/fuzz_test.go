package office_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"portside/documents"
)

// fuzz mutates the uncompressed parts of the corpus. Mutations of the compressed bytes would mostly fail their
// checksums.
func fuzz(f *testing.F, extension string) {
	for _, name := range corpus(f) {
		if filepath.Ext(name) == extension {
			f.Add(unpacked(f, load(f, name)))
		}
	}
	f.Fuzz(func(t *testing.T, unpacked []byte) {
		limits := documents.Limits{Text: 1 << 20, Blocks: 10_000, Pages: 100, Inflated: 4 << 20, Depth: 64, Objects: 1_000}
		for _, data := range [][]byte{unpacked, repacked(t, unpacked)} {
			into := documents.NewBuilder(readers[extension].format, limits)
			err := readers[extension].read(t.Context(), source(data), into)
			if errors.Is(err, documents.ErrPanic) {
				t.Fatal(err)
			}
			if d := into.Document(); len(d.Text()) > limits.Text || len(d.Blocks) > limits.Blocks || d.Pages > limits.Pages {
				t.Fatalf("%d bytes, %d blocks, %d pages", len(d.Text()), len(d.Blocks), d.Pages)
			}
		}
	})
}

// mark precedes the name of each part of an unpacked archive.
const mark = "\n%%% "

func unpacked(tb testing.TB, data []byte) []byte {
	tb.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	for _, part := range archive.File {
		if !strings.HasSuffix(part.Name, ".xml") && !strings.HasSuffix(part.Name, "html") && !strings.HasSuffix(part.Name, ".rels") &&
			!strings.HasSuffix(part.Name, ".opf") || strings.Contains(part.Name, "theme") || strings.Contains(part.Name, "Layout") {
			continue
		}
		from, err := part.Open()
		if err != nil {
			tb.Fatal(err)
		}
		content, err := io.ReadAll(from)
		if err != nil {
			tb.Fatal(err)
		}
		const smallSeed = 12 << 10 // larger parts are styles, which are slow to mutate
		if len(content) > smallSeed {
			continue
		}
		out.WriteString(mark + part.Name + "\n")
		out.Write(content)
	}
	return out.Bytes()
}

func repacked(tb testing.TB, unpacked []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for i, text := range strings.Split(string(unpacked), mark) {
		name, content, _ := strings.Cut(text, "\n")
		if i == 0 || len(name) > 100 {
			continue
		}
		part, err := archive.CreateHeader(&zip.FileHeader{Name: name})
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(part, content); err != nil && !strings.HasSuffix(name, "/") {
			tb.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func FuzzReadDOCX(f *testing.F) { fuzz(f, ".docx") }
func FuzzReadPPTX(f *testing.F) { fuzz(f, ".pptx") }
func FuzzReadXLSX(f *testing.F) { fuzz(f, ".xlsx") }
func FuzzReadODT(f *testing.F)  { fuzz(f, ".odt") }
func FuzzReadODS(f *testing.F)  { fuzz(f, ".ods") }
func FuzzReadODP(f *testing.F)  { fuzz(f, ".odp") }
func FuzzReadEPUB(f *testing.F) { fuzz(f, ".epub") }
