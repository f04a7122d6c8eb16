package summary

import (
	"slices"
	"strings"
	"testing"

	"portside/documents/answers"
)

func TestSummariesAreBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("It is so. ", maxSentences+1), strings.Repeat("1 ", maxSentenceBytes),
		strings.Repeat("a", 2*maxSentenceBytes),
	} {
		got, err := Summarize(t.Context(), documentOf(t, text), answers.SummarySettings{Length: answers.Long})
		if err != nil || !slices.Contains(got.Warnings, partlySummarized) {
			t.Errorf("of %q: %q, %v", text[:10], got.Warnings, err)
		}
		if words := wordCount(got.Text); words > budgets[len(budgets)-1].words {
			t.Errorf("of %q: %d words", text[:10], words)
		}
	}
}
