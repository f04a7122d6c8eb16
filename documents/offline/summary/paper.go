package summary

import (
	"context"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/extraction"
	"portside/documents/offline/language"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// papers are kinds of documents that consist of labels and values. Their type, date and total say
// most about them.
var papers = []string{"INVOICE", "CREDITNOTE", "OFFER", "ORDER", "RECEIPT", "PAYSLIP", "DELIVERYNOTE", "BOOKING",
	"POLICY", "TICKET"}

// paperDates and paperSums are the values to look for, in this order.
var (
	paperDates = []string{"invoice date", "issue date", "order date", "delivery date", "payment date"}
	paperSums  = []string{"total", "net salary", "premium"}
)

// paperLine returns the title, date and total in the document's words, and an empty string for
// prose or if fewer than two of the three are found.
func (m *material) paperLine(ctx context.Context, d *documents.Document) (string, error) {
	const maxBytes = 64 << 10
	if len(d.Text()) > maxBytes || 2*m.proseWords() > wordCount(d.Text()) {
		return "", nil
	}
	e, err := extraction.Prepare(ctx, d)
	if err != nil {
		return "", err
	}
	title := paperTitle(e)
	if title == "" {
		return "", nil
	}
	parts := []string{title}
	if c, ok := e.FirstFound(answers.Date, paperDates); ok && !strings.Contains(title, c.At.In(e.Index.Text)) {
		parts = append(parts, c.At.In(e.Index.Text))
	}
	if c, ok := e.FirstFound(answers.Number, paperSums); ok {
		parts = append(parts, oneLine(e.LabelOf(c)+" "+c.At.In(e.Index.Text)))
	}
	if len(parts) == 1 {
		return "", nil
	}
	return strings.Join(parts, ", "), nil
}

// proseWords counts the words of complete sentences.
func (m *material) proseWords() int {
	words := 0
	for i := range m.sentences {
		if m.sentences[i].whole {
			words += m.sentences[i].words
		}
	}
	return words
}

// keepProse removes lines that are not sentences, because the first line of the summary covers
// them.
func (m *material) keepProse() {
	m.sentences = slices.DeleteFunc(m.sentences, func(s sentence) bool { return !s.whole && !s.item || length(&s) <= minUsableLength })
	m.words = 0
	for i := range m.sentences {
		m.words += m.sentences[i].words
	}
}

// paperTitle returns the first short line that names a kind of paper, with its number if it has
// one.
func paperTitle(e *extraction.Extractor) string {
	const maxBlocks, maxWords = 12, 10
	for i := range e.Index.Blocks[:min(len(e.Index.Blocks), maxBlocks)] {
		b := &e.Index.Blocks[i]
		for _, line := range scan.LineSpans(b) {
			text := oneLine(line.In(e.Index.Text))
			words := e.Index.MentionsIn(line)
			names := slices.ContainsFunc(words, func(m lexicon.Mention) bool { return slices.Contains(papers, m.Term) })
			isTitle := b.Kind == documents.Heading || len(words) > 0 && !language.EndsSentence(text)
			if names && isTitle && wordCount(text) <= maxWords && !strings.HasSuffix(text, ":") {
				return text
			}
		}
	}
	return ""
}
