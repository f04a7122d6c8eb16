package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"portside/documents"
	"portside/documents/pdf"
)

// readPDF reads a file as the service does.
func readPDF(t *testing.T, file []byte) *documents.Document {
	t.Helper()
	into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	if err := pdf.Read(t.Context(), documents.FromBytes(file), into); err != nil {
		t.Fatal(err)
	}
	return into.Document()
}

func TestReportTextIsReadCompletely(t *testing.T) {
	pages := prosePages(1, 3)
	d := readPDF(t, printPDF(pages, nil))
	want := strings.Fields(strings.Join(slices.Concat(pages...), " "))
	if got := strings.Fields(d.Text()); d.Pages != 3 || !slices.Equal(got, want) {
		t.Errorf("got %d pages and %d of %d words", d.Pages, len(got), len(want))
	}
	if got := countWords(pages); got != len(want) {
		t.Errorf("counted %d words of %d", got, len(want))
	}
	if slices.Equal(prosePages(2, 3)[0], pages[0]) {
		t.Error("reports with different seeds are equal")
	}
}

func TestScanDoesNotChangeInvoiceText(t *testing.T) {
	scan := noise(100 * 100)
	plain, scanned := shortInvoice("INV-7", nil), shortInvoice("INV-7", scan)
	if more := len(scanned) - len(plain); more < len(scan) {
		t.Errorf("the scan adds only %d bytes", more)
	}
	if got, want := readPDF(t, scanned).Text(), readPDF(t, plain).Text(); got != want || !strings.Contains(got, "Invoice number: INV-7") {
		t.Errorf("got %q, and without the scan %q", got, want)
	}
}

func TestEventContainsForm(t *testing.T) {
	s := &stack{adminKey: "key"}
	in := uploadRequest(extractMedia, []byte("the file"), [][2]string{{"lang", "de"}})
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(s.event(in), &event); err != nil {
		t.Fatal(err)
	}
	body, err := base64.StdEncoding.DecodeString(event.Body)
	_, parameters, notTyped := mime.ParseMediaType(event.Headers["content-type"])
	if err != nil || notTyped != nil || event.RouteKey != "ANY /v1/capabilities/{proxy+}" || !event.IsBase64Encoded {
		t.Fatalf("%v, %v, %+v", err, notTyped, event)
	}
	form, err := multipart.NewReader(bytes.NewReader(body), parameters["boundary"]).ReadForm(1 << 10)
	if err != nil {
		t.Fatal(err)
	}
	file, err := form.File["file"][0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(file); string(content) != "the file" || err != nil || form.Value["lang"][0] != "de" {
		t.Errorf("%q, %v, %v", content, err, form.Value)
	}
}

func TestCheckOnly(t *testing.T) {
	for only, wrong := range map[string]string{"": "", "media": "", "starts,media": "", "medea": `"medea"`, "media,": `""`} {
		err := (&bench{only: only}).checkOnly()
		if (err != nil) != (wrong != "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %v", only, err)
		}
	}
	if b := (&bench{only: "starts,media"}); !b.wants("media") || b.wants("lists") || !(&bench{}).wants("lists") {
		t.Error("wants does not match the names in -only")
	}
}
