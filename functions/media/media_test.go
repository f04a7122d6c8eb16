package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/shared/core/principal"
	"portside/shared/testkit"
	"portside/shared/testkit/webtest"
)

const invoice = `Invoice

Invoice number: INV-2026-0117
Invoice date: 3 March 2026
Due date: 2 April 2026

Customer: Harbour Lights Ltd

Net amount: 1,200.00 EUR
VAT 21 %: 252.00 EUR
Total: 1,452.00 EUR

Paid: no
`

const later = `Invoice

Invoice number: INV-2026-0118
Invoice date: 5 March 2026
Due date: 4 April 2026

Customer: Harbour Lights Ltd

Net amount: 1,300.00 EUR
VAT 21 %: 273.00 EUR
Total: 1,573.00 EUR

Paid: yes
`

const variables = `{"variables":{
	"invoice_number":{"type":"string","description":"number of the invoice"},
	"total":{"type":"number","description":"total amount to pay"},
	"due_date":{"type":"date","description":"when it has to be paid"},
	"purchase_order":{"type":"string","description":"number of the purchase order"}}}`

const (
	summarizePath = "/v1/capabilities/summarize/media"
	extractPath   = "/v1/capabilities/extract/media"
	comparePath   = "/v1/capabilities/compare/media"
)

func TestValuesAreExtracted(t *testing.T) {
	s := newStudio(t)
	answer := send(t, s.user(), extractPath, "@file", invoice, "model", variables).WantStatus(http.StatusOK)
	answer.WantValue("extracted_data", map[string]any{
		"invoice_number": "INV-2026-0117", "total": 1452.0, "due_date": "2026-04-02", "purchase_order": nil,
	}).WantValue("evidence", nil).WantValue("warnings", []any{})
	fields := send(t, s.user(), extractPath+"?include=evidence", "@file", invoice, "lang", "en",
		"variable7_name", "total", "variable7_type", "number")
	quote := fields.WantStatus(http.StatusOK).WantValue("extracted_data.total", 1452).Text("evidence.total.0.quote")
	if !strings.Contains(quote, "1,452.00") || !strings.Contains(invoice, quote) {
		t.Errorf("the quote is %q", quote)
	}
}

func TestFilesAreCompared(t *testing.T) {
	s := newStudio(t)
	for _, path := range []string{comparePath, "/v1/ai/compare/media"} {
		answer := send(t, s.user(), path, "@file1", invoice, "@file2", later, "lang", "es",
			"variable1_name", "total", "variable1_type", "number", "variable2_name", "purchase_order", "variable2_type", "string")
		answer.WantStatus(http.StatusOK).WantValue("extracted_data.purchase_order.data", "").
			WantValue("extracted_data.purchase_order.data_to_compare", "")
		if words := answer.Text("extracted_data.total.comparison"); !strings.Contains(words, "121") {
			t.Errorf("the comparison is %q", words)
		}
		if answer.Text("extracted_data.total.data") == "" || answer.Text("extracted_data.purchase_order.comparison") == "" {
			t.Errorf("%v", answer)
		}
	}
}

func TestFilesAreSummarized(t *testing.T) {
	s := newStudio(t)
	minutes := strings.Repeat("The board met on Monday and discussed the harbour extension. ", 3) +
		"It was decided to build the second pier by autumn. The budget of 2 million euros was approved. Anna will talk to the contractors."
	answer := send(t, s.user(), summarizePath, "@file", minutes, "format", "bullet", "length", "short", "lang", "en").WantStatus(http.StatusOK)
	if text := answer.Text("summary"); !strings.HasPrefix(text, "- ") {
		t.Errorf("the summary is %q", text)
	}
	other := send(t, s.user(), summarizePath, "@file", minutes, "lang", "de").WantStatus(http.StatusOK)
	if other.JSON("warnings.0") == nil {
		t.Errorf("an English summary pretends to be German: %v", other)
	}
}

