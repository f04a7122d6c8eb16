package main

import (
	"net/http"
	"strings"
	"testing"

	"portside/documents/sample"
)

// Without any setting, Tesseract reads pictures, and evidence has the places of the values.
func TestTesseractReadsPictures(t *testing.T) {
	content, err := sample.Scan{Text: strings.ReplaceAll(bill, ": ", ":\t"), DPI: 150}.PNG()
	if err != nil {
		t.Fatal(err)
	}
	answer := postForm(t, newTestAPI(t).client(), extractPath+"?include=evidence", "@file", string(content), "model", billVariables).
		WantStatus(http.StatusOK)
	answer.WantValue("extracted_data", map[string]any{
		"Supplier": "Nordwind Papier GmbH", "Total": 1234.5, "Due": "2026-03-05", "Paid": false,
	}).WantValue("evidence.Total.0.page", 1.0).WantValue("warnings", []any{})
	const columnLeft = 420 // pixels: a margin of 60 points and a column of 142, at 150 dpi
	if left, _ := answer.JSON("evidence.Total.0.box.left").(float64); left < columnLeft-5 || left > columnLeft+5 {
		t.Errorf("the total is marked at %v, want %v", left, columnLeft)
	}
}
