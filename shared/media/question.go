package media

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
)

// Task is what is to be done with a file.
type Task string

// The tasks.
const (
	Summarize Task = "summarize"
	Extract   Task = "extract"
	Compare   Task = "compare"
)

// Files is how many files the task takes.
func (t Task) Files() int {
	if t == Compare {
		return 2
	}
	return 1
}

// Limits of what a request may say, in characters where nothing else is said.
const (
	MaxHint        = 1_000
	MaxPrompt      = 4_000
	MaxVariables   = 100
	MaxName        = 100
	MaxDescription = 1_000
	MaxKeywords    = 1_000
	MaxKeyword     = 50
)

// Question is what a caller wants to know, checked.
type Question struct {
	Task      Task
	Shape     answers.Shape      // of a summary
	Length    answers.Length     // of a summary
	Hint      string             // of a summary
	Prompt    string             // of a comparison
	Variables []answers.Variable // of an extraction and a comparison
	Lang      answers.Lang       // of the answer; empty: that of the document
	Keywords  []string           // for the transcription of recordings
}

// Summary is the question as engines take it.
func (q Question) Summary() answers.SummarySettings {
	return answers.SummarySettings{Shape: q.Shape, Length: q.Length, Lang: q.Lang, Hint: q.Hint}
}

// Extraction is the question as engines take it.
func (q Question) Extraction() answers.ExtractSettings {
	return answers.ExtractSettings{Variables: q.Variables, Lang: q.Lang}
}

// Comparison is the question as engines take it.
func (q Question) Comparison() answers.CompareSettings {
	return answers.CompareSettings{Variables: q.Variables, Lang: q.Lang, Prompt: q.Prompt}
}

// draft is a question in the making, with what is wrong with it so far.
type draft struct {
	Question
	failures []fault.Field
}

func newDraft(task Task) *draft {
	return &draft{Question: Question{Task: task, Shape: answers.AsParagraph, Length: answers.Medium}}
}

func (d *draft) fail(pointer, format string, args ...any) {
	d.failures = append(d.failures, fault.Field{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}

// done returns the question, or all that is wrong with it, in the order of the pointers.
func (d *draft) done() (Question, error) {
	if len(d.failures) > 0 {
		slices.SortStableFunc(d.failures, func(a, b fault.Field) int { return strings.Compare(a.Pointer, b.Pointer) })
		return Question{}, fault.Invalid(d.failures...)
	}
	return d.Question, nil
}

func (d *draft) shape(pointer, text string) {
	d.Shape = answers.Shape(text)
	if d.Shape != answers.AsParagraph && d.Shape != answers.AsBullets {
		d.fail(pointer, "must be paragraph or bullet")
	}
}

func (d *draft) length(pointer, text string) {
	d.Length = answers.Length(text)
	if d.Length != answers.Short && d.Length != answers.Medium && d.Length != answers.Long {
		d.fail(pointer, "must be short, medium or long")
	}
}

func (d *draft) lang(pointer, text string) {
	d.Lang = answers.Lang(text)
	if !slices.Contains(answers.Langs(), d.Lang) {
		d.fail(pointer, "must be one of en, es, pt, fr, de, it, nl, sv, pl, ro")
	}
}

func (d *draft) hint(pointer, text string) { d.Hint = d.words(pointer, text, MaxHint) }

func (d *draft) prompt(pointer, text string) { d.Prompt = d.words(pointer, text, MaxPrompt) }

// words checks free text: it has nothing but characters and line breaks.
func (d *draft) words(pointer, text string, most int) string {
	switch {
	case !utf8.ValidString(text):
		d.fail(pointer, "must be UTF-8")
	case utf8.RuneCountInString(text) > most:
		d.fail(pointer, "must have at most %d characters", most)
	}
	return documents.Clean(text)
}

// pointers lead to a variable: to its name, which in a model is the key of all of it, and to what is before its other parts.
type pointers struct{ name, before string }

func (d *draft) variable(at pointers, v answers.Variable) {
	if !isName(v.Name) {
		d.fail(at.name, "must have a name of 1 to %d characters, not only spaces, and none of them control characters", MaxName)
	}
	if !slices.Contains([]answers.Type{answers.String, answers.Number, answers.Date, answers.Boolean}, v.Type) {
		d.fail(at.before+"type", "must be string, number, date or boolean")
	}
	v.Description = d.words(at.before+"description", v.Description, MaxDescription)
	known := slices.IndexFunc(d.Variables, func(other answers.Variable) bool { return other.Name == v.Name })
	if known >= 0 {
		d.Variables[known] = v // the last one wins
		return
	}
	d.Variables = append(d.Variables, v)
}

func isName(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= MaxName &&
		!strings.ContainsFunc(text, unicode.IsControl) && utf8.ValidString(text)
}

func (d *draft) keywords(pointer string, words []string) {
	if len(words) > MaxKeywords {
		d.fail(pointer, "must have at most %d keywords", MaxKeywords)
		return
	}
	for i, word := range words {
		if word = documents.Clean(word); word == "" || utf8.RuneCountInString(word) > MaxKeyword {
			d.fail(fmt.Sprintf("%s/%d", pointer, i), "must have 1 to %d characters", MaxKeyword)
			continue
		}
		d.Keywords = append(d.Keywords, word)
	}
}