func TestTextsAreTwins(t *testing.T) {
	s := newStudio(t)
	text := strings.NewReplacer("\n", `\n`).Replace(invoice)
	s.user().Post("/v1/capabilities/extract", `{"text":"`+text+`","variables":{"total":{"type":"number"}}}`).WantStatus(http.StatusOK).
		WantValue("extracted_data.total", 1452)
	s.user().Post("/v1/capabilities/summarize", `{"text":"`+text+`","length":"short"}`).WantStatus(http.StatusOK)
	both := `{"text1":"` + text + `","text2":"Total: 9 EUR","variables":{"total":{"type":"number"}}}`
	s.user().Post("/v1/capabilities/compare", both).WantStatus(http.StatusOK)
	long := `{"text":"` + strings.Repeat(`\ud83d\udea2`, 100_000) + `"}`
	s.user().Post("/v1/capabilities/summarize", long).WantStatus(http.StatusOK)
	s.user().Post("/v1/capabilities/summarize", strings.Replace(long, "ud83d", "ud83d\\udea2\\ud83d", 1)).WantStatus(http.StatusBadRequest)
	s.user().Post("/v1/capabilities/extract", `{"text":" \n "}`).WantStatus(http.StatusUnprocessableEntity)
	s.user().Post("/v1/capabilities/extract", `{"text":"x","variables":{"a":{"type":"money"}}}`).WantStatus(http.StatusBadRequest)
}

// Whoever sent a body is told of places in it, and of a text.
func TestMistakesInTextsAreTheirOwn(t *testing.T) {
	c := newStudio(t).user()
	for body, pointers := range map[string]string{
		`{"text":"x","variables":{"":{"type":"date"}}}`:                                  "/variables/",
		`{"text":"x","variables":{"` + strings.Repeat("n", 101) + `/":{"type":"date"}}}`: "/variables/" + strings.Repeat("n", 101) + "~1",
		`{"text":"x","variables":{"a":{"type":"date"},"b":{"type":"date"}},"lang":"xx"}`: "/lang",
	} {
		answer := c.Post("/v1/capabilities/extract", body).WantStatus(http.StatusBadRequest)
		if got := strings.Join(answer.Pointers(), " "); got != pointers {
			t.Errorf("%s: %q", body, got)
		}
	}
	answer := c.Post("/v1/capabilities/extract", `{"text":" "}`).WantStatus(http.StatusUnprocessableEntity)
	if detail := answer.Text("detail"); !strings.HasPrefix(detail, "The text is empty") {
		t.Errorf("got %s", detail)
	}
	answer = c.Post("/v1/capabilities/extract", `{"text":""}`).WantStatus(http.StatusBadRequest)
	if detail := answer.Text("errors.0.detail"); !strings.Contains(detail, "1 or more") {
		t.Errorf("got %s", detail)
	}
}

// What is wrong thousands of times is told as often as somebody reads it, and neither the answer nor the log grows with it.
func TestManyMistakesAreToldInPart(t *testing.T) {
	c, logged := newStudio(t).user(), testkit.CaptureLogs(t)
	many := func(n int, value string) string {
		var keys strings.Builder
		for i := range n {
			fmt.Fprintf(&keys, `,"%d":%s`, i, value)
		}
		return keys.String()
	}
	const body = `{"text":"x","variables":{"a":{"type":"date"}`
	for name, step := range map[string]struct {
		body   string
		first  string
		told   int
		detail string
	}{
		"unknown keys":   {`{"text":"x"` + many(5_000, "1") + `}`, "", 100, "4900 more"},
		"too many keys":  {`{"text":"x"` + many(230_000, "1") + `}`, "", 1, "see errors"},
		"a long key":     {`{"text":"x","` + strings.Repeat("<", 2_300_000) + `":1}`, "", 1, "see errors"},
		"good variables": {body + many(4_500, `{"type":"date"}`) + `}}`, "/variables", 1, "see errors"},
		"101 variables":  {body + many(100, `{"type":"date"}`) + `}}`, "/variables", 1, "see errors"},
		"bad variables":  {body + many(4_000, `{"type":5}`) + `}}`, "/variables", 100, "3901 more"},
	} {
		answer := c.Post("/v1/capabilities/extract", step.body).WantStatus(http.StatusBadRequest)
		pointers := answer.Pointers()
		if len(pointers) != step.told || (step.first != "" || step.told == 1) && pointers[0] != step.first {
			t.Errorf("%s: %d failures, %.80q", name, len(pointers), pointers)
		}
		if detail := answer.Text("detail"); !strings.Contains(detail, step.detail) {
			t.Errorf("%s: %s", name, detail)
		}
	}
	form := send(t, c, extractPath, "@file", invoice, "model", `{"a":1`+many(20_000, "1")+`}`).WantStatus(http.StatusBadRequest)
	if told := len(form.Pointers()); told != 100 || logged.Len() > 100_000 || strings.Contains(logged.String(), "ERROR") {
		t.Errorf("%d failures, a log of %d bytes", told, logged.Len())
	}
}

