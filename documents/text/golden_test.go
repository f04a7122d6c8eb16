package text_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/documents"
	"portside/documents/text"
)

var update = flag.Bool("update", false, "write the golden files anew; read the difference before committing them")

// readers are the readers by file extension.
var readers = map[string]documents.Reader{
	".txt": text.ReadText, ".md": text.ReadMarkdown, ".html": text.ReadHTML, ".csv": text.ReadCSV,
	".json": text.ReadJSON, ".xml": text.ReadXML, ".rtf": text.ReadRTF, ".eml": text.ReadMail,
	".srt": text.ReadCaptions, ".vtt": text.ReadCaptions,
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, name := range files {
		read := readers[filepath.Ext(name)]
		if read == nil || name == filepath.Join("testdata", "README.md") {
			continue
		}
		tested++
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := document(t, read, string(data))
			if err != nil {
				t.Fatal(err)
			}
			checkOffsets(t, doc)
			compareGolden(t, name+".golden", shown(doc))
		})
	}
	if tested < 15 {
		t.Errorf("only %d files were read", tested)
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// shown returns a document as golden files have it: a line for each block.
func shown(d *documents.Document) string {
	var out strings.Builder
	fmt.Fprintf(&out, "title %q, %d pages\n", d.Title, d.Pages)
	for _, warning := range d.Warnings {
		fmt.Fprintf(&out, "warning: %s\n", warning)
	}
	for _, b := range d.Blocks {
		fmt.Fprintf(&out, "%s", b.Kind)
		if b.Kind == documents.Heading || b.Kind == documents.ListItem {
			fmt.Fprintf(&out, " %d", b.Level)
		}
		if b.Kind == documents.Caption {
			fmt.Fprintf(&out, " %g-%g", b.Time.From, b.Time.To)
		}
		if b.Kind != documents.Row && b.Kind != documents.Field {
			fmt.Fprintf(&out, ": %q\n", b.Text)
			continue
		}
		if b.Kind == documents.Row {
			fmt.Fprintf(&out, " of table %d", b.Table)
		}
		for _, cell := range b.Cells {
			mark := ""
			if cell.Header {
				mark = "!"
			}
			fmt.Fprintf(&out, " | %d%s %s", cell.Column, mark, cell.Text)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func document(tb testing.TB, read documents.Reader, data string) (*documents.Document, error) {
	tb.Helper()
	into := documents.NewBuilder("", documents.DefaultLimits())
	err := read(tb.Context(), source(data), into)
	return into.Document(), err
}

func source(data string) documents.Source {
	return documents.FromBytes([]byte(data))
}

// checkOffsets checks every offset against the document's text.
func checkOffsets(tb testing.TB, d *documents.Document) {
	tb.Helper()
	whole := d.Text()
	for i, b := range d.Blocks {
		if whole[b.Start:b.End()] != b.Text {
			tb.Errorf("block %d is %q, at its offset is %q", i, b.Text, whole[b.Start:b.End()])
		}
		for _, c := range b.Cells {
			if whole[c.Start:c.Start+len(c.Text)] != c.Text {
				tb.Errorf("cell %q is not at its offset", c.Text)
			}
		}
	}
}
