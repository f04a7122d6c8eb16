package mediaprompt_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"portside/documents/answers"
	"portside/shared/media/mediaprompt"
	"portside/shared/testkit/mediatest"
)

var items = answers.Table{Name: "lines", Description: "what was sold", MaxRows: 4, Columns: []answers.Variable{
	{Name: "name", Type: answers.String}, {Name: "amount", Type: answers.Number}, {Name: "sent", Type: answers.Date},
}}

// extractItems asks a model that always gives the same answer.
func extractItems(t *testing.T, text, answer string) (answers.Extraction, error) {
	t.Helper()
	e := mediaprompt.New(replies(func(mediaprompt.Request) (string, error) { return answer, nil }), mediaprompt.Settings{})
	return e.Extract(t.Context(), mediatest.Document(t, text), answers.ExtractSettings{Tables: []answers.Table{items}})
}

func TestRowsHaveValuesOfTheirQuotes(t *testing.T) {
	const text = "Rope 2.50\nRope 2.50\nSail 90,00 2026-11-02\nOar 7\n"
	x, err := extractItems(t, text, `{"records": [
		{"quote": "Rope 2.50", "v1": ["Rope"], "v2": [2.5], "v3": []},
		{"quote": "rope  2.50", "v1": ["Rope"], "v2": [2.5], "v3": []},
		{"quote": "Sail 90,00 2026-11-02", "v1": ["Sail"], "v2": 90, "v3": ["2026-11-02"]},
		{"quote": "Oar 8", "v1": ["Oar"], "v2": [8], "v3": []},
		{"quote": "Mast 1", "v1": ["Mast"], "v2": [1], "v3": []}]}`)
	rows := x.Rows["lines"]
	if err != nil || len(rows) != 3 {
		t.Fatalf("got %+v, %v", rows, err)
	}
	for i, want := range []struct {
		name, amount, sent string
		start              int
	}{{"Rope", "2.5", "", 0}, {"Rope", "2.5", "", 10}, {"Sail", "90", "2026-11-02", 20}} {
		t.Run(fmt.Sprint("row ", i), func(t *testing.T) {
			row := rows[i]
			if row.Values["name"].Text != want.name || row.Values["amount"].Text != want.amount || row.Values["sent"].Text != want.sent {
				t.Errorf("row %d: %+v", i, row.Values)
			}
			if quotes := row.Evidence["name"]; len(quotes) != 1 || quotes[0].Start != want.start || quotes[0].Quote != want.name {
				t.Errorf("row %d: %+v", i, quotes)
			}
		})
	}
	d := mediatest.Document(t, text)
	if checked := x.Checked(d, answers.ExtractSettings{Tables: []answers.Table{items}}); len(checked.Rows["lines"]) != 3 {
		t.Errorf("the checks refuse %+v", checked.Rows)
	}
}

func TestRowsThatTheQuoteContradictsAreLeftOut(t *testing.T) {
	x, err := extractItems(t, "Rope 2.50\n",
		`{"records": [{"quote": "Rope 2.50", "v1": ["Sail"], "v2": [25], "v3": ["2026-11-02"]}, {"quote": 5}, {}]}`)
	if err != nil || len(x.Rows["lines"]) != 0 {
		t.Errorf("got %+v, %v", x.Rows, err)
	}
	if _, err := extractItems(t, "Rope 2.50\n", `{"records": "none"}`); !errors.Is(err, mediaprompt.ErrJunk) {
		t.Errorf("junk: %v", err)
	}
}

// A part with too many records for one answer is divided.
func TestRowsOfLongPartsAreAskedForInHalves(t *testing.T) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "Item number %d costs %d.50\n", i, i)
	}
	table := items
	table.MaxRows = 1000
	e := mediaprompt.New(replies(func(r mediaprompt.Request) (string, error) {
		lines := strings.Count(r.Data, " costs ")
		if lines > 60 {
			return "", mediaprompt.ErrTruncated
		}
		var records []string
		for line := range strings.SplitSeq(r.Data, "\n") {
			if name, price, ok := strings.Cut(line, " costs "); ok {
				records = append(records, fmt.Sprintf(`{"quote": %q, "v1": [%q], "v2": [%s], "v3": []}`, line, name, price))
			}
		}
		return `{"records": [` + strings.Join(records, ",") + `]}`, nil
	}), mediaprompt.Settings{})
	x, err := e.Extract(t.Context(), mediatest.Document(t, text.String()), answers.ExtractSettings{Tables: []answers.Table{table}})
	if err != nil || len(x.Rows["lines"]) != 200 {
		t.Errorf("%d rows, %v", len(x.Rows["lines"]), err)
	}
	broken := mediaprompt.New(replies(func(mediaprompt.Request) (string, error) {
		return "", mediaprompt.ErrTruncated
	}), mediaprompt.Settings{})
	_, err = broken.Extract(t.Context(), mediatest.Document(t, text.String()), answers.ExtractSettings{Tables: []answers.Table{table}})
	if !errors.Is(err, mediaprompt.ErrTruncated) {
		t.Errorf("always truncated: %v", err)
	}
}
