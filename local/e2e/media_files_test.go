package e2e

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Paths of the media operations.
const (
	summarizeMedia = "/v1/capabilities/summarize/media"
	extractMedia   = "/v1/capabilities/extract/media"
	compareMedia   = "/v1/capabilities/compare/media"
)

// file is a file of a form.
type file struct{ field, content string }

// form posts a form with fields and then files.
func (c client) form(target string, fields map[string]string, files ...file) response {
	c.t.Helper()
	contentType, body := c.body(fields, files...)
	return c.With("Content-Type", contentType).Post(target, body)
}

func (c client) body(fields map[string]string, files ...file) (contentType, text string) {
	c.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	var failed []error
	for name, value := range fields {
		failed = append(failed, form.WriteField(name, value))
	}
	for _, f := range files {
		part, err := form.CreateFormFile(f.field, "upload")
		if err == nil {
			_, err = io.WriteString(part, f.content)
		}
		failed = append(failed, err)
	}
	if err := errors.Join(append(failed, form.Close())...); err != nil {
		c.t.Fatal(err)
	}
	return form.FormDataContentType(), body.String()
}

// upload uploads a file in the way for large files, and returns its upload ID.
func (c client) upload(content string) string {
	c.t.Helper()
	offer := c.Post("/v1/uploads", "").WantStatus(http.StatusCreated)
	fields := map[string]string{}
	for name := range offer.JSON("fields").(map[string]any) {
		fields[name], _ = offer.JSON("fields").(map[string]any)[name].(string)
	}
	store := c.fromGateway()
	store.BaseURL, store.Header = "", nil // S3 gets no API key
	store.form(offer.Text("url"), fields, file{"file", content}).WantStatus(http.StatusNoContent)
	return offer.Text("uploadId")
}

// testFileSizes sends files below and above the function's limit and above Lambda's payload limit,
// at which the gateway refuses the request.
func testFileSizes(t *testing.T, p *testStack) {
	line := "The quay was repaired in spring and the cranes were painted. "
	text := func(size int) string { return "Total: 12 EUR\n" + strings.Repeat(line, size/len(line)) }
	root, total := p.admin(t), map[string]string{"variable1_name": "total", "variable1_type": "number"}
	root.form(extractMedia, total, file{"file", text(4_300_000)}).WantStatus(http.StatusOK).
		WantValue("extracted_data.total", 12)
	refused := root.form(extractMedia, total, file{"file", text(4_500_000)}).WantStatus(http.StatusRequestEntityTooLarge).
		WantValue("code", "PAYLOAD_TOO_LARGE")
	if detail := refused.Text("detail"); !strings.Contains(detail, "POST /v1/uploads") {
		t.Errorf("detail: %s", detail)
	}
	root.fromGateway().form(extractMedia, total, file{"file", text(8_000_000)}).
		WantStatus(http.StatusRequestEntityTooLarge).
		WantValue("message", "Request Entity Too Large")
	total["file_upload_id"] = root.upload(text(6_000_000))
	root.form(extractMedia, total).WantStatus(http.StatusOK).WantValue("extracted_data.total", 12)
}

func testUnreadableFiles(t *testing.T, p *testStack) {
	invoice := fromRepository(t, "docs", "media", "invoice-march.pdf")
	locked := fromRepository(t, "documents", "pdf", "testdata", "locked", "user.pdf")
	root := p.admin(t)
	for _, step := range []struct {
		name, content, want string
		status              int
	}{
		{"encrypted", locked, "encrypted", http.StatusUnprocessableEntity},
		{"cut short", invoice[:9000], "damaged", http.StatusUnprocessableEntity},
		{"last bytes only", invoice[len(invoice)-9000:], "", http.StatusUnsupportedMediaType},
		{"empty", "", "empty", http.StatusUnprocessableEntity},
		{"blank", " \n\t\n ", "", http.StatusUnprocessableEntity},
	} {
		t.Run(step.name, func(t *testing.T) {
			a := root.For(t).form(summarizeMedia, nil, file{"file", step.content}).WantStatus(step.status)
			if detail := a.Text("detail"); !strings.Contains(detail, step.want) {
				t.Errorf("detail: %s", detail)
			}
		})
	}
	both := root.form(compareMedia, nil, file{"file1", invoice}, file{"file2", locked}).
		WantStatus(http.StatusUnprocessableEntity)
	if detail := both.Text("detail"); !strings.HasPrefix(detail, "file2: ") {
		t.Errorf("detail: %s", detail)
	}
}

func fromRepository(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{repository}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// testZipBombs sends documents of 10 MB that unpack to 10 GB, one with a true and one with a false
// size in its header. Each must be refused before the gateway's time for a function ends.
func testZipBombs(t *testing.T, p *testStack) {
	c := p.documentReader(t, "bomber@example.com")
	reader := p.anonymous(t).as(c.read(t, ".portside/api-key"))
	c.write(t, "curl", "silent\nshow-error\nheader = \"X-API-Key: "+c.read(t, ".portside/api-key")+"\"\n")
	for name, claimed := range map[string]uint64{"true size": 0, "false size": 100} {
		t.Run(name, func(t *testing.T) {
			id := reader.For(t).upload(zipBomb(t, claimed))
			began := now()
			got := c.shell(t, "curl -K curl -F file_upload_id="+id+" $PORTSIDE_URL"+summarizeMedia)
			t.Logf("the answer took %v", now().Sub(began))
			got.wantExit(t, 0, `"code":"UNPROCESSABLE"`)
			reader.For(t).form(extractMedia, nil, file{"file", "It lives.\n"}).WantStatus(http.StatusOK)
		})
	}
}

// zipBomb returns a Word document of spaces whose header has the claimed size; 0 means the true
// size.
func zipBomb(t *testing.T, claimed uint64) string {
	t.Helper()
	const stretch, times = 8 << 20, 1280
	start := deflated(t, `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`)
	spaces := deflated(t, strings.Repeat(" ", stretch))
	packed := bytes.Join([][]byte{start, bytes.Repeat(spaces, times), {1, 0, 0, 0xff, 0xff}}, nil) // ends with an empty last block
	if claimed == 0 {
		claimed = stretch * times
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	err := parts(w, "[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override `+
		`PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" `+
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`)
	main, failed := w.CreateRaw(&zip.FileHeader{
		Name: "word/document.xml", Method: zip.Deflate, CompressedSize64: uint64(len(packed)), UncompressedSize64: claimed,
	})
	if err = errors.Join(err, failed); err == nil {
		_, err = main.Write(packed)
	}
	if err = errors.Join(err, w.Close()); err != nil || out.Len() < 10_000_000 {
		t.Fatal(err, out.Len())
	}
	return out.String()
}

// parts adds parts to an archive, given as alternating names and contents.
func parts(w *zip.Writer, namesAndContents ...string) error {
	for i := 0; i+1 < len(namesAndContents); i += 2 {
		part, err := w.Create(namesAndContents[i])
		if err == nil {
			_, err = io.WriteString(part, namesAndContents[i+1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// deflated returns a compressed text that can be concatenated with others.
func deflated(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
