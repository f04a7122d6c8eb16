package mediaprompt

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"portside/documents"
	"portside/documents/answers"
)

// budget limits the length of a summary.
type budget struct{ sentences, points, words, tokens int }

var budgets = map[answers.Length]budget{
	answers.Short:  {2, 3, 50, 400},
	answers.Medium: {5, 6, 120, 800},
	answers.Long:   {12, 12, 300, 1_800},
}

// languages has the names of languages in English, the language of the rules.
var languages = map[answers.Lang]string{
	"en": "English", "es": "Spanish", "pt": "Portuguese", "fr": "French", "de": "German", "it": "Italian", "nl": "Dutch",
	"sv": "Swedish", "pl": "Polish", "ro": "Romanian",
}

func inLanguage(lang answers.Lang, otherwise string) string {
	if name, isKnown := languages[lang]; isKnown {
		return "in " + name
	}
	return "in " + otherwise
}

const (
	documentLanguage = "the language of the document"
	noteTokens       = 1_000
)

// Summarize asks the model for a summary of the document, or of notes on its parts if the document is
// too long.
func (e *Engine) Summarize(ctx context.Context, d *documents.Document, s answers.SummarySettings) (answers.Summary, error) {
	text, warnings, about := d.Text(), []string(nil), "document"
	for estimateTokens(text) > e.settings.PartTokens {
		notes, noteWarnings, err := e.notes(ctx, text, s)
		if err != nil {
			return answers.Summary{}, err
		}
		text, warnings, about = notes, append(warnings, noteWarnings...), "notes"
	}
	words, err := e.summary(ctx, dataBlock{about, text}, s)
	return answers.Summary{Text: words, Warnings: warnings}, err
}

// notes asks the model for notes on each part of a text. They are at most a quarter as long as the
// text, so that taking notes on notes ends.
func (e *Engine) notes(ctx context.Context, text string, s answers.SummarySettings) (notes string, warnings []string, err error) {
	parts, warnings := e.split(text)
	written := make([]string, len(parts))
	err = e.forEach(ctx, len(parts), func(ctx context.Context, i int) error {
		q := prompt{name: "notes", schema: pointsSchema, maxTokens: noteTokens, data: withFocus(dataBlock{"document", parts[i].text}, s.Hint)}
		q.rules = fmt.Sprintf("The document is part %d of %d of a longer one. Note what matters in it, in at most 12 short points "+
			"with names, figures and dates, %s.", i+1, len(parts), inLanguage(s.Lang, documentLanguage)) + focusRule(s.Hint)
		return e.ask(ctx, q, func(answer map[string]json.RawMessage) error {
			text, err := readPoints(answer)
			written[i] = text[:cutPosition(text, max(len(parts[i].text)/4, 1))]
			return err
		})
	})
	return strings.Join(written, "\n"), warnings, err
}

// withFocus adds the caller's hint to the data.
func withFocus(d dataBlock, hint string) []dataBlock {
	if hint == "" {
		return []dataBlock{d}
	}
	return []dataBlock{{"focus", hint}, d}
}

func focusRule(hint string) string {
	if hint == "" {
		return ""
	}
	return ` The block "focus" names what the reader cares for most: prefer it where the document speaks of it.`
}

var (
	paragraphSchema = objectSchema(property{"summary", textSchema("the summary, one paragraph of plain text")})
	pointsSchema    = objectSchema(property{"points", listSchema(textSchema("one point, plain text without a mark in front"))})
)

func (e *Engine) summary(ctx context.Context, d dataBlock, s answers.SummarySettings) (summary string, err error) {
	b, isKnown := budgets[s.Length]
	if !isKnown {
		b = budgets[answers.Medium]
	}
	q := prompt{name: "summary", schema: paragraphSchema, maxTokens: b.tokens, data: withFocus(d, s.Hint)}
	form, read := fmt.Sprintf("one paragraph of at most %d sentences", b.sentences), readParagraph
	if s.Shape == answers.AsBullets {
		q.schema, read = pointsSchema, readPoints
		form = fmt.Sprintf("a list of at most %d points", b.points)
	}
	q.rules = fmt.Sprintf("Summarize the %s: %s and %d words, %s. Say what the document says, and nothing that it does not.",
		d.name, form, b.words, inLanguage(s.Lang, documentLanguage)) + focusRule(s.Hint)
	if d.name == "notes" {
		q.rules += " The notes are on the parts of one document, in their order; do not mention notes or parts."
	}
	err = e.ask(ctx, q, func(answer map[string]json.RawMessage) error {
		summary, err = read(answer)
		return err
	})
	return summary, err
}

func readParagraph(answer map[string]json.RawMessage) (string, error) {
	var words string
	if err := json.Unmarshal(answer["summary"], &words); err != nil {
		return "", fmt.Errorf("%w: there is no summary", ErrJunk)
	}
	words = strings.Join(strings.Fields(documents.Clean(words)), " ")
	if words == "" {
		return "", fmt.Errorf("%w: the summary is empty", ErrJunk)
	}
	return words, nil
}

func readPoints(answer map[string]json.RawMessage) (string, error) {
	var all []string
	if err := json.Unmarshal(answer["points"], &all); err != nil {
		return "", fmt.Errorf("%w: there are no points", ErrJunk)
	}
	var lines []string
	for _, point := range all {
		point = strings.TrimLeft(strings.Join(strings.Fields(documents.Clean(point)), " "), "-*• ")
		if point != "" {
			lines = append(lines, "- "+point)
		}
	}
	if len(lines) == 0 {
		return "", fmt.Errorf("%w: there are no points", ErrJunk)
	}
	return strings.Join(lines, "\n"), nil
}
