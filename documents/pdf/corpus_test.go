package pdf_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"portside/documents"
	"portside/documents/pdf"
)

// TestTextMatchesPdftotext compares every file of the corpus with the output of pdftotext.
func TestTextMatchesPdftotext(t *testing.T) {
	for _, s := range scores(t) {
		want := 0.98
		if strings.Contains(s.name, "columns") {
			want = 0.95
		}
		t.Logf("%-28s F1 %.4f, order %.4f", s.name, s.f1, s.order)
		// pdftotext reads tables column by column, or in no order at all.
		if s.f1 < want || s.order < want && !s.tables {
			t.Errorf("%s: F1 %.4f, order %.4f; want %.2f", s.name, s.f1, s.order, want)
		}
	}
}

// score is how close the text of a file comes to that of pdftotext, in words and in pairs of adjacent words.
type score struct {
	name      string
	f1, order float64
	tables    bool
}

// scores reads the whole corpus.
func scores(tb testing.TB) []score {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(files) < 30 {
		tb.Fatalf("the corpus has %d files, %v", len(files), err)
	}
	var all []score
	for _, file := range files {
		expected, err := os.ReadFile(strings.TrimSuffix(file, ".pdf") + ".txt")
		if err != nil {
			tb.Fatal(err)
		}
		d, err := readFile(tb, file)
		if err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		got, want := tokens(d.Text()), tokens(joinHyphens(string(expected)))
		all = append(all, score{filepath.Base(file), f1(got, want), f1(pairs(got), pairs(want)), hasRows(d)})
	}
	return all
}

func hasRows(d *documents.Document) bool {
	rows := 0
	for _, b := range d.Blocks {
		if b.Kind == documents.Row {
			rows++
		}
	}
	return rows*5 > len(d.Blocks)
}

func readFile(tb testing.TB, file string) (*documents.Document, error) {
	tb.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return read(tb, data)
}

func read(tb testing.TB, data []byte) (*documents.Document, error) {
	tb.Helper()
	b := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	err := pdf.Read(tb.Context(), documents.FromBytes(data), b)
	return b.Document(), err
}

// tokens returns the words that have a letter or a digit. That excludes bullets, which the reader replaces by
// the kind of the block.
func tokens(text string) []string {
	var found []string
	for w := range strings.FieldsSeq(norm.NFKC.String(documents.Clean(text))) {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			found = append(found, w)
		}
	}
	return found
}

// joinHyphens joins words that pdftotext leaves hyphenated.
func joinHyphens(text string) string {
	text = strings.ReplaceAll(text, "\f", "\n")
	lines := strings.Split(text, "\n")
	var out strings.Builder
	for i, l := range lines {
		stem, cut := strings.CutSuffix(strings.ReplaceAll(l, "\u2010", "-"), "-")
		if cut && i+1 < len(lines) &&
			strings.HasSuffix(strings.TrimRightFunc(stem, unicode.IsLetter), " ") == (strings.Contains(stem, " ")) &&
			strings.IndexFunc(lines[i+1], unicode.IsLower) == 0 {
			out.WriteString(stem)
			continue
		}
		out.WriteString(l + "\n")
	}
	return out.String()
}

func pairs(words []string) []string {
	var all []string
	for i := 1; i < len(words); i++ {
		all = append(all, fmt.Sprint(words[i-1], " ", words[i]))
	}
	return all
}

// f1 returns the harmonic mean of precision and recall of two bags of words.
func f1(got, want []string) float64 {
	counts := map[string]int{}
	for _, w := range want {
		counts[w]++
	}
	hits := 0
	for _, w := range got {
		if counts[w] > 0 {
			counts[w]--
			hits++
		}
	}
	if len(got)+len(want) == 0 {
		return 1
	}
	return 2 * float64(hits) / float64(len(got)+len(want))
}
