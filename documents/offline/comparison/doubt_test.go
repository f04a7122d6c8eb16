package comparison

import (
	"testing"

	"portside/documents/answers"
)

func TestAnUncertainValuePutsAComparisonInDoubt(t *testing.T) {
	certain := extractionOf(answers.Value{Type: answers.Number, Text: "20"}, 0.9)
	settings := answers.CompareSettings{Variables: []answers.Variable{{Name: "total", Type: answers.Number}}}
	for name, step := range map[string]struct {
		first, second answers.Extraction
		want          string
	}{
		"second":                    {certain, uncertain(0.6), "In doubt: 20 in the first document. The second may have a value, but it is uncertain."},
		"first":                     {uncertain(0.6), certain, "In doubt: 20 in the second document. The first may have a value, but it is uncertain."},
		"likelier wrong than right": {certain, uncertain(0.4), "Only in the first document: 20. Not found in the second."},
		"no candidate":              {answers.Extraction{}, certain, "Only in the second document: 20. Not found in the first."},
		"both uncertain":            {uncertain(0.6), uncertain(0.6), "Not found in either document."},
		"both certain":              {certain, certain, "Both documents say 20."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Describe(step.first, step.second, "en", settings)["total"]; got != step.want {
				t.Errorf("got %q, want %q", got, step.want)
			}
		})
	}
}

// uncertain returns an extraction with no value, and one candidate of the given confidence.
func uncertain(confidence float64) answers.Extraction {
	e := extractionOf(answers.Value{Type: answers.Number, Text: "30"}, confidence)
	e.Values = nil
	return e
}

func extractionOf(v answers.Value, confidence float64) answers.Extraction {
	candidate := answers.Candidate{Value: v, Evidence: answers.Evidence{Quote: v.Text, Confidence: confidence}}
	return answers.Extraction{Values: map[string]answers.Value{"total": v},
		Candidates: map[string][]answers.Candidate{"total": {candidate}}}
}