// A disk that is full is our affair, and logged.
func TestWithoutADisk(t *testing.T) {
	s := newStudio(t)
	c, logged := s.user(), testkit.CaptureLogs(t)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	send(t, c, extractPath, "@file", invoice).WantStatus(http.StatusInternalServerError)
	if !strings.Contains(logged.String(), "a place for a file") {
		t.Errorf("logged %s", logged)
	}
}

func TestWhatIsAskedIsChecked(t *testing.T) {
	s := newStudio(t)
	c := s.user()
	for _, step := range []struct {
		path     string
		parts    []string
		pointers string
	}{
		{extractPath, nil, "/file"},
		{extractPath, []string{"@file", invoice, "@file", invoice}, "/file"},
		{extractPath, []string{"@file", invoice, "lang", "xx", "colour", "red"}, "/colour /lang"},
		{extractPath, []string{"@file", invoice, "lang", "en", "lang", "de"}, "/lang"},
		{extractPath, []string{"@file", invoice, "model", "{"}, "/model"},
		{extractPath, []string{"@file", invoice, "model", `{"variables":{"a":{}}}`}, "/model/variables/a/type"},
		{extractPath, []string{"@upload", invoice}, "/upload"},
		{extractPath, []string{"@a/b", invoice}, "/a~1b"},
		{extractPath, []string{"@file", invoice, "a/b~", "x"}, "/a~1b~0"},
		{extractPath, []string{"@file", invoice, "a/b", "x", "a/b", "x"}, "/a~1b"},
		{extractPath, []string{"@file", invoice, "lang", strings.Repeat("x", 65<<10)}, "/lang"},
		{extractPath, []string{"@file", invoice, "file_upload_id", "0192f3a1-0000-7000-8000-000000000001"}, "/file"},
		{comparePath, []string{"@file1", invoice}, "/file2"},
		{comparePath, []string{"lang", "xx"}, "/lang /file1 /file2"},
		{summarizePath, []string{"@file", invoice, "variable1_name", "x"}, "/variable1_name"},
	} {
		answer := send(t, c, step.path, step.parts...).WantStatus(http.StatusBadRequest)
		if got := strings.Join(answer.Pointers(), " "); got != step.pointers {
			t.Errorf("%s %.80v: %s, want %s", step.path, step.parts, got, step.pointers)
		}
	}
	many := make([]string, 0, 4000)
	for range 2000 {
		many = append(many, "x", "y")
	}
	send(t, c, extractPath, many...).WantStatus(http.StatusBadRequest)
	send(t, c, extractPath+"?include=everything", "@file", invoice).WantStatus(http.StatusBadRequest)
}

// A model says everything, wherever it is in the form; a field beside it can do no harm. A second model, or what stands for a file, can.
func TestBesideAModelFieldsAreIgnored(t *testing.T) {
	c := newStudio(t).user()
	many := make([]string, 0, 1000)
	for i := range 500 {
		many = append(many, fmt.Sprintf("field%d", i), "x")
	}
	model, file := []string{"model", variables}, []string{"@file", invoice}
	for name, others := range map[string][]string{
		"twice":      {"lang", "en", "lang", "de"},
		"large":      {"prompt", strings.Repeat("x", 65<<10)},
		"many":       many,
		"a long one": {strings.Repeat("n", 201), "x"},
		"no name":    {"", "x"},
		"not UTF-8":  {"\xff", "x"},
	} {
		for place, parts := range map[string][]string{
			"last": slices.Concat(file, others, model), "first": slices.Concat(model, others, file),
			"between": slices.Concat(others, model, others, file),
		} {
			if answer := send(t, c, extractPath, parts...); answer.Status != http.StatusOK || answer.JSON("extracted_data.total") != 1452.0 {
				t.Errorf("%s, %s: %v", name, place, answer)
			}
		}
		send(t, c, extractPath, slices.Concat(file, others)...).WantStatus(http.StatusBadRequest)
	}
	for _, parts := range [][]string{
		model, {"@upload", invoice}, {"file_upload_id", ada}, {"file_upload_id", ada, "file_upload_id", ada},
	} {
		send(t, c, extractPath, slices.Concat(file, model, parts)...).WantStatus(http.StatusBadRequest)
	}
}

