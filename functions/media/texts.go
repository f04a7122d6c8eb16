package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
)

// SummaryAnswer is a summary.
type SummaryAnswer struct {
	Summary  string   `json:"summary" doc:"Of the file or text, in the form and length asked for." example:"The contract runs until 31 March 2027."`
	Warnings []string `json:"warnings" doc:"What the caller should know: another language than asked, pages that were skipped."`
}

// ExtractionAnswer is what was found of the variables.
type ExtractionAnswer struct {
	Extracted map[string]any           `json:"extracted_data" doc:"A value of its type for each variable; null where none was found. Dates are ISO 8601."`
	Evidence  map[string][]media.Quote `json:"evidence,omitempty" doc:"Where each value stands; with include=evidence."`
	Warnings  []string                 `json:"warnings"`
}

// ComparisonAnswer is how the variables of two files compare.
type ComparisonAnswer struct {
	Extracted map[string]media.Compared `json:"extracted_data" doc:"One entry for each variable."`
	Evidence  map[string][]media.Quote  `json:"evidence,omitempty" doc:"Where each value stands; with include=evidence."`
	Warnings  []string                  `json:"warnings"`
}

// TextVariable is what is looked for.
type TextVariable struct {
	Type        answers.Type `json:"type" enum:"string,number,date,boolean"`
	Description string       `json:"description,omitempty" maxLength:"1000" doc:"What the value is, in any of the languages." example:"amount to be paid, with tax"`
}

type summarizeInput struct {
	Body struct {
		Text   string `json:"text" minLength:"1" maxLength:"100000" doc:"What to summarize."`
		Format string `json:"format,omitempty" enum:"paragraph,bullet" default:"paragraph"`
		Length string `json:"length,omitempty" enum:"short,medium,long" default:"medium"`
		Lang   string `json:"lang,omitempty" enum:"en,es,pt,fr,de,it,nl,sv,pl,ro" doc:"Of the summary; by default that of the text."`
		Hint   string `json:"summary_hint,omitempty" maxLength:"1000" doc:"What to look at."`
	}
}

type summarizeOutput struct{ Body SummaryAnswer }

func (h *handlers) summarizeText(ctx context.Context, in *summarizeInput) (*summarizeOutput, error) {
	question, err := asked(media.Summarize, map[string]any{
		"format": in.Body.Format, "length": in.Body.Length, "lang": in.Body.Lang, "summary_hint": in.Body.Hint,
	})
	if err != nil {
		return nil, err
	}
	docs, err := h.read(ctx, in.Body.Text)
	if err != nil {
		return nil, err
	}
	answer, err := h.service.AnswerTexts(ctx, question, docs...)
	return &summarizeOutput{Body: SummaryAnswer{Summary: answer.Summary, Warnings: answer.Warnings}}, err
}

type extractInput struct {
	Include string `query:"include" enum:"evidence" doc:"evidence: where in the text each value stands."`
	Body    struct {
		Text      string                  `json:"text" minLength:"1" maxLength:"100000" doc:"What to look through."`
		Lang      string                  `json:"lang,omitempty" enum:"en,es,pt,fr,de,it,nl,sv,pl,ro"`
		Variables map[string]TextVariable `json:"variables,omitempty" maxProperties:"100" doc:"By name."`
	}
}

type extractOutput struct{ Body ExtractionAnswer }

func (h *handlers) extractText(ctx context.Context, in *extractInput) (*extractOutput, error) {
	question, err := asked(media.Extract, map[string]any{"lang": in.Body.Lang, "variables": in.Body.Variables})
	if err != nil {
		return nil, err
	}
	docs, err := h.read(ctx, in.Body.Text)
	if err != nil {
		return nil, err
	}
	answer, err := h.service.AnswerTexts(ctx, question, docs...)
	if in.Include != "evidence" {
		answer.Evidence = nil
	}
	return &extractOutput{Body: ExtractionAnswer{Extracted: answer.Extracted, Evidence: answer.Evidence, Warnings: answer.Warnings}}, err
}

type compareInput struct {
	Include string `query:"include" enum:"evidence" doc:"evidence: where in the texts each value stands."`
	Body    struct {
		Text1     string                  `json:"text1" minLength:"1" maxLength:"50000" doc:"The first text."`
		Text2     string                  `json:"text2" minLength:"1" maxLength:"50000" doc:"The one to compare with."`
		Prompt    string                  `json:"prompt,omitempty" maxLength:"4000" doc:"What to look at when comparing."`
		Lang      string                  `json:"lang,omitempty" enum:"en,es,pt,fr,de,it,nl,sv,pl,ro" doc:"Of the comparison; by default that of the first text."`
		Variables map[string]TextVariable `json:"variables,omitempty" maxProperties:"100" doc:"By name."`
	}
}

type compareOutput struct{ Body ComparisonAnswer }

func (h *handlers) compareTexts(ctx context.Context, in *compareInput) (*compareOutput, error) {
	question, err := asked(media.Compare, map[string]any{
		"prompt": in.Body.Prompt, "lang": in.Body.Lang, "variables": in.Body.Variables,
	})
	if err != nil {
		return nil, err
	}
	docs, err := h.read(ctx, in.Body.Text1, in.Body.Text2)
	if err != nil {
		return nil, err
	}
	answer, err := h.service.AnswerTexts(ctx, question, docs...)
	if in.Include != "evidence" {
		answer.Evidence = nil
	}
	compared := map[string]media.Compared{}
	for name, value := range answer.Extracted {
		if entry, ok := value.(media.Compared); ok {
			compared[name] = entry
		}
	}
	return &compareOutput{Body: ComparisonAnswer{Extracted: compared, Evidence: answer.Evidence, Warnings: answer.Warnings}}, err
}

// asked checks settings by the rules of a form's model, so that there is one set of them. What is empty was not given.
func asked(task media.Task, settings map[string]any) (media.Question, error) {
	for key, value := range settings {
		if text, isText := value.(string); isText && text == "" {
			delete(settings, key)
		}
		if variables, is := value.(map[string]TextVariable); is && len(variables) == 0 {
			delete(settings, key)
		}
	}
	model, err := json.Marshal(settings)
	if err != nil {
		return media.Question{}, err
	}
	question, err := media.ParseFields(task, map[string]string{media.ModelField: string(model)})
	return question, ofBody(err)
}

// ofBody makes pointers into a form's model such into a body.
func ofBody(err error) error {
	f := fault.As(err)
	if f == nil || f.Kind != fault.Validation {
		return err
	}
	fields := slices.Clone(f.Fields)
	for i := range fields {
		fields[i].Pointer = strings.TrimPrefix(fields[i].Pointer, media.Pointer(media.ModelField))
	}
	return fault.Invalid(fields...)
}

// read makes documents of texts.
func (h *handlers) read(ctx context.Context, texts ...string) ([]*documents.Document, error) {
	var docs []*documents.Document
	for _, text := range texts {
		d, err := h.service.ReadText(ctx, text)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}
