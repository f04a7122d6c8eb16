package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/media"
	"portside/shared/testkit"
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

const laterInvoice = `Invoice

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

func TestExtract(t *testing.T) {
	a := newTestAPI(t)
	answer := postForm(t, a.client(), extractPath, "@file", invoice, "model", variables).WantStatus(http.StatusOK)
	answer.WantValue("extracted_data", map[string]any{
		"invoice_number": "INV-2026-0117", "total": 1452.0, "due_date": "2026-04-02", "purchase_order": nil,
	}).WantValue("evidence", nil).WantValue("warnings", []any{})
	fields := postForm(t, a.client(), extractPath+"?include=evidence", "@file", invoice, "lang", "en",
		"variable7_name", "total", "variable7_type", "number")
	quote := fields.WantStatus(http.StatusOK).WantValue("extracted_data.total", 1452).Text("evidence.total.0.quote")
	if !strings.Contains(quote, "1,452.00") || !strings.Contains(invoice, quote) {
		t.Errorf("quote %q is not in the file, or has no total", quote)
	}
}

func TestCompare(t *testing.T) {
	a := newTestAPI(t)
	for _, path := range []string{comparePath, "/v1/ai/compare/media"} {
		answer := postForm(t, a.client(), path, "@file1", invoice, "@file2", laterInvoice, "lang", "es",
			"variable1_name", "total", "variable1_type", "number", "variable2_name", "purchase_order", "variable2_type",
			"string")
		answer.WantStatus(http.StatusOK).WantValue("extracted_data.purchase_order.data", "").
			WantValue("extracted_data.purchase_order.data_to_compare", "").
			WantValue("extracted_data.purchase_order.difference.relation", "neither").
			WantValue("extracted_data.total.difference.amount", 121)
		if words := answer.Text("extracted_data.total.comparison"); !strings.Contains(words, "121") {
			t.Errorf("comparison %q does not name the difference, 121", words)
		}
		if answer.Text("extracted_data.total.data") == "" || answer.Text("extracted_data.purchase_order.comparison") == "" {
			t.Errorf("values or words are missing: %v", answer)
		}
	}
}

func TestOlderPathSaysThatItIsDeprecated(t *testing.T) {
	const successor = `</v1/capabilities/compare/media>; rel="successor-version"`
	c := newTestAPI(t).client()
	for _, files := range [][]string{{"@file1", invoice, "@file2", laterInvoice}, nil} { // an answer and an error
		postForm(t, c, "/v1/ai/compare/media", files...).WantHeader("Deprecation", "@1795737600").
			WantHeader("Link", successor)
		postForm(t, c, comparePath, files...).WantHeader("Deprecation", "").WantHeader("Link", "")
	}
}

func TestSummarize(t *testing.T) {
	a := newTestAPI(t)
	minutes := strings.Repeat("The board met on Monday and discussed the harbour extension. ", 3) +
		"It was decided to build the second pier by autumn. The budget of 2 million euros was approved. Anna will talk to the contractors."
	answer := postForm(t, a.client(), summarizePath, "@file", minutes, "format", "bullet", "length", "short", "lang",
		"en").
		WantStatus(http.StatusOK)
	if text := answer.Text("summary"); !strings.HasPrefix(text, "- ") {
		t.Errorf("summary %q is not a list", text)
	}
	other := postForm(t, a.client(), summarizePath, "@file", minutes, "lang", "de").WantStatus(http.StatusOK)
	if other.JSON("warnings.0") == nil {
		t.Errorf("there is no warning that the summary is English instead of German: %v", other)
	}
}

//proves:docs/security.md
func TestTextsInsteadOfFiles(t *testing.T) {
	a := newTestAPI(t)
	text := strings.NewReplacer("\n", `\n`).Replace(invoice)
	a.client().Post("/v1/capabilities/extract", `{"text":"`+text+`","variables":{"total":{"type":"number"}}}`).
		WantStatus(http.StatusOK).
		WantValue("extracted_data.total", 1452)
	a.client().Post("/v1/capabilities/summarize", `{"text":"`+text+`","length":"short"}`).WantStatus(http.StatusOK)
	both := `{"text1":"` + text + `","text2":"Total: 9 EUR","variables":{"total":{"type":"number"}}}`
	a.client().Post("/v1/capabilities/compare", both).WantStatus(http.StatusOK)
	same := a.client().Post("/v1/capabilities/compare", `{"text1":"Pets are allowed.","text2":"Pets are allowed."}`).
		WantStatus(http.StatusOK)
	if changes, isList := same.JSON("changes").([]any); !isList || len(changes) > 0 {
		t.Errorf("equal texts have the changes %v, want an empty list", same.JSON("changes"))
	}
	long := `{"text":"` + strings.Repeat(`\ud83d\udea2`, 100_000) + `"}`
	a.client().Post("/v1/capabilities/summarize", long).WantStatus(http.StatusOK)
	a.client().Post("/v1/capabilities/summarize", strings.Replace(long, "ud83d", "ud83d\\udea2\\ud83d", 1)).
		WantStatus(http.StatusBadRequest)
	a.client().Post("/v1/capabilities/extract", `{"text":" \n "}`).WantStatus(http.StatusUnprocessableEntity)
	a.client().Post("/v1/capabilities/extract", `{"text":"x","variables":{"a":{"type":"money"}}}`).
		WantStatus(http.StatusBadRequest)
	if keys := a.stored(""); len(keys) > 0 {
		t.Errorf("stored %s", strings.Join(keys, " "))
	}
}

// Pointers lead into the body that the client sent, not into the form to which it corresponds.
func TestTextFailuresPointIntoBody(t *testing.T) {
	c := newTestAPI(t).client()
	for body, pointers := range map[string]string{
		`{"text":"x","variables":{"":{"type":"date"}}}`:                                  "/variables/",
		`{"text":"x","variables":{"` + strings.Repeat("n", 101) + `/":{"type":"date"}}}`: "/variables/" + strings.Repeat("n", 101) + "~1",
		`{"text":"x","variables":{"a":{"type":"date"},"b":{"type":"date"}},"lang":"xx"}`: "/lang",
	} {
		answer := c.Post("/v1/capabilities/extract", body).WantStatus(http.StatusBadRequest)
		if got := strings.Join(answer.Pointers(), " "); got != pointers {
			t.Errorf("%s: failures at %q, want %q", body, got, pointers)
		}
	}
	answer := c.Post("/v1/capabilities/extract", `{"text":" "}`).WantStatus(http.StatusUnprocessableEntity)
	if detail := answer.Text("detail"); !strings.HasPrefix(detail, "The text has no visible character") {
		t.Errorf("got %s", detail)
	}
	answer = c.Post("/v1/capabilities/extract", `{"text":""}`).WantStatus(http.StatusBadRequest)
	if detail := answer.Text("errors.0.detail"); !strings.Contains(detail, "1 or more") {
		t.Errorf("got %s", detail)
	}
}

// However many failures a request has, the response and the log stay small.
func TestFailuresAreLimited(t *testing.T) {
	c, logged := newTestAPI(t).client(), testkit.CaptureLogs(t)
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
		count  int
		detail string
	}{
		"unknown keys":   {`{"text":"x"` + many(5_000, "1") + `}`, "", 100, "4900 more"},
		"too many keys":  {`{"text":"x"` + many(230_000, "1") + `}`, "", 1, "see errors"},
		"a long key":     {`{"text":"x","` + strings.Repeat("<", 2_300_000) + `":1}`, "", 1, "see errors"},
		"good variables": {body + many(4_500, `{"type":"date"}`) + `}}`, "/variables", 1, "see errors"},
		"101 variables":  {body + many(100, `{"type":"date"}`) + `}}`, "/variables", 1, "see errors"},
		"bad variables":  {body + many(4_000, `{"type":5}`) + `}}`, "/variables", 100, "3901 more"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := c.For(t).Post("/v1/capabilities/extract", step.body).WantStatus(http.StatusBadRequest)
			pointers := answer.Pointers()
			if len(pointers) != step.count || (step.first != "" || step.count == 1) && pointers[0] != step.first {
				t.Errorf("%d failures, %.80q", len(pointers), pointers)
			}
			if detail := answer.Text("detail"); !strings.Contains(detail, step.detail) {
				t.Errorf("%s: %s", name, detail)
			}
		})
	}
	form := postForm(t, c, extractPath, "@file", invoice, "model", `{"a":1`+many(20_000, "1")+`}`).
		WantStatus(http.StatusBadRequest)
	if count := len(form.Pointers()); count != 100 || logged.Len() > 100_000 ||
		strings.Contains(logged.String(), "ERROR") {
		t.Errorf("%d failures and a log of %d bytes, want 100 failures and a short log", count, logged.Len())
	}
}

// A failure of the disk is an internal error, which is logged.
func TestDiskFailureIsInternalError(t *testing.T) {
	a := newTestAPI(t)
	c, logged := a.client(), testkit.CaptureLogs(t)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	postForm(t, c, extractPath, "@file", invoice).WantStatus(http.StatusInternalServerError)
	if !strings.Contains(logged.String(), "create a temporary file") {
		t.Errorf("logged %s", logged)
	}
}

func TestFormFailures(t *testing.T) {
	a := newTestAPI(t)
	c := a.client()
	for _, step := range []struct {
		path     string
		parts    []string
		pointers string
	}{
		{extractPath, nil, "/file"},
		{extractPath, slices.Repeat([]string{"@file", invoice}, media.MaxFiles+1), "/file"},
		{comparePath, []string{"@file1", invoice, "@file1", invoice}, "/file1"},
		{extractPath, []string{"@file", invoice, "lang", "xx", "colour", "red"}, "/colour /lang"},
		{extractPath, []string{"@file", invoice, "lang", "en", "lang", "de"}, "/lang"},
		{extractPath, []string{"@file", invoice, "model", "{"}, "/model"},
		{extractPath, []string{"@file", invoice, "model", `{"variables":{"a":{}}}`}, "/model/variables/a/type"},
		{extractPath, []string{"@upload", invoice}, "/upload"},
		{extractPath, []string{"@a/b", invoice}, "/a~1b"},
		{extractPath, []string{"@file", invoice, "a/b~", "x"}, "/a~1b~0"},
		{extractPath, []string{"@file", invoice, "a/b", "x", "a/b", "x"}, "/a~1b"},
		{extractPath, []string{"@file", invoice, "lang", strings.Repeat("x", 65<<10)}, "/lang"},
		{comparePath, []string{"@file1", invoice, "file1_upload_id", ada}, "/file1"},
		{comparePath, []string{"@file1", invoice}, "/file2"},
		{comparePath, []string{"lang", "xx"}, "/lang /file1 /file2"},
		{summarizePath, []string{"@file", invoice, "variable1_name", "x"}, "/variable1_name"},
	} {
		t.Run(step.path+" "+step.pointers, func(t *testing.T) {
			answer := postForm(t, c.For(t), step.path, step.parts...).WantStatus(http.StatusBadRequest)
			if got := strings.Join(answer.Pointers(), " "); got != step.pointers {
				t.Errorf("%s %.80v: %s, want %s", step.path, step.parts, got, step.pointers)
			}
		})
	}
	many := make([]string, 0, 4000)
	for range 2000 {
		many = append(many, "x", "y")
	}
	postForm(t, c, extractPath, many...).WantStatus(http.StatusBadRequest)
	postForm(t, c, extractPath+"?include=everything", "@file", invoice).WantStatus(http.StatusBadRequest)
}

// Wherever the model is in the form, failures of other settings are ignored. A second model, and
// fields that stand for a file, are not.
func TestModelReplacesOtherFields(t *testing.T) {
	c := newTestAPI(t).client()
	many := make([]string, 0, 1000)
	for i := range 500 {
		many = append(many, fmt.Sprintf("field%d", i), "x")
	}
	model, file := []string{"model", variables}, []string{"@file", invoice}
	for name, others := range map[string][]string{
		"twice":     {"lang", "en", "lang", "de"},
		"large":     {"prompt", strings.Repeat("x", 65<<10)},
		"many":      many,
		"long name": {strings.Repeat("n", 201), "x"},
		"no name":   {"", "x"},
		"not UTF-8": {"\xff", "x"},
	} {
		for place, parts := range map[string][]string{
			"last": slices.Concat(file, others, model), "first": slices.Concat(model, others, file),
			"between": slices.Concat(others, model, others, file),
		} {
			if answer := postForm(t, c, extractPath, parts...); answer.Status != http.StatusOK ||
				answer.JSON("extracted_data.total") != 1452.0 {
				t.Errorf("%s, %s: %v", name, place, answer)
			}
		}
		postForm(t, c, extractPath, slices.Concat(file, others)...).WantStatus(http.StatusBadRequest)
	}
	for _, parts := range [][]string{
		model, {"@upload", invoice}, {"file_upload_id", strings.Repeat("x", 65<<10)},
	} {
		postForm(t, c, extractPath, slices.Concat(file, model, parts)...).WantStatus(http.StatusBadRequest)
	}
}

// curl -F file=lease.txt sends the name of the file as text, which must not be summarized.
func TestFileMustNotBeItsName(t *testing.T) {
	c := newTestAPI(t).client()
	for path, field := range map[string]string{summarizePath: "file", extractPath: "file", comparePath: "file2"} {
		answer := postForm(t, c, path, field, "lease.txt", "model", "{}").WantStatus(http.StatusBadRequest)
		detail := answer.Text("errors.0.detail")
		if answer.Text("errors.0.pointer") != "/"+field || !strings.Contains(detail, field+"=@lease.txt") {
			t.Errorf("%s: %s", path, detail)
		}
	}
	for _, header := range []string{`; filename="a"`, "\r\nContent-Type: text/plain"} {
		form := "--b\r\nContent-Disposition: form-data; name=\"file\"" + header + "\r\n\r\n" + invoice + "\r\n--b--\r\n"
		c.With("Content-Type", "multipart/form-data; boundary=b").Post(summarizePath, form).WantStatus(http.StatusOK)
	}
}

func TestLargeBodyIsDirectedToUploads(t *testing.T) {
	a := newTestAPI(t)
	contentType, text := formBody(t, "@file", strings.Repeat("The quay was repaired. \n", maxFormBytes/24))
	fits := a.client().With("Content-Type", contentType)
	fits.Post(extractPath, text[:maxFormBytes]).WantStatus(http.StatusBadRequest) // the form is cut short, but not too large
	for path, large := range map[string]string{extractPath: text + " ", "/v1/capabilities/extract": text} {
		answer := fits.Post(path, large).WantStatus(http.StatusRequestEntityTooLarge).WantValue("code", "PAYLOAD_TOO_LARGE")
		if detail := answer.Text("detail"); !strings.Contains(detail, "POST /v1/uploads") ||
			!strings.Contains(detail, " MB that") {
			t.Errorf("%s: %s", path, detail)
		}
	}
}

func TestFormNeedsItsContentType(t *testing.T) {
	a := newTestAPI(t)
	contentType, text := formBody(t, "@file", invoice)
	for given, status := range map[string]int{
		"application/json":           http.StatusUnsupportedMediaType,
		"":                           http.StatusUnsupportedMediaType,
		"multipart/form-data":        http.StatusBadRequest,
		"multipart/form-data; bound": http.StatusUnsupportedMediaType,
		"multipart/form-data; boundary=" + strings.Repeat("x", 71): http.StatusBadRequest,
		"multipart/form-data; boundary=other":                      http.StatusBadRequest,
	} {
		a.client().With("Content-Type", given).Post(extractPath, text).WantStatus(status)
	}
	a.client().With("Content-Type", contentType).Post(extractPath, text[:len(text)-20]).WantStatus(http.StatusBadRequest)
	a.client().Get(extractPath).WantStatus(http.StatusMethodNotAllowed)
}

// The error about an unreadable form does not also name the files that are missing in it.
func TestUnreadableFormIsNotMissingFiles(t *testing.T) {
	a := newTestAPI(t)
	contentType, text := formBody(t, "@file", invoice)
	for name, step := range map[string]struct{ contentType, text, detail string }{
		"another": {"multipart/form-data; boundary=other", text, "does not contain the boundary"},
		"no form": {contentType, "Paid: no", "does not contain the boundary"},
		"nothing": {contentType, "", "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := a.client().For(t).With("Content-Type", step.contentType).Post(extractPath, step.text).
				WantStatus(http.StatusBadRequest)
			if failures := fmt.Sprint(answer.JSON("errors")); !strings.Contains(failures, step.detail) ||
				strings.Contains(failures, "required") {
				t.Errorf("%s: %s", name, failures)
			}
		})
	}
	boundary := strings.TrimPrefix(contentType, "multipart/form-data; boundary=")
	answer := a.client().With("Content-Type", contentType).Post(extractPath, "--"+boundary+"--\r\n").
		WantStatus(http.StatusBadRequest)
	if failures := fmt.Sprint(answer.JSON("errors")); !strings.Contains(failures, "is required") {
		t.Errorf("form without parts: %s", failures)
	}
}

func TestUnreadableFiles(t *testing.T) {
	a := newTestAPI(t)
	for name, step := range map[string]struct {
		content string
		status  int
	}{
		"empty":   {"", http.StatusUnprocessableEntity},
		"blank":   {" \n\t ", http.StatusUnprocessableEntity},
		"program": {"\x7fELF\x02\x01\x01\x00" + strings.Repeat("\x00\x01\x02\xff", 400), http.StatusUnsupportedMediaType},
		"damaged": {"PK\x03\x04" + strings.Repeat("\x00", 200), http.StatusUnprocessableEntity},
	} {
		t.Run(name, func(t *testing.T) {
			answer := postForm(t, a.client().For(t), extractPath, "@file", step.content)
			if answer.Status != step.status {
				t.Errorf("want status %d, got %v", step.status, answer)
			}
		})
	}
	two := postForm(t, a.client(), comparePath, "@file1", invoice, "@file2", "").WantStatus(http.StatusUnprocessableEntity)
	if !strings.HasPrefix(two.Text("detail"), "file2: ") {
		t.Errorf("the detail does not name the file: %v", two)
	}
}

func TestRequestedJob(t *testing.T) {
	a := newTestAPI(t)
	c := a.client()
	async := c.With("Prefer", "respond-async, wait=10")
	accepted := postForm(t, async, extractPath, "@file", invoice, "model", variables).WantStatus(http.StatusAccepted)
	accepted.WantValue("status", "queued").WantValue("result", nil).WantHeader("Preference-Applied", "respond-async")
	location := accepted.Header.Get("Location")
	c.Get(location).WantStatus(http.StatusOK).WantValue("status", "queued")
	a.clientOf(bob, principal.Admin).Get(location).WantStatus(http.StatusNotFound)
	for range 2 { // the event may be delivered twice
		a.runJob(accepted.Text("id"))
	}
	done := c.Get(location).WantStatus(http.StatusOK).WantValue("status", "succeeded").WantValue("progress", 1).
		WantValue("error", nil)
	done.WantValue("result.extracted_data.total", 1452).WantValue("result.extracted_data.invoice_number", "INV-2026-0117")

	failing := postForm(t, c.With("Prefer", "respond-async"), summarizePath, "@file", "").WantStatus(http.StatusAccepted)
	a.runJob(failing.Text("id"))
	c.Get(failing.Header.Get("Location")).WantValue("status", "failed").WantValue("error.code", "UNPROCESSABLE").
		WantValue("result", nil)
	c.Get("/v1/capabilities/jobs/0192f3a1-0000-7000-8000-00000000ffff").WantStatus(http.StatusNotFound)
	c.Get("/v1/capabilities/jobs/x").WantStatus(http.StatusBadRequest)
}