// curl -F file=lease.txt sends the name as text, and that would be summarized.
func TestANameOfAFileIsNoFile(t *testing.T) {
	c := newStudio(t).user()
	for path, field := range map[string]string{summarizePath: "file", extractPath: "file", comparePath: "file2"} {
		answer := send(t, c, path, field, "lease.txt", "model", "{}").WantStatus(http.StatusBadRequest)
		if said := answer.Text("errors.0.detail"); answer.Text("errors.0.pointer") != "/"+field || !strings.Contains(said, field+"=@lease.txt") {
			t.Errorf("%s: %s", path, said)
		}
	}
	for _, header := range []string{`; filename="a"`, "\r\nContent-Type: text/plain"} {
		form := "--b\r\nContent-Disposition: form-data; name=\"file\"" + header + "\r\n\r\n" + invoice + "\r\n--b--\r\n"
		c.With("Content-Type", "multipart/form-data; boundary=b").Post(summarizePath, form).WantStatus(http.StatusOK)
	}
}

func TestLargeBodiesAreToldWhereToGo(t *testing.T) {
	s := newStudio(t)
	contentType, text := body(t, "@file", strings.Repeat("The quay was repaired. \n", maxForm/24))
	fits := s.user().With("Content-Type", contentType)
	fits.Post(extractPath, text[:maxForm]).WantStatus(http.StatusBadRequest) // it is cut short, and was read
	for path, large := range map[string]string{extractPath: text + " ", "/v1/capabilities/extract": text} {
		answer := fits.Post(path, large).WantStatus(http.StatusRequestEntityTooLarge).WantValue("code", "PAYLOAD_TOO_LARGE")
		if detail := answer.Text("detail"); !strings.Contains(detail, "POST /v1/uploads") || !strings.Contains(detail, " MB that") {
			t.Errorf("%s: %s", path, detail)
		}
	}
}

func TestFormsAreForms(t *testing.T) {
	s := newStudio(t)
	contentType, text := body(t, "@file", invoice)
	for given, status := range map[string]int{
		"application/json":           http.StatusUnsupportedMediaType,
		"":                           http.StatusUnsupportedMediaType,
		"multipart/form-data":        http.StatusBadRequest,
		"multipart/form-data; bound": http.StatusUnsupportedMediaType,
		"multipart/form-data; boundary=" + strings.Repeat("x", 71): http.StatusBadRequest,
		"multipart/form-data; boundary=other":                      http.StatusBadRequest,
	} {
		s.user().With("Content-Type", given).Post(extractPath, text).WantStatus(status)
	}
	s.user().With("Content-Type", contentType).Post(extractPath, text[:len(text)-20]).WantStatus(http.StatusBadRequest)
	s.user().Get(extractPath).WantStatus(http.StatusMethodNotAllowed)
}

// Who sends no form is not told of a file that is missing in it.
func TestFormsWithoutTheirBoundary(t *testing.T) {
	s := newStudio(t)
	contentType, text := body(t, "@file", invoice)
	for name, step := range map[string]struct{ contentType, text, says string }{
		"another": {"multipart/form-data; boundary=other", text, "is nowhere in it"},
		"no form": {contentType, "Paid: no", "is nowhere in it"},
		"nothing": {contentType, "", "is empty"},
	} {
		answer := s.user().With("Content-Type", step.contentType).Post(extractPath, step.text).WantStatus(http.StatusBadRequest)
		if said := fmt.Sprint(answer.JSON("errors")); !strings.Contains(said, step.says) || strings.Contains(said, "required") {
			t.Errorf("%s: %s", name, said)
		}
	}
	without := strings.TrimPrefix(contentType, "multipart/form-data; boundary=")
	answer := s.user().With("Content-Type", contentType).Post(extractPath, "--"+without+"--\r\n").WantStatus(http.StatusBadRequest)
	if said := fmt.Sprint(answer.JSON("errors")); !strings.Contains(said, "is required") {
		t.Errorf("a form of no parts: %s", said)
	}
}

