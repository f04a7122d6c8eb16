package media_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"portside/shared/media"
)

// invoice returns an invoice with lines of a description, a quantity, and an amount.
func invoice(total string, lines ...string) string {
	return "Invoice number: 2026-17\nCurrency: EUR\nTotal: " + total + "\n\n| Description | Quantity | Amount |\n| --- | --- | --- |\n| " +
		strings.Join(lines, " |\n| ") + " |\n"
}

// asJSON returns what clients get, for a comparison with documented answers.
func asJSON(t *testing.T, value any) (decoded any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

func fromJSON(t *testing.T, text string) (decoded any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

func TestCompareBySchema(t *testing.T) {
	answer := answerBySchema(t, media.Compare, invoiceSchema,
		invoice("250.00", "Rope | 2 | 42.50", "Sail | 1 | 90.00", "Anchor | 1 | 117.50"),
		invoice("265.50", "Rope | 2 | 48.00", "Buoy | 5 | 100.00", "Anchor | 1 | 117.50"))
	want := fromJSON(t, `{"/lines": {"equal": 1,
		"changed": [{"row": 0, "row_to_compare": 0,
			"data": {"description": "Rope", "quantity": 2, "amount": 42.5}, "data_to_compare": {"description": "Rope", "quantity": 2, "amount": 48},
			"differences": {"/amount": {"data": "42.5", "data_to_compare": "48",
				"difference": {"relation": "different", "amount": 5.5, "percent": 12.94}}}}],
		"removed": [{"row": 1, "data": {"description": "Sail", "quantity": 1, "amount": 90}}],
		"added": [{"row": 1, "data": {"description": "Buoy", "quantity": 5, "amount": 100}}]}}`)
	if got := asJSON(t, answer.Tables); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	total, ok := answer.Extracted["/total"].(media.Compared)
	if !ok || total.Data != "250" || total.DataToCompare != "265.5" || total.Comparison == "" || total.Difference.Amount.String() != "15.5" {
		t.Errorf("total %+v", answer.Extracted["/total"])
	}
	if len(answer.Extracted) != 4 || answer.Candidates["/total"] == nil {
		t.Errorf("values %v, candidates %v", answer.Extracted, answer.Candidates)
	}
	files := map[int]string{}
	for _, quote := range answer.Evidence["/lines/0/amount"] {
		files[quote.File] = quote.Quote
	}
	if files[1] != "42.50" || files[2] != "48.00" {
		t.Errorf("evidence of the changed amount: %v", answer.Evidence["/lines/0/amount"])
	}
}

// A table that is compared with itself has no differences, and swapped files turn added rows into removed ones.
func TestSwappedFilesSwapTheRows(t *testing.T) {
	const schema = `{"type":"object","properties":{"lines":{"type":"array","items":{"type":"object","properties":{
		"description":{"type":"string"},"amount":{"type":"number"}}}}}}`
	long, short := invoice("1", "Rope | 2 | 42.50", "Sail | 1 | 90.00"), invoice("1", "Rope | 2 | 42.50")
	same := answerBySchema(t, media.Compare, schema, long, long).Tables["/lines"]
	if same.Equal != 2 || len(same.Changed)+len(same.Added)+len(same.Removed) != 0 {
		t.Errorf("a file differs from itself: %+v", same)
	}
	less := answerBySchema(t, media.Compare, schema, long, short)
	more := answerBySchema(t, media.Compare, schema, short, long)
	if len(less.Tables["/lines"].Removed) != 1 || !reflect.DeepEqual(less.Tables["/lines"].Removed, more.Tables["/lines"].Added) {
		t.Errorf("removed %+v, added %+v", less.Tables, more.Tables)
	}
	if len(less.Extracted) != 0 {
		t.Errorf("values %v, want none", less.Extracted)
	}
}

// A value that does not fit the schema is in neither the values nor the sentence about them.
func TestComparedValuesFitTheSchema(t *testing.T) {
	answer := answerBySchema(t, media.Compare, invoiceSchema, invoice("250.00", "Rope | 2 | 42.50"), invoice("2650.00", "Rope | 2 | 42.50"))
	total, ok := answer.Extracted["/total"].(media.Compared)
	if !ok || total.DataToCompare != "" || strings.Contains(total.Comparison, "650") {
		t.Errorf("total %+v", answer.Extracted["/total"])
	}
	if len(answer.Warnings) != 1 || !strings.HasPrefix(answer.Warnings[0], "file2: ") {
		t.Errorf("warnings %q", answer.Warnings)
	}
}
