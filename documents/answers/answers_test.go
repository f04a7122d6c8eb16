package answers_test

import (
	"fmt"
	"reflect"
	"testing"

	"portside/documents"
	"portside/documents/answers"
)

func document(t *testing.T, text string) *documents.Document {
	t.Helper()
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	if err := into.Add(documents.Block{Text: text}); err != nil {
		t.Fatal(err)
	}
	return into.Document()
}

// found returns an extraction with one value, which the document quotes at a place.
func found(v answers.Value, e answers.Evidence) answers.Extraction {
	return answers.Extraction{
		Values:   map[string]answers.Value{"total": v},
		Evidence: map[string][]answers.Evidence{"total": {e}},
	}
}

func TestValuesWithoutProofAreNull(t *testing.T) {
	d := document(t, "Total: 12 EUR")
	twelve := answers.Value{Type: answers.Number, Text: "12"}
	proof := answers.Evidence{Quote: "12 EUR", Start: len("Total: "), Confidence: 0.8}
	moved := proof
	moved.Start++
	for name, c := range map[string]struct {
		extraction answers.Extraction
		least      float64
		want       bool
	}{
		"proved":                {found(twelve, proof), 0, true},
		"enough confidence":     {found(twelve, proof), 0.8, true},
		"too little confidence": {found(twelve, proof), 0.81, false},
		"quote elsewhere":       {found(twelve, moved), 0, false},
		"no quote":              {answers.Extraction{Values: map[string]answers.Value{"total": twelve}}, 0, false},
		"other type":            {found(answers.Value{Type: answers.String, Text: "12"}, proof), 0, false},
		"no number":             {found(answers.Value{Type: answers.Number, Text: "twelve"}, proof), 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			checked := c.extraction.Checked(d, answers.ExtractSettings{
				Variables: []answers.Variable{{Name: "total", Type: answers.Number}}, MinConfidence: c.least,
			})
			if got := checked.Values["total"].Found(); got != c.want || len(checked.Evidence) != len(checked.Values) && c.want {
				t.Errorf("found %v, want %v: %+v", got, c.want, checked)
			}
		})
	}
}

func TestCandidatesAreChecked(t *testing.T) {
	d := document(t, "Total: 12 EUR")
	twelve := answers.Candidate{
		Value:    answers.Value{Type: answers.Number, Text: "12"},
		Evidence: answers.Evidence{Quote: "12 EUR", Start: len("Total: "), Confidence: 0.8},
	}
	invented := twelve
	invented.Evidence.Quote = "13 EUR"
	value := found(twelve.Value, twelve.Evidence)
	listed := answers.Extraction{Candidates: map[string][]answers.Candidate{"total": {invented, twelve, twelve}}}
	for name, c := range map[string]struct {
		extraction answers.Extraction
		maximum    int
		want       []answers.Candidate
	}{
		"a value with too little confidence": {value, 5, []answers.Candidate{twelve}},
		"not requested":                      {value, 0, nil},
		"invented":                           {listed, 5, []answers.Candidate{twelve, twelve}},
		"too many":                           {listed, 1, []answers.Candidate{twelve}},
	} {
		t.Run(name, func(t *testing.T) {
			checked := c.extraction.Checked(d, answers.ExtractSettings{
				Variables: []answers.Variable{{Name: "total", Type: answers.Number}}, MinConfidence: 0.9, MaxCandidates: c.maximum,
			})
			if got := checked.Candidates["total"]; !reflect.DeepEqual(got, c.want) {
				t.Errorf("candidates %+v, want %+v", got, c.want)
			}
		})
	}
}

// The confidence of a value is at most the OCR confidence of its words.
func TestDoubtfulWordsLowerConfidence(t *testing.T) {
	twelve := answers.Value{Type: answers.Number, Text: "12"}
	proof := answers.Evidence{Quote: "12 EUR", Start: len("Total: "), Confidence: 0.9}
	for _, test := range []struct {
		doubt       float32
		least, want float64 // want is 0 for a null
	}{
		{0, 0, 0.9}, {0.0625, 0, 0.9}, {0.25, 0, 0.75}, {0.25, 0.8, 0}, {0.375, 0, 0}, {0.375, 0.5, 0.625},
	} {
		t.Run(fmt.Sprintf("doubt %v, least %v", test.doubt, test.least), func(t *testing.T) {
			into := documents.NewBuilder(documents.Image, documents.DefaultLimits())
			words := []documents.Word{{Text: "Total:", Doubt: 0.9}, {Text: "12", Doubt: test.doubt}, {Text: "EUR"}}
			if err := into.Add(documents.Block{Text: "Total: 12 EUR", Words: words}); err != nil {
				t.Fatal(err)
			}
			d, settings := into.Document(), answers.ExtractSettings{
				Variables: []answers.Variable{{Name: "total", Type: answers.Number}}, MinConfidence: test.least, MaxCandidates: 1,
			}
			checked := found(twelve, proof).Checked(d, settings).Checked(d, settings)
			got := 0.0
			if checked.Values["total"].Found() {
				got = checked.Evidence["total"][0].Confidence
			}
			if got != test.want {
				t.Errorf("confidence %v, want %v", got, test.want)
			}
			once := found(twelve, proof).Checked(d, settings)
			if len(once.Candidates["total"]) == 0 && test.want == 0 {
				t.Error("no candidate")
			}
		})
	}
}
