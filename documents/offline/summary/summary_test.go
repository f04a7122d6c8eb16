package summary

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/language"
)

// example is a test document, with the phrases that its summary must mention.
type example struct {
	name string
	lang answers.Lang
	must []string
	text string
}

func (e *example) document(tb testing.TB) *documents.Document { return documentOf(tb, e.text) }

// documentOf reads a little Markdown: headings, list items, and every other line a paragraph.
func documentOf(tb testing.TB, text string) *documents.Document {
	tb.Helper()
	b := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	for line := range strings.SplitSeq(text, "\n") {
		block := documents.Block{Kind: documents.Paragraph, Text: line}
		if body, is := strings.CutPrefix(line, "#"); is {
			text := strings.TrimLeft(body, "#")
			block = documents.Block{Kind: documents.Heading, Level: 1 + len(body) - len(text), Text: text}
		} else if body, is := strings.CutPrefix(line, "- "); is {
			block = documents.Block{Kind: documents.ListItem, Text: body}
		}
		if err := b.Add(block); err != nil {
			tb.Fatal(err)
		}
	}
	return b.Document()
}

// examples reads testdata/summaries. The part "common" of a file is filler text at the end of each of its documents.
func examples(tb testing.TB) []example {
	tb.Helper()
	var list []example
	for _, lang := range answers.Langs() {
		file, err := os.ReadFile(filepath.Join("testdata", "summaries", string(lang)+".txt"))
		if err != nil {
			tb.Fatal(err)
		}
		all, common, _ := strings.Cut(strings.TrimPrefix(string(file), "=== "), "\n=== common\n")
		for part := range strings.SplitSeq(all, "\n=== ") {
			name, rest, _ := strings.Cut(part, "\n")
			must, text, _ := strings.Cut(strings.TrimPrefix(rest, "must: "), "\n")
			list = append(list, example{name, lang, strings.Split(must, " | "), text + "\n" + common})
		}
	}
	return list
}

func summaryOf(tb testing.TB, d *documents.Document, s answers.SummarySettings) answers.Summary {
	tb.Helper()
	summary, err := Summarize(tb.Context(), d, s)
	if err != nil {
		tb.Fatal(err)
	}
	return summary
}

var lengths = []answers.Length{answers.Short, answers.Medium, answers.Long}

func TestSummariesMentionWhatTheyMust(t *testing.T) {
	list := examples(t)
	if len(list) < 30 {
		t.Fatalf("only %d documents", len(list))
	}
	found, wanted := map[answers.Lang]int{}, map[answers.Lang]int{}
	for _, e := range list {
		text := summaryOf(t, e.document(t), answers.SummarySettings{Length: answers.Medium}).Text
		mentioned := 0
		for _, phrase := range e.must {
			if strings.Contains(strings.ToLower(text), strings.ToLower(phrase)) {
				mentioned++
			}
		}
		found[e.lang] += mentioned
		wanted[e.lang] += len(e.must)
		if mentioned == 0 {
			t.Errorf("%s %s: the summary mentions nothing of what it must: %s", e.lang, e.name, text)
		}
	}
	for _, lang := range answers.Langs() {
		t.Logf("%s: %d of %d", lang, found[lang], wanted[lang])
		if 10*found[lang] < 6*wanted[lang] {
			t.Errorf("%s: summaries mention %d of %d", lang, found[lang], wanted[lang])
		}
	}
}

func TestDetectDocuments(t *testing.T) {
	for _, e := range examples(t) {
		if got := language.Detect(e.document(t).Text()); got != e.lang {
			t.Errorf("%s %s: taken for %q", e.lang, e.name, got)
		}
	}
}