func TestWhoMayAsk(t *testing.T) {
	s := newStudio(t)
	send(t, webtest.New(t, s.handler()), extractPath, "@file", invoice).WantStatus(http.StatusUnauthorized)
	send(t, s.as(bob, principal.Viewer), extractPath, "@file", invoice).WantStatus(http.StatusForbidden)
	send(t, s.as(bob, principal.Manager), extractPath, "@file", invoice).WantStatus(http.StatusOK).
		WantValue("extracted_data", map[string]any{})
}

func TestFilesThatCannotBeRead(t *testing.T) {
	s := newStudio(t)
	for name, step := range map[string]struct {
		content string
		status  int
	}{
		"empty":   {"", http.StatusUnprocessableEntity},
		"blank":   {" \n\t ", http.StatusUnprocessableEntity},
		"program": {"\x7fELF\x02\x01\x01\x00" + strings.Repeat("\x00\x01\x02\xff", 400), http.StatusUnsupportedMediaType},
		"wreck":   {"PK\x03\x04" + strings.Repeat("\x00", 200), http.StatusUnprocessableEntity},
	} {
		answer := send(t, s.user(), extractPath, "@file", step.content)
		if answer.Status != step.status {
			t.Errorf("%s: %v", name, answer)
		}
	}
	two := send(t, s.user(), comparePath, "@file1", invoice, "@file2", "").WantStatus(http.StatusUnprocessableEntity)
	if !strings.HasPrefix(two.Text("detail"), "file2: ") {
		t.Errorf("%v", two)
	}
}

func TestJobs(t *testing.T) {
	s := newStudio(t)
	c := s.user()
	accepted := send(t, c.With("Prefer", "respond-async, wait=10"), extractPath, "@file", invoice, "model", variables).
		WantStatus(http.StatusAccepted)
	accepted.WantValue("status", "queued").WantValue("result", nil).WantHeader("Preference-Applied", "respond-async")
	at := accepted.Header.Get("Location")
	c.Get(at).WantStatus(http.StatusOK).WantValue("status", "queued")
	s.as(bob, principal.Admin).Get(at).WantStatus(http.StatusNotFound)
	for range 2 { // an event comes twice
		s.run(accepted.Text("id"))
	}
	done := c.Get(at).WantStatus(http.StatusOK).WantValue("status", "succeeded").WantValue("progress", 1).WantValue("error", nil)
	done.WantValue("result.extracted_data.total", 1452).WantValue("result.extracted_data.invoice_number", "INV-2026-0117")

	failing := send(t, c.With("Prefer", "respond-async"), summarizePath, "@file", "").WantStatus(http.StatusAccepted)
	s.run(failing.Text("id"))
	c.Get(failing.Header.Get("Location")).WantValue("status", "failed").WantValue("error.code", "UNPROCESSABLE").WantValue("result", nil)
	c.Get("/v1/capabilities/jobs/0192f3a1-0000-7000-8000-00000000ffff").WantStatus(http.StatusNotFound)
	c.Get("/v1/capabilities/jobs/x").WantStatus(http.StatusBadRequest)
}

func TestUploads(t *testing.T) {
	s := newStudio(t)
	c := s.user()
	offer := c.Post("/v1/uploads", "").WantStatus(http.StatusCreated)
	id := offer.Text("uploadId")
	send(t, c, extractPath, "file_upload_id", id).WantStatus(http.StatusUnprocessableEntity) // nothing was sent to it yet
	source := documents.FromBytes([]byte(invoice))
	if err := s.store.SaveUpload(t.Context(), ada, id, source); err != nil {
		t.Fatal(err)
	}
	send(t, c, extractPath, "file_upload_id", id, "model", variables).WantStatus(http.StatusOK).WantValue("extracted_data.total", 1452)
	send(t, c, comparePath, "file1_upload_id", id, "@file2", later).WantStatus(http.StatusOK)
	send(t, s.as(bob, principal.Admin), extractPath, "file_upload_id", id).WantStatus(http.StatusUnprocessableEntity)
	send(t, c, extractPath, "file_upload_id", "../"+id).WantStatus(http.StatusUnprocessableEntity)
}
