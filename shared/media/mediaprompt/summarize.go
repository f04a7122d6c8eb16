package mediaprompt

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"portside/documents"
	"portside/documents/answers"
)

// budget is how long a summary may be.
type budget struct{ sentences, points, words, tokens int }

var budgets = map[answers.Length]budget{
	answers.Short:  {2, 3, 50, 400},
	answers.Medium: {5, 6, 120, 800},
	answers.Long:   {12, 12, 300, 1_800},
}

// languages are named in English, the language of the rules.
var languages = map[answers.Lang]string{
	"en": "English", "es": "Spanish", "pt": "Portuguese", "fr": "French", "de": "German", "it": "Italian", "nl": "Dutch",
	"sv": "Swedish", "pl": "Polish", "ro": "Romanian",
}

func in(lang answers.Lang, otherwise string) string {
	if name, known := languages[lang]; known {
		return "in " + name
	}
	return "in " + otherwise
}

const (
	documentLanguage = "the language of the document"
	noteTokens       = 1_000
)

// Summarize asks for a summary of the document, or of notes on its parts where it is too long.
func (e *Engine) Summarize(ctx context.Context, d *documents.Document, s answers.SummarySettings) (answers.Summary, error) {
	text, warnings, about := d.Text(), []string(nil), "document"
	for tokens(text) > e.settings.PartTokens {
		notes, left, err := e.notes(ctx, text, s)
		if err != nil {
			return answers.Summary{}, err
		}
		text, warnings, about = notes, append(warnings, left...), "notes"
	}
	words, err := e.summary(ctx, datum{about, text}, s)
	return answers.Summary{Text: words, Warnings: warnings}, err
}

// notes are at most a quarter of the text, so that notes on notes come to an end.
func (e *Engine) notes(ctx context.Context, text string, s answers.SummarySettings) (notes string, warnings []string, err error) {
	parts, warnings := e.parts(text)
	written := make([]string, len(parts))
	err = e.each(ctx, len(parts), func(ctx context.Context, i int) error {
		q := question{name: "notes", schema: points, tokens: noteTokens, data: focused(datum{"document", parts[i].text}, s.Hint)}
		q.rules = fmt.Sprintf("The document is part %d of %d of a longer one. Note what matters in it, in at most 12 short points "+
			"with names, figures and dates, %s.", i+1, len(parts), in(s.Lang, documentLanguage)) + focusRule(s.Hint)
		return e.ask(ctx, q, func(answer map[string]json.RawMessage) error {
			text, err := bullets(answer)
			written[i] = text[:cut(text, max(len(parts[i].text)/4, 1))]
			return err
		})
	})
	return strings.Join(written, "\n"), warnings, err
}

// focused adds what the caller wants to know.
func focused(d datum, hint string) []datum {
	if hint == "" {
		return []datum{d}
	}
	return []datum{{"focus", hint}, d}
}

func focusRule(hint string) string {
	if hint == "" {
		return ""
	}
	return ` The block "focus" names what the reader cares for most: prefer it where the document speaks of it.`
}

var (
	paragraph = objectOf(property{"summary", text("the summary, one paragraph of plain text")})
	points    = objectOf(property{"points", listOf(text("one point, plain text without a mark in front"))})
)

func (e *Engine) summary(ctx context.Context, d datum, s answers.SummarySettings) (summary string, err error) {
	b, known := budgets[s.Length]
	if !known {
		b = budgets[answers.Medium]
	}
	q := question{name: "summary", schema: paragraph, tokens: b.tokens, data: focused(d, s.Hint)}
	form, read := fmt.Sprintf("one paragraph of at most %d sentences", b.sentences), prose
	if s.Shape == answers.AsBullets {
		q.schema, read = points, bullets
		form = fmt.Sprintf("a list of at most %d points", b.points)
	}
	q.rules = fmt.Sprintf("Summarize the %s: %s and %d words, %s. Say what the document says, and nothing that it does not.",
		d.name, form, b.words, in(s.Lang, documentLanguage)) + focusRule(s.Hint)
	if d.name == "notes" {
		q.rules += " The notes are on the parts of one document, in their order; do not mention notes or parts."
	}
	err = e.ask(ctx, q, func(answer map[string]json.RawMessage) error {
		summary, err = read(answer)
		return err
	})
	return summary, err
}

func prose(answer map[string]json.RawMessage) (string, error) {
	var words string
	if err := json.Unmarshal(answer["summary"], &words); err != nil {
		return "", fmt.Errorf("%w: no summary", ErrJunk)
	}
	words = strings.Join(strings.Fields(documents.Clean(words)), " ")
	if words == "" {
		return "", fmt.Errorf("%w: an empty summary", ErrJunk)
	}
	return words, nil
}

func bullets(answer map[string]json.RawMessage) (string, error) {
	var all []string
	if err := json.Unmarshal(answer["points"], &all); err != nil {
		return "", fmt.Errorf("%w: no points", ErrJunk)
	}
	var lines []string
	for _, point := range all {
		point = strings.TrimLeft(strings.Join(strings.Fields(documents.Clean(point)), " "), "-*• ")
		if point != "" {
			lines = append(lines, "- "+point)
		}
	}
	if len(lines) == 0 {
		return "", fmt.Errorf("%w: no points", ErrJunk)
	}
	return strings.Join(lines, "\n"), nil
}
