package media_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/documents/offline"
	"portside/shared/core/fault"
	"portside/shared/media"
)

const invoiceSchema = `{"type":"object","properties":{
	"number":{"type":"string","description":"invoice number"},
	"currency":{"type":"string","enum":["EUR","USD"]},
	"total":{"type":"number","maximum":1000},
	"buyer":{"type":"object","properties":{"vat":{"type":["string","null"],"description":"VAT number of the buyer"}}},
	"lines":{"type":"array","maxItems":50,"items":{"type":"object","properties":{
		"description":{"type":"string"},"quantity":{"type":"integer"},"amount":{"type":"number"}}}}}}`

const invoiceText = "Invoice number: 2026-17\nCurrency: EUR\nTotal: 132.50\n\n" +
	"| Description | Quantity | Amount |\n| --- | --- | --- |\n| Rope | 2 | 42.50 |\n| Sail | 1.5 | 90.00 |\n"

// extractBySchema asks for a schema as a form does.
func extractBySchema(t *testing.T, schema, text string) media.Answer {
	t.Helper()
	return answerBySchema(t, media.Extract, schema, text)
}

// answerBySchema puts a question with a schema and candidates about texts.
func answerBySchema(t *testing.T, task media.Task, schema string, texts ...string) media.Answer {
	t.Helper()
	question, err := media.ParseFields(task, map[string]string{"schema": schema})
	if err != nil {
		t.Fatal(err)
	}
	question.WithCandidates = true
	service := media.NewService(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Engine: offline.New(), Results: memoryResults{}, Limits: documents.DefaultLimits(),
	})
	var docs []*documents.Document
	for _, text := range texts {
		d, err := files.Read(t.Context(), documents.FromBytes([]byte(text)), documents.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	answer, err := service.AnswerTexts(t.Context(), question, docs...)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestAnswerBySchema(t *testing.T) {
	answer := extractBySchema(t, invoiceSchema, invoiceText)
	got, err := json.Marshal(answer.Extracted)
	const want = `{"buyer":{"vat":null},"currency":"EUR","lines":[{"amount":42.5,"description":"Rope","quantity":2},` +
		`{"amount":90,"description":"Sail","quantity":null}],"number":"2026-17","total":132.5}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	for pointer, quote := range map[string]string{
		"/number": "2026-17", "/total": "132.50", "/lines/0/amount": "42.50", "/lines/1/description": "Sail",
	} {
		if quotes := answer.Evidence[pointer]; len(quotes) == 0 || quotes[0].Quote != quote {
			t.Errorf("evidence of %s: %+v", pointer, quotes)
		}
	}
	if len(answer.Candidates["/total"]) == 0 {
		t.Errorf("candidates %v", answer.Candidates)
	}
	if len(answer.Warnings) != 1 || !strings.Contains(answer.Warnings[0], "/lines/1/quantity") { // 1.5 is not an integer
		t.Errorf("warnings %q", answer.Warnings)
	}
}

func TestValuesThatDoNotFitAreNull(t *testing.T) {
	text := strings.NewReplacer("132.50", "1132.50", "EUR", "GBP").Replace(invoiceText)
	answer := extractBySchema(t, invoiceSchema, text)
	if answer.Extracted["total"] != nil || answer.Extracted["currency"] != nil || answer.Evidence["/total"] != nil {
		t.Errorf("got %v, evidence %v", answer.Extracted, answer.Evidence["/total"])
	}
	if len(answer.Warnings) != 3 {
		t.Errorf("warnings %q", answer.Warnings)
	}
}

func TestSchemasThatCannotBeAnswered(t *testing.T) {
	for _, test := range []struct{ field, text, pointer string }{
		{"schema", `{"type":"string"}`, "/schema/type"},
		{"schema", `{"type":"object","properties":{"a/b":{"type":"string","minLength":"x"}}}`, "/schema/properties/a~1b/minLength"},
		{"schema", `no`, "/schema"},
		{"model", `{"schema":{"type":"object","properties":{"a":{"type":"text"}}}}`, "/model/schema/properties/a/type"},
		{"model", `{"schema":"x"}`, "/model/schema"},
		{
			"model", `{"schema":{"type":"object","properties":{"a":{"type":"string"}}},"variables":{"b":{"type":"string"}}}`, "/model/schema",
		},
	} {
		t.Run(test.text, func(t *testing.T) {
			_, err := media.ParseFields(media.Extract, map[string]string{test.field: test.text})
			f := fault.As(err)
			if f == nil || !slices.ContainsFunc(f.Fields, func(field fault.Field) bool { return field.Pointer == test.pointer }) {
				t.Error(err)
			}
		})
	}
	if _, err := media.ParseFields(media.Summarize, map[string]string{"schema": invoiceSchema}); err == nil {
		t.Error("a summary takes a schema")
	}
}

// A schema that names another file must not fetch it.
//
//proves:docs/security.md
func TestSchemaFetchesNothing(t *testing.T) {
	for _, text := range []string{
		`{"$ref":"http://127.0.0.1:1/x"}`, `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
		`{"$id":"http://127.0.0.1:1/x","type":"object","properties":{"a":{"$ref":"y"}}}`,
	} {
		_, err := media.ParseFields(media.Extract, map[string]string{"schema": text})
		if f := fault.As(err); f == nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A schema of Pydantic gets an answer, with one warning about what has no effect.
func TestSchemaOfATool(t *testing.T) {
	const text = `{"$defs":{"Party":{"type":"object","title":"Party","properties":{"vat":{"anyOf":[{"type":"string"},{"type":"null"}],
		"default":null,"title":"Vat","description":"VAT number"}},"required":[]}},"title":"Invoice","type":"object","properties":{
		"number":{"type":"string","minLength":1,"title":"Number","description":"invoice number"},
		"currency":{"enum":["eur","usd"],"title":"Currency","type":"string"},
		"total":{"anyOf":[{"type":"number","exclusiveMinimum":0},{"type":"string","pattern":"^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$"}],"title":"Total"},
		"buyer":{"anyOf":[{"$ref":"#/$defs/Party"},{"type":"null"}],"default":null}},"required":["number","total"]}`
	answer := extractBySchema(t, text, invoiceText)
	got, err := json.Marshal(answer.Extracted)
	if want := `{"buyer":{"vat":null},"currency":"eur","number":"2026-17","total":132.5}`; err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if len(answer.Warnings) != 2 || !strings.Contains(answer.Warnings[0], `"default" at /properties/buyer and one other place`) {
		t.Errorf("warnings %q", answer.Warnings)
	}
	compared := answerBySchema(t, media.Compare, text, invoiceText, invoiceText)
	if len(compared.Warnings) != 2 {
		t.Errorf("warnings of the comparison %q", compared.Warnings)
	}
}

// An answer without warnings has an empty list, not null.
func TestAnswersBySchemaHaveWarnings(t *testing.T) {
	const text = `{"type":"object","properties":{"number":{"type":"string","description":"invoice number"}}}`
	for name, answer := range map[string]media.Answer{
		"extract": extractBySchema(t, text, invoiceText), "compare": answerBySchema(t, media.Compare, text, invoiceText, invoiceText),
	} {
		if answer.Warnings == nil || len(answer.Warnings) > 0 {
			t.Errorf("%s: %#v", name, answer.Warnings)
		}
	}
}
