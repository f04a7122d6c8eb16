package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"portside/shared/media"
)

// doubtful has two amounts and does not say that one is a total.
const doubtful = "We offer the pump for 120.00 EUR and the hose for 80.00 EUR. Delivery takes 14 days."

// candidatesIn returns the candidates of the variable total in an answer.
func candidatesIn(t *testing.T, body []byte) []media.Candidate {
	t.Helper()
	var answer struct{ Candidates map[string][]media.Candidate }
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Candidates["total"]
}

func TestCandidatesOfAValueInDoubt(t *testing.T) {
	a := newTestAPI(t)
	response := postForm(t, a.client(), extractPath+"?include=candidates", "@file", doubtful,
		"variable1_name", "total", "variable1_type", "number").WantStatus(http.StatusOK).
		WantValue("extracted_data.total", nil).WantValue("evidence", nil)
	all := candidatesIn(t, response.Body)
	if len(all) < 2 || len(all) > 5 {
		t.Fatalf("%d candidates: %s", len(all), response.Body)
	}
	for i, c := range all {
		if doubtful[c.Start:c.End] != c.Quote.Quote || i > 0 && c.Confidence > all[i-1].Confidence {
			t.Errorf("candidate %d: %+v", i, c)
		}
	}
	if all[0].Value != 120.0 && all[0].Value != 80.0 {
		t.Errorf("the first candidate is %v", all[0].Value)
	}
}

func TestMinConfidence(t *testing.T) {
	a := newTestAPI(t)
	ask := func(file, least string) any {
		t.Helper()
		response := postForm(t, a.client(), extractPath+"?include=candidates", "@file", file,
			"variable1_name", "total", "variable1_type", "number", "minConfidence", least).WantStatus(http.StatusOK)
		if len(candidatesIn(t, response.Body)) == 0 {
			t.Errorf("no candidates: %s", response.Body)
		}
		return response.JSON("extracted_data.total")
	}
	if got := ask(invoice, "0.9"); got == nil {
		t.Error("a value with much confidence is null")
	}
	if got := ask(invoice, "1"); got != nil {
		t.Errorf("found %v with a confidence of 1", got)
	}
	if got := ask(doubtful, "0.01"); got == nil {
		t.Error("a value in doubt is null")
	}
}

func TestMinConfidenceOfAComparison(t *testing.T) {
	a := newTestAPI(t)
	response := postForm(t, a.client(), comparePath+"?include=candidates", "@file1", invoice, "@file2", invoice,
		"variable1_name", "total", "variable1_type", "number", "minConfidence", "1").WantStatus(http.StatusOK).
		WantValue("extracted_data.total.data", "").WantValue("extracted_data.total.data_to_compare", "")
	files := map[int]bool{}
	for _, c := range candidatesIn(t, response.Body) {
		files[c.File] = true
	}
	if !files[1] || !files[2] {
		t.Errorf("candidates of the files %v: %s", files, response.Body)
	}
}

func TestMinConfidenceOfTexts(t *testing.T) {
	a := newTestAPI(t)
	const body = `{"text":"Total: 12 EUR","minConfidence":1,"variables":{"total":{"type":"number"}}}`
	response := a.client().Post("/v1/capabilities/extract?include=candidates,evidence", body).WantStatus(http.StatusOK).
		WantValue("extracted_data.total", nil)
	if len(candidatesIn(t, response.Body)) == 0 {
		t.Errorf("no candidates: %s", response.Body)
	}
}

func TestMinConfidenceIsANumber(t *testing.T) {
	a := newTestAPI(t)
	for _, least := range []string{"0", "-1", "1.01", "NaN", "much", "", "0x1p-1"} {
		response := postForm(t, a.client(), extractPath, "@file", invoice, "minConfidence", least).
			WantStatus(http.StatusBadRequest)
		if !strings.Contains(string(response.Body), "/minConfidence") {
			t.Errorf("%q: %s", least, response.Body)
		}
	}
	postForm(t, a.client(), extractPath, "@file", invoice, "model", `{"minConfidence":0.9}`).WantStatus(http.StatusOK)
	postForm(t, a.client(), extractPath, "@file", invoice, "model", `{"minConfidence":"0.9"}`).
		WantStatus(http.StatusBadRequest)
	postForm(t, a.client(), summarizePath, "@file", invoice, "minConfidence", "0.9").WantStatus(http.StatusBadRequest)
}
