package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"portside/documents"
	"portside/shared/core/principal"
)

const batchPath = "/v1/capabilities/extract/batch"

// saveUpload stores a file of ada and returns its ID.
func (a *testAPI) saveUpload(text string) string {
	a.tb.Helper()
	id := uuid.NewString()
	if err := a.store.SaveUpload(a.tb.Context(), ada, id, documents.FromBytes([]byte(text))); err != nil {
		a.tb.Fatal(err)
	}
	return id
}

// download returns the file at the URL.
func (a *testAPI) download(url string) string {
	a.tb.Helper()
	request, err := http.NewRequestWithContext(a.tb.Context(), http.MethodGet, url, nil)
	if err != nil {
		a.tb.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.tb.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		a.tb.Fatalf("status %d, error %v", response.StatusCode, err)
	}
	if err := response.Body.Close(); err != nil {
		a.tb.Fatal(err)
	}
	return string(text)
}

func TestBatchOfFiles(t *testing.T) {
	a := newTestAPI(t)
	c := a.client()
	march, april := a.saveUpload(invoice), a.saveUpload(laterInvoice)
	body := fmt.Sprintf(`{"documents":[{"uploadId":%q,"name":"march.txt"},{"uploadId":%q,"name":"april.txt"},`+
		`{"uploadId":%q,"name":"lost.txt"}],`+
		`"variables":{"total":{"type":"number"},"invoice_number":{"type":"string","description":"number of the invoice"}}}`,
		march, april, uuid.NewString())
	started := c.Post(batchPath, body).WantStatus(http.StatusAccepted)
	started.WantValue("status", "queued").WantValue("batch.documents.1.status", "queued")
	location := started.WantHeader("Retry-After", "5").Header.Get("Location")
	c.Post(batchPath, body).WantStatus(http.StatusAccepted).WantHeader("Location", location)
	c.Post("/v1/capabilities/summarize/batch", `{"documents":[{"uploadId":"`+march+`","name":"march.txt"}]}`).
		WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "60")

	a.runJob(started.Text("id"))
	ended := c.Get(location).WantStatus(http.StatusOK).WantValue("status", "succeeded").WantValue("progress", 1)
	ended.WantValue("batch.succeeded", 2).WantValue("batch.failed", 1)
	ended.WantValue("batch.documents.0.status", "succeeded").WantValue("batch.documents.0.error", nil)
	ended.WantValue("batch.documents.2.error.code", "UNPROCESSABLE")
	rows := strings.Split(a.download(ended.Text("batch.csvUrl")), "\r\n")
	if rows[0] != "name,uploadId,status,error,invoice_number,total" ||
		rows[1] != "march.txt,"+march+",succeeded,,INV-2026-0117,1452" {
		t.Errorf("table begins with %q", rows[:2])
	}
	var line struct {
		Result struct {
			Extracted map[string]any              `json:"extracted_data"`
			Evidence  map[string][]map[string]any `json:"evidence"`
		} `json:"result"`
	}
	first, _, _ := strings.Cut(a.download(ended.Text("batch.jsonlUrl")), "\n")
	err := json.Unmarshal([]byte(first), &line)
	if err != nil || line.Result.Extracted["total"] != 1452.0 || len(line.Result.Evidence["total"]) != 1 {
		t.Errorf("line %s, error %v", first, err)
	}
	a.clientOf(bob, principal.User).Get(location).WantStatus(http.StatusNotFound)
}

func TestBatchSummarizes(t *testing.T) {
	a := newTestAPI(t)
	body := `{"documents":[{"uploadId":"` + a.saveUpload(invoice) + `","name":"march"}],"length":"short"}`
	started := a.client().Post("/v1/capabilities/summarize/batch", body).WantStatus(http.StatusAccepted)
	a.runJob(started.Text("id"))
	ended := a.client().Get(started.Header.Get("Location")).WantValue("status", "succeeded")
	if table := a.download(ended.Text("batch.csvUrl")); !strings.HasPrefix(table,
		"name,uploadId,status,error,summary\r\nmarch,") {
		t.Errorf("table %s", table)
	}
}

func TestBatchIsChecked(t *testing.T) {
	a := newTestAPI(t)
	one := `{"uploadId":"` + uuid.NewString() + `","name":"a"}`
	for name, test := range map[string]struct{ documents, settings, pointer string }{
		"no document":        {"", "", "/documents"},
		"too many documents": {one + strings.Repeat(","+one, 1000), "", "/documents"},
		"no name":            {`{"uploadId":"` + uuid.NewString() + `","name":""}`, "", "/documents/0/name"},
		"no ID":              {`{"uploadId":"x","name":"a"}`, "", "/documents/0/uploadId"},
		"a wrong type":       {one, `,"variables":{"a":{"type":"money"}}`, "/variables/a/type"},
		"an unusable schema": {one, `,"schema":{"type":"array"}`, "/schema/type"},
	} {
		t.Run(name, func(t *testing.T) {
			a.tb = t
			a.client().Post(batchPath, `{"documents":[`+test.documents+`]`+test.settings+`}`).
				WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", test.pointer)
		})
	}
}
