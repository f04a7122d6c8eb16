package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/web"
)

// SummaryAnswer is the answer of a summary.
type SummaryAnswer struct {
	Summary  string       `json:"summary" doc:"Summary of the file or text, in the requested form and length." example:"The contract runs until 31 March 2027."`
	Texts    []media.Text `json:"texts,omitempty" doc:"The text of the file, as the only entry; only with include=text."`
	Warnings []string     `json:"warnings" doc:"What the client should know, for example that pages were skipped, or that the language is not the requested one." example:"[]"`
}

// ExtractionAnswer is the answer of an extraction.
type ExtractionAnswer struct {
	Extracted  map[string]any               `json:"extracted_data" doc:"The value of each variable, in its type; null if it was not found. Dates are ISO 8601. With a schema, the object that it describes."`
	Evidence   map[string][]media.Quote     `json:"evidence,omitempty" doc:"Where each value was found; only with include=evidence. With a schema, the keys are JSON Pointers such as /lines/0/amount."`
	Candidates map[string][]media.Candidate `json:"candidates,omitempty" doc:"The likeliest values of each variable, the best first; only with include=candidates. Variables of type boolean have none."`
	Texts      []media.Text                 `json:"texts,omitempty" doc:"The texts of the files, in the order of the files; only for files, with include=text."`
	Warnings   []string                     `json:"warnings" example:"[]"`
}

// ComparisonAnswer is the answer of a comparison.
type ComparisonAnswer struct {
	Extracted  map[string]media.Compared    `json:"extracted_data" doc:"One entry for each variable; with a schema, one for each single value, by its JSON Pointer."`
	Tables     map[string]media.Table       `json:"tables,omitzero" doc:"With a schema: how the rows of each array differ, by its JSON Pointer."`
	Evidence   map[string][]media.Quote     `json:"evidence,omitempty" doc:"Where each value was found; only with include=evidence. With a schema, by the JSON Pointer to the value in its file."`
	Candidates map[string][]media.Candidate `json:"candidates,omitempty" doc:"The likeliest values of each variable in each file, the best first; only with include=candidates. Variables of type boolean have none."`
	Changes    []media.Change               `json:"changes,omitzero" doc:"Without variables and schema: the clauses that were added, removed or changed, in the order of the texts; up to 1,000."`
	Texts      []media.Text                 `json:"texts,omitempty" doc:"The texts of the files, in the order of the files; only for files, with include=text."`
	Warnings   []string                     `json:"warnings" example:"[]"`
}

// TextVariable is a variable to extract.
type TextVariable struct {
	Type        answers.Type `json:"type" enum:"string,number,date,boolean"`
	Description string       `json:"description,omitempty" maxLength:"1000" doc:"What the value is, in any of the supported languages." example:"amount to be paid, with tax"`
}

type summarizeInput struct {
	Body struct {
		Text   string `json:"text" minLength:"1" maxLength:"100000" doc:"The text to summarize." example:"Invoice 17. Total: 12.50 EUR."`
		Format string `json:"format,omitempty" enum:"paragraph,bullet" default:"paragraph"`
		Length string `json:"length,omitempty" enum:"short,medium,long" default:"medium"`
		Lang   string `json:"lang,omitempty" enum:"en,es,pt,fr,de,it,nl,sv,pl,ro" doc:"Language of the summary. The default is the language of the text."`
		Hint   string `json:"summary_hint,omitempty" maxLength:"1000" doc:"What the summary should focus on." example:"what was decided"`
	}
}

type summarizeOutput struct{ Body SummaryAnswer }

var summarizeText = huma.Operation{
	OperationID: "summarizeText", Tags: []string{tag},
	Summary:     "Summarize a text",
	Description: "Like summarizeMedia, for a text instead of a file.",
	Errors:      textErrors, MaxBodyBytes: maxTextBytes, Metadata: asFile,
}

func (h *handlers) summarizeText(ctx context.Context, in *summarizeInput) (*summarizeOutput, error) {
	question, err := parseSettings(media.Summarize, map[string]any{
		"format": in.Body.Format, "length": in.Body.Length, "lang": in.Body.Lang, "summary_hint": in.Body.Hint,
	})
	if err != nil {
		return nil, err
	}
	docs, err := h.readTexts(ctx, in.Body.Text)
	if err != nil {
		return nil, err
	}
	answer, err := h.responder.Service.AnswerTexts(ctx, question, docs...)
	return &summarizeOutput{Body: SummaryAnswer{Summary: answer.Summary, Warnings: answer.Warnings}}, err
}

// TextsInclude is the parameter for what an answer about texts includes in addition to its values. Huma reads embedded
// types only if they are exported.
type TextsInclude struct {
	Include []string `query:"include" enum:"evidence,candidates" uniqueItems:"true" doc:"Additional parts of the answer, separated by commas. evidence: where in the text each value was found. candidates: up to five of the likeliest values of each variable."`
}

// answer answers a question about texts.
func (in TextsInclude) answer(ctx context.Context, s *media.Service, q media.Question, docs []*documents.Document) (media.Answer, error) {
	q.WithCandidates = slices.Contains(in.Include, includeCandidates)
	answer, err := s.AnswerTexts(ctx, q, docs...)
	if !slices.Contains(in.Include, includeEvidence) {
		answer.Evidence = nil
	}
	return answer, err
}

