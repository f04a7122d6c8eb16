package offline

import (
	"context"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/answers"
)

// papers are kinds of documents that consist of labels and values; what they are, of when and over how much says most of them.
var papers = []string{"INVOICE", "CREDITNOTE", "OFFER", "ORDER", "RECEIPT", "PAYSLIP", "DELIVERYNOTE", "BOOKING", "POLICY", "TICKET"}

// paperDates and paperSums are what to look for, in this order.
var (
	paperDates = []string{"invoice date", "issue date", "order date", "delivery date", "payment date"}
	paperSums  = []string{"total", "net salary", "premium"}
)

// paperLine is a line of the document's own words that says what paper it is: its title, date and total. Empty for prose,
// and where less than two of the three are found.
func (m *material) paperLine(ctx context.Context, d *documents.Document) (string, error) {
	const longest = 64 << 10
	if len(d.Text()) > longest || 2*m.proseWords() > wordCount(d.Text()) {
		return "", nil
	}
	r, err := newReading(ctx, d)
	if err != nil {
		return "", err
	}
	title := r.paperTitle()
	if title == "" {
		return "", nil
	}
	parts := []string{title}
	if c, ok := r.firstFound(answers.Date, paperDates); ok && !strings.Contains(title, r.text[c.at.start:c.at.end]) {
		parts = append(parts, r.text[c.at.start:c.at.end])
	}
	if c, ok := r.firstFound(answers.Number, paperSums); ok {
		parts = append(parts, oneLine(r.labelOf(c)+" "+r.text[c.at.start:c.at.end]))
	}
	if len(parts) == 1 {
		return "", nil
	}
	return strings.Join(parts, ", "), nil
}

// proseWords counts the words of sentences that end as such.
func (m *material) proseWords() int {
	words := 0
	for i := range m.sentences {
		if m.sentences[i].whole {
			words += m.sentences[i].words
		}
	}
	return words
}

// keepProse leaves out the lines that are no sentences: the first line of the summary says what they have to say.
func (m *material) keepProse() {
	m.sentences = slices.DeleteFunc(m.sentences, func(s sentence) bool { return !s.whole && !s.item || length(&s) <= scrap })
	m.words = 0
	for i := range m.sentences {
		m.words += m.sentences[i].words
	}
}

// paperTitle is the first short line that names a kind of paper, with its number behind it if it has one.
func (r *reading) paperTitle() string {
	const blocks, most = 12, 10
	for i := range r.blocks[:min(len(r.blocks), blocks)] {
		b := &r.blocks[i]
		for _, line := range lineSpans(b) {
			text := oneLine(r.text[line.start:line.end])
			words := r.within(line)
			names := slices.ContainsFunc(words, func(m mention) bool { return slices.Contains(papers, m.term) })
			if names && wordCount(text) <= most && !strings.HasSuffix(text, ":") && (b.Kind == documents.Heading || len(words) > 0 && !isEnded(text)) {
				return text
			}
		}
	}
	return ""
}

// firstFound is the first of the values that the document says.
func (r *reading) firstFound(t answers.Type, names []string) (candidate, bool) {
	for _, name := range names {
		if c, ok := r.find(r.fitted(understand(answers.Variable{Name: name, Type: t}))); ok {
			return c, true
		}
	}
	return candidate{}, false
}

// labelOf is the label that stands with a value, closest before it; empty if none does.
func (r *reading) labelOf(c candidate) string {
	label := span{}
	for _, p := range r.pairs {
		if p.value.start <= c.at.start && c.at.end <= p.value.end && p.labelAt.end <= c.at.start && p.labelAt.start >= label.start && !p.grid {
			label = p.labelAt
		}
	}
	return strings.TrimRight(r.text[label.start:label.end], " :.")
}
