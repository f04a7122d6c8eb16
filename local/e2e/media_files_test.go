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

// Paths of the operations on files.
const (
	summarizeMedia = "/v1/capabilities/summarize/media"
	extractMedia   = "/v1/capabilities/extract/media"
	compareMedia   = "/v1/capabilities/compare/media"
)

// file is one of a form.
type file struct{ field, content string }

// form posts fields, and files after them.
func (c client) form(target string, fields map[string]string, files ...file) answer {
	c.t.Helper()
	contentType, body := c.body(fields, files...)
	return c.with("Content-Type", contentType).post(target, body)
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

// upload sends a file as large ones are, and returns its id.
func (c client) upload(content string) string {
	c.t.Helper()
	offer := c.post("/v1/uploads", "").is(http.StatusCreated)
	fields := map[string]string{}
	for name := range offer.json("fields").(map[string]any) {
		fields[name], _ = offer.json("fields").(map[string]any)[name].(string)
	}
	store := client{t: c.t, conns: c.conns, header: http.Header{}, secrets: c.secrets, bare: true} // which gets no API key
	store.form(offer.text("url"), fields, file{"file", content}).is(http.StatusNoContent)
	return offer.text("uploadId")
}

// sizes are on both sides of what is taken, and of what an event of Lambda holds, 6 MB with the body as base64: what is larger
// than that meets the gateway alone.
func sizes(t *testing.T, p *portal) {
	line := "The quay was repaired in spring and the cranes were painted. "
	text := func(size int) string { return "Total: 12 EUR\n" + strings.Repeat(line, size/len(line)) }
	root, total := p.root(t), map[string]string{"variable1_name": "total", "variable1_type": "number"}
	root.form(extractMedia, total, file{"file", text(4_300_000)}).is(http.StatusOK).has("extracted_data.total", 12)
	refused := root.form(extractMedia, total, file{"file", text(4_500_000)}).is(http.StatusRequestEntityTooLarge).
		has("code", "PAYLOAD_TOO_LARGE")
	if detail := refused.text("detail"); !strings.Contains(detail, "POST /v1/uploads") {
		t.Errorf("it says %s", detail)
	}
	root.atGateway().form(extractMedia, total, file{"file", text(8_000_000)}).is(http.StatusRequestEntityTooLarge).
		has("message", "Request Entity Too Large")
	total["file_upload_id"] = root.upload(text(6_000_000))
	root.form(extractMedia, total).is(http.StatusOK).has("extracted_data.total", 12)
}

func unreadable(t *testing.T, p *portal) {
	invoice := fromRepository(t, "docs", "media", "invoice-march.pdf")
	locked := fromRepository(t, "documents", "pdf", "testdata", "locked", "user.pdf")
	root := p.root(t)
	for _, step := range []struct {
		name, content, said string
		status              int
	}{
		{"encrypted", locked, "encrypted", http.StatusUnprocessableEntity},
		{"cut short", invoice[:9000], "damaged", http.StatusUnprocessableEntity},
		{"its end only", invoice[len(invoice)-9000:], "", http.StatusUnsupportedMediaType},
		{"empty", "", "empty", http.StatusUnprocessableEntity},
		{"blank", " \n\t\n ", "", http.StatusUnprocessableEntity},
	} {
		t.Run(step.name, func(t *testing.T) {
			a := root.at(t).form(summarizeMedia, nil, file{"file", step.content}).is(step.status)
			if detail := a.text("detail"); !strings.Contains(detail, step.said) {
				t.Errorf("it says %s", detail)
			}
		})
	}
	both := root.form(compareMedia, nil, file{"file1", invoice}, file{"file2", locked}).is(http.StatusUnprocessableEntity)
	if detail := both.text("detail"); !strings.HasPrefix(detail, "file2: ") {
		t.Errorf("it says %s", detail)
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

// bombs are documents of 10 MB that unpack to 10 GB, one honest about it and one not. curl gives each ten seconds.
func bombs(t *testing.T, p *portal) {
	c := p.reader(t, "bomber@example.com")
	reader := p.visitor(t).as(c.read(t, ".portside/api-key"))
	c.write(t, "curl", "silent\nshow-error\nmax-time = 10\nheader = \"X-API-Key: "+c.read(t, ".portside/api-key")+"\"\n")
	for name, claimed := range map[string]uint64{"honest": 0, "a liar": 100} {
		t.Run(name, func(t *testing.T) {
			id := reader.at(t).upload(bomb(t, claimed))
			got := c.shell(t, "curl -K curl -F file_upload_id="+id+" $PORTSIDE_URL"+summarizeMedia)
			got.is(t, 0, `"code":"UNPROCESSABLE"`)
			reader.at(t).form(extractMedia, nil, file{"file", "It lives.\n"}).is(http.StatusOK)
		})
	}
}

// bomb is a Word document of spaces that says it unpacks to the claimed size; 0: the true one.
func bomb(t *testing.T, claimed uint64) string {
	t.Helper()
	const stretch, times = 8 << 20, 1280
	start := deflated(t, `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`)
	spaces := deflated(t, strings.Repeat(" ", stretch))
	packed := bytes.Join([][]byte{start, bytes.Repeat(spaces, times), {1, 0, 0, 0xff, 0xff}}, nil) // with an empty last block
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

// parts adds parts to an archive: names and contents in turn.
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

// deflated is a text in blocks of its own, which may follow any others.
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
