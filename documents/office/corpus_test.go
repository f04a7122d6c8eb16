package office_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"portside/documents"
	"portside/documents/office"
)

// readers are the readers of the package by file extension.
var readers = map[string]struct {
	format documents.Format
	read   documents.Reader
}{
	".docx": {documents.DOCX, office.ReadDOCX},
	".pptx": {documents.PPTX, office.ReadPPTX},
	".xlsx": {documents.XLSX, office.ReadXLSX},
	".odt":  {documents.ODT, office.ReadODT},
	".ods":  {documents.ODS, office.ReadODS},
	".odp":  {documents.ODP, office.ReadODP},
	".epub": {documents.EPUB, office.ReadEPUB},
}

func source(data []byte) documents.Source {
	return documents.FromBytes(data)
}

// parse reads a file with the reader for the extension. With an error, it returns the document so far.
func parse(tb testing.TB, extension string, data []byte) (*documents.Document, error) {
	tb.Helper()
	reader := readers[extension]
	into := documents.NewBuilder(reader.format, documents.DefaultLimits())
	err := reader.read(tb.Context(), source(data), into)
	return into.Document(), err
}

// recall returns the share of the oracle's words that the text has, counted with repetitions.
func recall(oracle, text string) (share float64, missed []string) {
	have := map[string]int{}
	for _, w := range words(text) {
		have[w]++
	}
	wanted := words(oracle)
	for _, w := range wanted {
		if have[w]--; have[w] < 0 {
			missed = append(missed, w)
		}
	}
	if len(wanted) == 0 {
		return 1, nil
	}
	return 1 - float64(len(missed))/float64(len(wanted)), missed
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(documents.Clean(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

func TestReadersAgreeWithOtherPrograms(t *testing.T) {
	oracles, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(oracles) < 20 {
		t.Fatalf("%d oracles, %v", len(oracles), err)
	}
	for _, oracle := range oracles {
		name := strings.TrimSuffix(filepath.Base(oracle), ".txt")
		t.Run(name, func(t *testing.T) {
			d, err := parse(t, filepath.Ext(name), load(t, name))
			if err != nil {
				t.Fatal(err)
			}
			const target, spurious = 0.99, 0.75 // the oracles leave out headers, notes and text boxes
			if share, missed := recall(string(load(t, name+".txt")), d.Text()); share < target {
				t.Errorf("recall %.4f; missed: %q\n%s", share, missed, d.Text())
			}
			if share, extra := recall(d.Text(), string(load(t, name+".txt"))); share < spurious {
				t.Errorf("precision %.4f; not in the oracle: %q", share, extra)
			}
			warnings := map[bool]string{true: "Comments (1) were left out."}[strings.HasPrefix(name, "policy") || strings.HasPrefix(name, "rules")]
			if got := strings.Join(d.Warnings, " "); got != warnings && !strings.HasPrefix(name, "accounts") {
				t.Errorf("warnings: %q", got)
			}
		})
	}
}

func load(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}
