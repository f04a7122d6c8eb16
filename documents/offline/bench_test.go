package offline

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
)

// BenchmarkInvoice extracts three variables from one page.
func BenchmarkInvoice(b *testing.B) {
	text, err := os.ReadFile("testdata/documents/en-invoice.txt")
	if err != nil {
		b.Fatal(err)
	}
	d := readDocument(b, string(text))
	asked := answers.ExtractSettings{Variables: []answers.Variable{
		{Name: "invoice_number", Type: answers.String}, {Name: "due_date", Type: answers.Date},
		{Name: "total", Type: answers.Number, Description: "What do we have to pay?"},
	}}
	for b.Loop() {
		if _, err := New().Extract(b.Context(), d, asked); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHundredPages summarizes 100 pages of 400 words and extracts ten values from them.
func BenchmarkHundredPages(b *testing.B) {
	const words = 40_000
	d := largeDocument(b, words)
	b.Run("summarize", func(b *testing.B) {
		for b.Loop() {
			if _, err := New().Summarize(b.Context(), d, answers.SummarySettings{Length: answers.Long}); err != nil {
				b.Fatal(err)
			}
		}
	})
	var variables []answers.Variable
	for i, name := range strings.Fields("price start_date end_date notice supplier customer fee meeting total deadline") {
		variables = append(variables, answers.Variable{Name: fmt.Sprintf("%s_%d", name, i), Type: answers.String})
	}
	b.Run("extract", func(b *testing.B) {
		for b.Loop() {
			if _, err := New().Extract(b.Context(), d, answers.ExtractSettings{Variables: variables}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// largeDocument repeats the sample of a summary with different words in each section.
func largeDocument(tb testing.TB, words int) *documents.Document {
	tb.Helper()
	sample, err := os.ReadFile("summary/testdata/summaries/en.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var text strings.Builder
	for i := 0; len(strings.Fields(text.String())) < words; i++ {
		fmt.Fprintf(&text, "# Part %d\nThe report of office %d covers %d matters and names clerk%d of town%d.\n", i, i, 7*i,
			11*i, 13*i)
		text.WriteString(strings.ReplaceAll(string(sample), "the ", fmt.Sprintf("the word%d ", i)))
	}
	return readDocument(tb, text.String())
}