type extractInput struct {
	TextsInclude
	Body struct {
		Text          string                  `json:"text" minLength:"1" maxLength:"100000" doc:"The text to extract values from." example:"Invoice 17. Total: 12.50 EUR."`
		Lang          string                  `json:"lang,omitempty" enum:"en,es,pt,fr,de,it,nl,sv,pl,ro"`
		Variables     map[string]TextVariable `json:"variables,omitempty" maxProperties:"100" doc:"The variables, by name."`
		Schema        web.Object              `json:"schema,omitempty" doc:"A JSON Schema of extracted_data, in place of variables: as Pydantic and Zod write it, with an object at the root. Its arrays are rows of tables, or lists."`
		MinConfidence *float64                `json:"minConfidence,omitempty" exclusiveMinimum:"0" maximum:"1" doc:"The least confidence of a value; a value with less is null. By default, the engine decides; the offline engine returns values with a probability of at least 0.65." example:"0.9"`
	}
}

type extractOutput struct{ Body ExtractionAnswer }

var extractText = huma.Operation{
	OperationID: "extractText", Tags: []string{tag},
	Summary:     "Extract values from a text",
	Description: "Like extractMedia, for a text instead of a file.",
	Errors:      textErrors, MaxBodyBytes: maxTextBytes, Metadata: asFile,
}

func (h *handlers) extractText(ctx context.Context, in *extractInput) (*extractOutput, error) {
	question, err := parseSettings(media.Extract, map[string]any{
		"lang": in.Body.Lang, "variables": in.Body.Variables, "schema": in.Body.Schema,
		"minConfidence": in.Body.MinConfidence,
	})
	if err != nil {
		return nil, err
	}
	docs, err := h.readTexts(ctx, in.Body.Text)
	if err != nil {
		return nil, err
	}
	answer, err := in.answer(ctx, h.responder.Service, question, docs)
	return &extractOutput{Body: ExtractionAnswer{
		Extracted: answer.Extracted, Evidence: answer.Evidence, Candidates: answer.Candidates, Warnings: answer.Warnings,
	}}, err
}

type compareInput struct {
	TextsInclude
	Body struct {
		Text1         string                  `json:"text1" minLength:"1" maxLength:"50000" doc:"The first text." example:"Price: 40.00 EUR"`
		Text2         string                  `json:"text2" minLength:"1" maxLength:"50000" doc:"The second text." example:"Price: 45.00 EUR"`
		Prompt        string                  `json:"prompt,omitempty" maxLength:"4000" doc:"What the comparison should focus on." example:"the prices"`
		Lang          string                  `json:"lang,omitempty" enum:"en,es,pt,fr,de,it,nl,sv,pl,ro" doc:"Language of the comparison. The default is the language of the first text."`
		Variables     map[string]TextVariable `json:"variables,omitempty" maxProperties:"100" doc:"The variables, by name."`
		Schema        web.Object              `json:"schema,omitempty" doc:"A JSON Schema of the data to extract from each text, in place of variables: as Pydantic and Zod write it, with an object at the root. Its arrays are rows of tables, which are compared row by row."`
		MinConfidence *float64                `json:"minConfidence,omitempty" exclusiveMinimum:"0" maximum:"1" doc:"The least confidence of a value; a value with less is null. By default, the engine decides; the offline engine returns values with a probability of at least 0.65." example:"0.9"`
	}
}

type compareOutput struct{ Body ComparisonAnswer }

var compareTexts = huma.Operation{
	OperationID: "compareTexts", Tags: []string{tag},
	Summary:     "Compare two texts",
	Description: "Like compareMedia, for texts instead of files.",
	Errors:      textErrors, MaxBodyBytes: maxTextBytes, Metadata: asFile,
}

func (h *handlers) compareTexts(ctx context.Context, in *compareInput) (*compareOutput, error) {
	question, err := parseSettings(media.Compare, map[string]any{
		"prompt": in.Body.Prompt, "lang": in.Body.Lang, "variables": in.Body.Variables, "schema": in.Body.Schema,
		"minConfidence": in.Body.MinConfidence,
	})
	if err != nil {
		return nil, err
	}
	docs, err := h.readTexts(ctx, in.Body.Text1, in.Body.Text2)
	if err != nil {
		return nil, err
	}
	answer, err := in.answer(ctx, h.responder.Service, question, docs)
	compared := map[string]media.Compared{}
	for name, value := range answer.Extracted {
		if entry, ok := value.(media.Compared); ok {
			compared[name] = entry
		}
	}
	return &compareOutput{Body: ComparisonAnswer{
		Extracted: compared, Tables: answer.Tables, Evidence: answer.Evidence, Candidates: answer.Candidates,
		Changes:  answer.Changes,
		Warnings: answer.Warnings,
	}}, err
}

// parseSettings validates settings by the rules of a form's field model, so that both have the same
// rules. Empty settings count as missing.
func parseSettings(task media.Task, settings map[string]any) (media.Question, error) {
	for key, value := range settings {
		if text, ok := value.(string); ok && text == "" {
			delete(settings, key)
		}
		if variables, ok := value.(map[string]TextVariable); ok && len(variables) == 0 {
			delete(settings, key)
		}
		if schema, ok := value.(web.Object); ok && len(schema) == 0 {
			delete(settings, key)
		}
		if number, ok := value.(*float64); ok && number == nil {
			delete(settings, key)
		}
	}
	model, err := json.Marshal(settings)
	if err != nil {
		return media.Question{}, err
	}
	question, err := media.ParseFields(task, map[string]string{media.ModelField: string(model)})
	return question, withBodyPointers(err)
}

// withBodyPointers turns pointers into the field model of a form into pointers into a body.
func withBodyPointers(err error) error {
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

// readTexts makes documents of texts.
func (h *handlers) readTexts(ctx context.Context, texts ...string) ([]*documents.Document, error) {
	var docs []*documents.Document
	for _, text := range texts {
		d, err := h.responder.Service.ReadText(ctx, text)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}
