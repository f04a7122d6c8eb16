package summary

import (
	"context"
	"fmt"
	"math"
	"strings"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/language"
)

// budget is how long a summary may be, and how much of a short document.
type budget struct {
	sentences, words int
	share            float64
}

// budgets, from the shortest on. A longer summary is a shorter one with more in it.
var budgets = []struct {
	length answers.Length
	budget
}{
	{answers.Short, budget{2, 50, 0.2}},
	{answers.Medium, budget{5, 120, 0.5}},
	{answers.Long, budget{12, 300, 0.66}},
}

// shortDocument is one of so few words that its long summary is itself, and its medium one too where it has but two sentences.
const shortDocument = 45

// mostOfFew is the share of a medium summary of a short document.
const mostOfFew = 0.85

// isWhole reports that all there is fits the length asked for.
func (m *material) isWhole(length answers.Length, spent int) bool {
	const pair = 2
	switch {
	case m.words > shortDocument-spent:
		return false
	case length == answers.Long || len(m.sentences) < pair:
		return true
	}
	return length != answers.Short && len(m.sentences) == pair
}

// Summarize implements media.Engine. The summary consists of the document's own sentences, in their order; it is in the
// document's language, and a warning says so if another was asked for. Of an invoice and the like, it begins with the title,
// date and total that the document says. Only of a document that is mostly tables, it says in words of its own what they are.
// What Document.Warnings say is not repeated.
func Summarize(ctx context.Context, d *documents.Document, s answers.SummarySettings) (answers.Summary, error) {
	if len(d.Blocks) == 0 {
		return answers.Summary{}, documents.ErrEmpty
	}
	lang := language.Detect(d.Text())
	m, err := collect(ctx, d, lang)
	if err != nil {
		return answers.Summary{}, fmt.Errorf("summarizing: %w", err)
	}
	paper, err := m.paperLine(ctx, d)
	if err != nil {
		return answers.Summary{}, fmt.Errorf("summarizing: %w", err)
	}
	lines := m.tableLine(s.Lang)
	if paper != "" {
		lines = []string{paper}
		m.keepProse()
	}
	chosen, err := m.choose(ctx, s, wordCount(strings.Join(lines, " ")))
	if err != nil {
		return answers.Summary{}, fmt.Errorf("summarizing: %w", err)
	}
	summary := answers.Summary{Text: layOut(append(lines, chosen...), s.Shape)}
	if len(chosen) > 0 || paper != "" {
		summary.Warnings = languageWarning(lang, s.Lang)
	}
	if m.isPart {
		summary.Warnings = append(summary.Warnings, partlySummarized)
	}
	return summary, nil
}

// tableLine says what there is where sentences are few.
func (m *material) tableLine(asked answers.Lang) []string {
	if m.tables.words <= 2*m.words {
		return nil
	}
	return []string{m.tables.line(m.lang, asked)}
}

// choose returns the sentences of the summary. Words that are spent already count.
func (m *material) choose(ctx context.Context, s answers.SummarySettings, spent int) ([]string, error) {
	if len(m.sentences) == 0 && spent > 0 {
		return nil, nil
	}
	if len(m.sentences) == 0 && m.tables.words == 0 {
		m.useHeadings()
	}
	if m.isWhole(s.Length, spent) {
		return texts(m.sentences), nil
	}
	c, err := m.rank(ctx, s.Hint)
	if err != nil {
		return nil, err
	}
	for _, b := range budgets {
		b.words -= spent
		if b.length == answers.Medium && m.words <= shortDocument {
			b.share = mostOfFew
		}
		c.extend(b.budget, int(b.share*float64(m.words)))
		if b.length == s.Length || (s.Length == "" && b.length == answers.Medium) {
			c.atLeastOne(b.words)
			break
		}
	}
	return c.texts(m.lang), nil
}

// useHeadings makes do with headings where there is nothing else.
func (m *material) useHeadings() {
	for _, heading := range m.headings[1:min(len(m.headings), mostSentences)] {
		words := wordCount(heading)
		m.words += words
		m.sentences = append(m.sentences, sentence{text: oneLine(heading), words: words, first: true, item: true})
	}
}

func texts(sentences []sentence) []string {
	list := make([]string, len(sentences))
	for i := range sentences {
		list[i] = withoutLabel(sentences[i].text)
	}
	return list
}

// central is how much being like others counts beside what speaks for a sentence itself.
const central = 0.3

// rounded leaves off the digits in which processors differ.
func rounded(score float64) float64 { return math.Round(score*1e6) / 1e6 }

// rank scores the sentences.
func (m *material) rank(ctx context.Context, hint string) (*chooser, error) {
	stems := language.NewStemmer(m.lang)
	p := newPrior(m, stems, hint)
	for i := range m.sentences {
		m.sentences[i].order = i
	}
	compared := sample(m.sentences, p.hint)
	vectors(m.watch, compared, stems)
	edges, err := connect(ctx, compared)
	if err != nil {
		return nil, err
	}
	bias := p.all(compared, len(m.sentences))
	if err := m.watch.Check(); err != nil {
		return nil, err
	}
	rank, most := edges.walk(bias), highest(bias)
	c := &chooser{sentences: compared, score: make([]float64, len(compared)), alike: make([]float64, len(compared))}
	for i := range compared {
		c.score[i] = rounded(math.Pow(rank[i], central) * bias[i] / most)
	}
	c.usable = p.usable(compared)
	return c, nil
}

// all are the weights of all sentences. If any has what the hint asks for, those that have not fall behind.
func (p *prior) all(sentences []sentence, n int) []float64 {
	weights, asked := make([]float64, len(sentences)), make([]float64, len(sentences))
	for i := range sentences {
		if p.watch.Stopped() {
			break
		}
		weights[i] = p.of(&sentences[i], sentences[i].order, n)
		asked[i] = p.asked(&sentences[i])
	}
	most := highest(asked)
	if most == 0 {
		return weights
	}
	for i := range weights {
		weights[i] *= 0.15 + 2*asked[i]/most
	}
	return weights
}

const scrap = 0.3 // the length of a sentence that says little by itself

// usable leaves out scraps and boilerplate, unless the document hardly has anything else.
func (p *prior) usable(sentences []sentence) []bool {
	usable := make([]bool, len(sentences))
	words, all := 0, 0
	for i := range sentences {
		s := &sentences[i]
		usable[i] = length(s) > scrap && !p.isBoilerplate(s.text)
		all += s.words
		if usable[i] {
			words += s.words
		}
	}
	for i := range usable {
		usable[i] = usable[i] || 4*words < all
	}
	return usable
}

func highest(values []float64) float64 {
	most := 0.0
	for _, v := range values {
		most = max(most, v)
	}
	return most
}

const partlySummarized = "Only the first part of the document was summarized."
