package summary

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/internal/scale"
)

var maxWords = map[answers.Length]int{answers.Short: 50, answers.Medium: 120, answers.Long: 300}

var maxLines = map[answers.Length]int{answers.Short: 2, answers.Medium: 5, answers.Long: 12}

// plain removes what a summary may change: line breaks and the case of the first letter.
func plain(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// linesIn returns the bullets of a summary.
func linesIn(text string) []string {
	return strings.Split(strings.TrimPrefix(text, "- "), "\n- ")
}

func TestSummariesConsistOfSentencesOfTheDocument(t *testing.T) {
	for _, e := range examples(t) {
		d := e.document(t)
		previous := []string{}
		for _, length := range lengths {
			summary := summaryOf(t, d, answers.SummarySettings{Length: length, Shape: answers.AsBullets})
			lines := linesIn(summary.Text)
			checkLines(t, d, lines)
			if words := wordCount(strings.Join(lines, " ")); words > maxWords[length] || len(lines) > maxLines[length] {
				t.Errorf("%s %s %s: %d words in %d lines", e.lang, e.name, length, words, len(lines))
			}
			for _, line := range previous {
				if !slices.Contains(lines, line) && !strings.Contains(plain(d.Text()), ", "+plain(line)) {
					t.Errorf("%s %s %s: lost %q", e.lang, e.name, length, line)
				}
			}
			previous = lines
			if again := summaryOf(t, d,
				answers.SummarySettings{Length: length, Shape: answers.AsBullets}); again.Text != summary.Text {
				t.Errorf("%s %s %s: another time another summary", e.lang, e.name, length)
			}
			if len(summary.Warnings) > 0 {
				t.Errorf("%s %s: warnings %q", e.lang, e.name, summary.Warnings)
			}
		}
	}
}

// checkLines checks that every line is in the document, in order, and is not a heading.
func checkLines(t *testing.T, d *documents.Document, lines []string) {
	t.Helper()
	rest := plain(d.Text())
	for _, line := range lines {
		_, after, found := strings.Cut(rest, plain(line))
		if !found {
			t.Errorf("not in the document, or not in its order: %q", line)
		}
		rest = after
		for i := range d.Blocks {
			if d.Blocks[i].Kind == documents.Heading && d.Blocks[i].Text == line {
				t.Errorf("heading %q", line)
			}
		}
	}
}

func TestLongDocumentFillsItsSummary(t *testing.T) {
	d := longDocument(t, 3000)
	for length, least := range map[answers.Length]int{answers.Short: 15, answers.Medium: 60, answers.Long: 140} {
		text := summaryOf(t, d, answers.SummarySettings{Length: length}).Text
		if words := wordCount(text); words < least || words > maxWords[length] {
			t.Errorf("%s: %d words", length, words)
		}
		if strings.Contains(text, "\n") {
			t.Errorf("%s: no flowing text", length)
		}
	}
}

// Each length has more words than the one before, and the longest summary is still shorter than the document.
func TestLongerSummariesHaveMoreWords(t *testing.T) {
	for _, e := range examples(t) {
		d := e.document(t)
		before, all := 0, wordCount(d.Text())
		for i, length := range lengths {
			got := wordCount(summaryOf(t, d, answers.SummarySettings{Length: length}).Text)
			if got <= before || 6*got > all*(i+2) {
				t.Errorf("%s %s, %s: %d of %d words, after %d", e.lang, e.name, length, got, all, before)
			}
			before = got
		}
	}
}

func TestLengthsOfShortDocuments(t *testing.T) {
	d := documentOf(t, `The council of Marrow Bay approved the new ferry on 4 May 2026. It costs 2.1 million euros and sails from June 2027.
Tickets for residents stay free.`)
	var words []int
	for _, length := range lengths {
		words = append(words, wordCount(summaryOf(t, d, answers.SummarySettings{Length: length}).Text))
	}
	if words[0] == 0 || words[0] >= words[1] || words[1] >= words[2] || words[2] != wordCount(d.Text()) {
		t.Errorf("words by length %v", words)
	}
}

// longDocument repeats the examples up to a number of words, with different numbers in each section.
func longDocument(tb testing.TB, words int) *documents.Document {
	tb.Helper()
	var text strings.Builder
	list := examples(tb)[:4]
	for i := 0; wordCount(text.String()) < words; i++ {
		fmt.Fprintf(&text, "# Part %d\nThe report of office %d covers %d matters and names clerk%d of town%d.\n", i, i, 7*i,
			11*i, 13*i)
		text.WriteString(strings.ReplaceAll(list[i%len(list)].text, "the ", fmt.Sprintf("the word%d ", i)))
		text.WriteByte('\n')
	}
	return documentOf(tb, text.String())
}

func TestPropertiesOfAnySummary(t *testing.T) {
	words := strings.Fields("The board sold Dr. e.g. 12 1,5 boat boats However, and — x; (Ltd.) … No. Ä 3. a)")
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		line := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 1, 60), func(list []string) string { return strings.Join(list, " ") + "." })
		mark := rapid.SampledFrom([]string{"", "# ", "- "})
		var text strings.Builder
		for range rapid.IntRange(1, 30).Draw(r, "lines") {
			text.WriteString(mark.Draw(r, "mark") + line.Draw(r, "line") + "\n")
		}
		d := documentOf(t, text.String())
		shortest := 0
		for _, length := range lengths {
			summary := summaryOf(t, d, answers.SummarySettings{Length: length, Shape: answers.AsBullets, Hint: "boat"})
			got := wordCount(strings.Join(linesIn(summary.Text), " "))
			if got > maxWords[length] || got < shortest-3 || got == 0 { // an opener more or less
				r.Fatalf("%s: %d words after %d: %q", length, got, shortest, summary.Text)
			}
			shortest = got
			for _, line := range linesIn(summary.Text) {
				if cut := strings.TrimSuffix(line, " …"); !strings.Contains(plain(d.Text()), plain(cut)) {
					r.Fatalf("%q is not in the document", line)
				}
			}
		}
	})
}

func TestSummarizeStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Summarize(ctx, longDocument(t, 2000), answers.SummarySettings{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// fading is a context that ends after its error was requested a number of times.
type fading struct {
	context.Context
	looks *int
}

func (f fading) Err() error {
	if *f.looks--; *f.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestGraphStopsWithContext(t *testing.T) {
	d := longDocument(t, 1000)
	looks := len(d.Blocks) + 3
	_, err := Summarize(fading{t.Context(), &looks}, d, answers.SummarySettings{})
	if !errors.Is(err, context.Canceled) || looks != -1 {
		t.Errorf("got %v, %d looks left", err, looks)
	}
}

func TestSampleKeepsEverySection(t *testing.T) {
	var sentences []sentence
	for i := range 20 * maxCompared {
		sentences = append(sentences, sentence{text: fmt.Sprintf("Sentence %d of a book.", i), order: i, section: i / 500})
	}
	sentences[12_345].text = "The lighthouse keeper writes."
	kept := sample(sentences, map[string]bool{"lighthous": true})
	sections := map[int]int{}
	asked := false
	for _, s := range kept {
		sections[s.section]++
		asked = asked || s.order == 12_345
	}
	if len(kept) > maxCompared || len(sections) != 64 || !asked {
		t.Errorf("%d sentences of %d sections, hint heard: %t", len(kept), len(sections), asked)
	}
	for section, count := range sections {
		if count < 12 {
			t.Errorf("section %d: only %d", section, count)
		}
	}
}

func FuzzSummarize(f *testing.F) {
	for _, e := range examples(f) {
		f.Add(e.text, e.name, string(e.lang), true)
	}
	f.Add("\u0130. a\n# \n- §", "…", "xx", false)
	f.Fuzz(func(t *testing.T, text, hint, lang string, bullets bool) {
		d := documentOf(t, text)
		s := answers.SummarySettings{Hint: hint, Lang: answers.Lang(lang), Length: answers.Medium}
		if bullets {
			s.Shape = answers.AsBullets
		}
		summary, err := Summarize(t.Context(), d, s)
		if errors.Is(err, documents.ErrEmpty) && len(d.Blocks) == 0 {
			return
		}
		if err != nil || summary.Text == "" ||
			wordCount(strings.Join(linesIn(summary.Text), " ")) > maxWords[answers.Medium] {
			t.Errorf("%q of %q, %v", summary.Text, text, err)
		}
	})
}

func BenchmarkStrange(b *testing.B) {
	for name, text := range strange(3 << 20) {
		d := documentOf(b, text)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				summaryOf(b, d, answers.SummarySettings{Length: answers.Long, Hint: "harbour"})
			}
		})
	}
}

func BenchmarkSummarize(b *testing.B) {
	for pages, words := range map[int]int{1: 500, 100: 50_000} {
		d := longDocument(b, words)
		b.Run(fmt.Sprintf("%d pages", pages), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				summaryOf(b, d, answers.SummarySettings{Length: answers.Long, Hint: "price"})
			}
		})
	}
}

// strange are documents that are expensive for their size.
func strange(size int) map[string]string {
	return map[string]string{
		"no full stop":    strings.Repeat("word ", size/5),
		"no space":        strings.Repeat("word", size/4),
		"only stops":      strings.Repeat("a. ", size/3),
		"only semicolons": strings.Repeat("a; ", size/3),
		"ellipses":        strings.Repeat("… A", size/5),
		"one sentence":    strings.Repeat("The harbour is closed on Monday.\n", size/33),
		"numbers":         strings.Repeat("12. 13. ", size/8),
		"headings":        strings.Repeat("# Harbour\n", size/10),
		"quotes":          strings.Repeat("\"'»)", size/5),
	}
}

func TestStrangeDocumentsAreBounded(t *testing.T) {
	for name, text := range strange(60_000) {
		for length, most := range maxWords {
			summary := summaryOf(t, documentOf(t, text), answers.SummarySettings{Length: length, Hint: "harbour"})
			if words := wordCount(summary.Text); words > most || len(summary.Text) > 20_000 {
				t.Errorf("%s: %d words, %d bytes", name, words, len(summary.Text))
			}
		}
	}
}
