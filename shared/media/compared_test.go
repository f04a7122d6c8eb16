package media_test

import (
	"context"
	"encoding/json"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/media"
)

func answerTexts(t *testing.T, s *media.Service, q media.Question, texts ...string) media.Answer {
	t.Helper()
	var docs []*documents.Document
	for _, text := range texts {
		d, err := s.ReadText(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	answer, err := s.AnswerTexts(t.Context(), q, docs...)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestComparedValuesHaveTypedDifferences(t *testing.T) {
	q := media.Question{Task: media.Compare, Lang: "en", MinConfidence: 0.1, Variables: []answers.Variable{
		{Name: "total", Type: answers.Number}, {Name: "discount", Type: answers.Number}, {Name: "due_date", Type: answers.Date},
		{Name: "invoice_number", Type: answers.String}, {Name: "customer", Type: answers.String}, {Name: "paid", Type: answers.Boolean},
		{Name: "iban", Type: answers.String},
	}}
	answer := answerTexts(t, offlineService(), q,
		"Invoice number: INV-7\nTotal: 1,306.80 EUR\nDiscount: 0.00 EUR\nDue date: 2026-04-02\nCustomer: Oak and Sons Ltd\nPaid: no",
		"Total: 1,512.50 EUR\nDiscount: 3.00 EUR\nDue date: 2026-03-31\nCustomer: OAK AND SONS LTD\nPaid: yes")
	for name, want := range map[string]string{
		"total":          `{"relation":"different","amount":205.7,"percent":15.74}`,
		"discount":       `{"relation":"different","amount":3,"percent":null}`,
		"due_date":       `{"relation":"different","days":-2}`,
		"invoice_number": `{"relation":"onlyFirst"}`,
		"customer":       `{"relation":"different","isFormOnly":true}`,
		"paid":           `{"relation":"different"}`,
		"iban":           `{"relation":"neither"}`,
	} {
		compared, isCompared := answer.Extracted[name].(media.Compared)
		if got, err := json.Marshal(compared.Difference); !isCompared || err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, want)
		}
	}
}

// hesitantEngine finds a value in the first document, and a probable one in the second.
type hesitantEngine struct{ echoEngine }

func (hesitantEngine) Compare(
	context.Context, *documents.Document, *documents.Document, answers.CompareSettings,
) (answers.Comparison, error) {
	number := func(confidence float64) answers.Extraction {
		return answers.Extraction{
			Values:   map[string]answers.Value{"number": {Type: answers.String, Text: "17"}},
			Evidence: map[string][]answers.Evidence{"number": {{Quote: "17", Start: 9, Confidence: confidence}}},
		}
	}
	return answers.Comparison{First: number(0.99), Second: number(0.6)}, nil
}

// The likeliest values show that a comparison is in doubt, also if the question does not ask for them.
func TestDoubtNeedsNoCandidatesInTheAnswer(t *testing.T) {
	s := offlineService()
	s.Engine = hesitantEngine{}
	q := media.Question{
		Task: media.Compare, Lang: "en", MinConfidence: 0.9, Variables: []answers.Variable{{Name: "number", Type: answers.String}},
	}
	for _, withCandidates := range []bool{false, true} {
		q.WithCandidates = withCandidates
		answer := answerTexts(t, s, q, "Invoice: 17", "Invoice? 17")
		compared, _ := answer.Extracted["number"].(media.Compared)
		if compared.Difference.Relation != "inDoubt" || (len(answer.Candidates) > 0) != withCandidates {
			t.Errorf("%+v, candidates %v", compared, answer.Candidates)
		}
	}
}

// lyingEngine says that both documents have a value, and proves it with a quote that the second one does not contain.
type lyingEngine struct{ echoEngine }

func (lyingEngine) Compare(
	context.Context, *documents.Document, *documents.Document, answers.CompareSettings,
) (answers.Comparison, error) {
	e := answers.Extraction{
		Values:   map[string]answers.Value{"total": {Type: answers.Number, Text: "5"}},
		Evidence: map[string][]answers.Evidence{"total": {{Quote: "5", Start: 7, Confidence: 1}}},
	}
	return answers.Comparison{First: e, Second: e, Words: map[string]string{"total": "The same."}}, nil
}

// The difference is computed from the checked values, whatever the engine says.
func TestDifferenceIsThatOfCheckedValues(t *testing.T) {
	s := offlineService()
	s.Engine = lyingEngine{}
	q := media.Question{Task: media.Compare, Variables: []answers.Variable{{Name: "total", Type: answers.Number}}}
	answer := answerTexts(t, s, q, "Total: 5", "Total: 6")
	compared, _ := answer.Extracted["total"].(media.Compared)
	if compared.Difference.Relation != "onlyFirst" || compared.Data != "5" || compared.DataToCompare != "" {
		t.Errorf("%+v", compared)
	}
}
