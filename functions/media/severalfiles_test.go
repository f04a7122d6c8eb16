package main

import (
	"net/http"
	"testing"
)

// The number is in the first file, and the total in the second one. Places are those in each file.
func TestAnswerAboutSeveralFiles(t *testing.T) {
	a := newTestAPI(t)
	c := a.client()
	const first, second = "Rechnung für Öl\n\nInvoice number: INV-2026-0117\n", "Terms\n\nTotal: 1,452.00 EUR\n"
	model := `{"variables":{"invoice_number":{"type":"string"},"total":{"type":"number"}}}`
	for name, parts := range map[string][]string{
		"files":             {"@file", first, "@file", second, "model", model},
		"a file, an upload": {"@file", first, "file_upload_id", a.saveUpload(second), "model", model},
		"uploads":           {"file_upload_id", a.saveUpload(first), "file_upload_id", a.saveUpload(second), "model", model},
	} {
		answer := postForm(t, c, extractPath+"?include=evidence,candidates,text", parts...).WantStatus(http.StatusOK)
		answer.WantValue("extracted_data", map[string]any{"invoice_number": "INV-2026-0117", "total": 1452.0})
		for variable, want := range map[string]struct{ file, start float64 }{"invoice_number": {1, 32}, "total": {2, 13}} {
			for _, list := range []string{"evidence", "candidates"} {
				at := list + "." + variable + ".0."
				file, start, page := answer.JSON(at+"file"), answer.JSON(at+"start"), answer.JSON(at+"page")
				if file != want.file || start != want.start || page != 0.0 {
					t.Errorf("%s: %s is in file %v at %v, want %v at %v", name, at, file, start, want.file, want.start)
				}
			}
		}
		answer.WantValue("texts.1.blocks.1.start", 6)
	}
	postForm(t, c, summarizePath, "@file", first, "@file", second).WantStatus(http.StatusOK)
	failed := postForm(t, c, summarizePath, "@file", first, "@file", "\x00\x01\x02\x03").
		WantStatus(http.StatusUnsupportedMediaType)
	if detail := failed.Text("detail"); detail[:7] != "file2: " {
		t.Errorf("detail %q, want the number of the file", detail)
	}
}

func TestSeveralFilesInAJob(t *testing.T) {
	a := newTestAPI(t)
	c := a.client().With("Prefer", "respond-async")
	started := postForm(t, c, extractPath, "@file", "Terms apply.", "@file", invoice, "model", variables).
		WantStatus(http.StatusAccepted)
	a.runJob(started.Text("id"))
	c.Get(started.Header.Get("Location")).WantValue("result.extracted_data.total", 1452).
		WantValue("result.evidence.total.0.file", 2)
}
