package summary

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/language"
)

const partlySummarized = "Only the first part of the document was summarized."

// budget limits the length of a summary, both absolutely and as a share of a short document.
type budget struct {
	sentences, words int
	share            float64
}

// budgets are sorted by length. A longer summary contains the shorter one.
var budgets = []struct {
	length answers.Length
	budget
}{
	{answers.Short, budget{2, 50, 0.2}},
	{answers.Medium, budget{5, 120, 0.5}},
	{answers.Long, budget{12, 300, 0.66}},
}

// budgetOf returns the limits of a length. The default is medium.
func budgetOf(length answers.Length) budget {
	for _, b := range budgets {
		if b.length == length {
			return b.budget
		}
	}
	return budgets[1].budget
}

// shortDocument is the number of words up to which a long summary is the whole document. A medium
// summary is too, if the document has only two sentences.
const shortDocument = 45 // words

// shortDocumentShare is the share of a short document that a medium summary may have.
const shortDocumentShare = 0.85

// Summarize summarizes a document. Errors: [documents.ErrEmpty] for a document without text, and
// errors of the context.
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
	var lines []string
	if paper != "" {
		lines = []string{paper}
		m.keepProse()
	} else {
		lines = m.firstLines(d, s)
	}
	chosen, err := m.choose(ctx, s, lines)
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

// firstLines returns the name of a person and the rows of tables.
func (m *material) firstLines(d *documents.Document, s answers.SummarySettings) (lines []string) {
	b := budgetOf(s.Length)
	if name := personName(d); name != "" {
		m.sentences = slices.DeleteFunc(m.sentences, func(s sentence) bool { return s.text == name })
		lines = append(lines, name)
		b.sentences, b.words = b.sentences-1, b.words-wordCount(name)
	}
	return append(lines, m.tableLines(s.Hint, b)...)
}

// choose returns the sentences of the summary after the lines that it has already.
func (m *material) choose(ctx context.Context, s answers.SummarySettings, lines []string) ([]string, error) {
	spent := wordCount(strings.Join(lines, " "))
	if len(m.sentences) == 0 && spent > 0 {
		return nil, nil
	}
	if len(m.sentences) == 0 && m.tables.words == 0 {
		m.useHeadings()
	}
	fits := len(lines) == 0 || len(lines)+len(m.sentences) <= budgetOf(s.Length).sentences
	if fits && m.isWhole(s.Length, spent) {
		return texts(m.sentences), nil
	}
	c, err := m.rank(ctx, s.Hint)
	if err != nil {
		return nil, err
	}
	for _, b := range budgets {
		b.words -= spent
		b.sentences -= len(lines)
		if b.length == answers.Medium && m.words <= shortDocument {
			b.share = shortDocumentShare
		}
		c.extend(b.budget, int(b.share*float64(m.words)))
		if b.length == s.Length || (s.Length == "" && b.length == answers.Medium) {
			if len(lines) <= 1 {
				c.atLeastOne(b.words)
			}
			break
		}
	}
	return c.texts(m.lang), nil
}

// isWhole reports whether the whole document fits the length. spent words are used already.
func (m *material) isWhole(length answers.Length, spent int) bool {
	const fewSentences = 2
	switch {
	case m.words > shortDocument-spent:
		return false
	case length == answers.Long || len(m.sentences) < fewSentences:
		return true
	}
	return length != answers.Short && len(m.sentences) == fewSentences
}

// useHeadings uses headings as sentences, for documents that have no others.
func (m *material) useHeadings() {
	for _, heading := range m.headings[1:min(len(m.headings), maxSentences)] {
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

// centralWeight is the exponent of the graph rank of a sentence in its score.
const centralWeight = 0.3

// rounded removes digits that differ between processors.
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
	bias := p.weights(compared, len(m.sentences))
	if err := m.watch.Check(); err != nil {
		return nil, err
	}
	rank, top := edges.walk(bias), highest(bias)
	c := &chooser{sentences: compared, score: make([]float64, len(compared)), alike: make([]float64, len(compared))}
	for i := range compared {
		c.score[i] = rounded(math.Pow(rank[i], centralWeight) * bias[i] / top)
	}
	c.usable = p.usable(compared)
	c.needs, c.asked = make([]bool, len(compared)), make([]bool, len(compared))
	for i := range compared {
		s := &compared[i]
		c.needs[i] = s.whole && s.order > 0 && pointsBack(s.text, m.lang)
		c.asked[i] = p.hintShare(s) > 0
	}
	return c, nil
}

// weights returns the prior weight of each sentence. If any sentence matches the hint, sentences
// that do not are weighted down.
func (p *prior) weights(sentences []sentence, n int) []float64 {
	weights, asked := make([]float64, len(sentences)), make([]float64, len(sentences))
	for i := range sentences {
		if p.watch.Stopped() {
			break
		}
		weights[i] = p.of(&sentences[i], sentences[i].order, n)
		asked[i] = p.hintShare(&sentences[i])
	}
	top := highest(asked)
	if top == 0 {
		return weights
	}
	for i := range weights {
		weights[i] *= 0.15 + 2*asked[i]/top
	}
	return weights
}

// minUsableLength is the length factor above which a sentence may stand in a summary.
const minUsableLength = 0.3

// usable excludes fragments and boilerplate, unless the document has little else.
func (p *prior) usable(sentences []sentence) []bool {
	usable := make([]bool, len(sentences))
	words, all := 0, 0
	for i := range sentences {
		s := &sentences[i]
		usable[i] = length(s) > minUsableLength && !p.isBoilerplate(s.text) && !isBroken(s.text) &&
			!isReference(s.text) && !isTitle(s.text, p.stems.Lang) && !s.skipped
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
	result := 0.0
	for _, v := range values {
		result = max(result, v)
	}
	return result
}
