package media

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"portside/local/e2e/e2etest"
)

// TestFileSizes sends files below and above the function's limit and above Lambda's payload limit,
// at which the gateway refuses the request.
func TestFileSizes(t *testing.T) {
	p := e2etest.Shared(t)
	line := "The quay was repaired in spring and the cranes were painted. "
	text := func(size int) string { return "Total: 12 EUR\n" + strings.Repeat(line, size/len(line)) }
	root, total := p.Admin(t), map[string]string{"variable1_name": "total", "variable1_type": "number"}
	root.Form(e2etest.ExtractMedia, total, e2etest.File("file", text(4_300_000))).WantStatus(http.StatusOK).
		WantValue("extracted_data.total", 12)
	refused := root.Form(e2etest.ExtractMedia, total, e2etest.File("file", text(4_500_000))).
		WantStatus(http.StatusRequestEntityTooLarge).
		WantValue("code", "PAYLOAD_TOO_LARGE")
	if detail := refused.Text("detail"); !strings.Contains(detail, "POST /v1/uploads") {
		t.Errorf("detail: %s", detail)
	}
	root.FromGateway().Form(e2etest.ExtractMedia, total, e2etest.File("file", text(8_000_000))).
		WantStatus(http.StatusRequestEntityTooLarge).
		WantValue("message", "Request Entity Too Large")
	total["file_upload_id"] = root.Upload(text(6_000_000))
	root.Form(e2etest.ExtractMedia, total).WantStatus(http.StatusOK).WantValue("extracted_data.total", 12)
}

func TestUnreadableFiles(t *testing.T) {
	p := e2etest.Shared(t)
	invoice := e2etest.FromRepository(t, "docs", "media", "invoice-march.pdf")
	locked := e2etest.FromRepository(t, "documents", "pdf", "testdata", "locked", "user.pdf")
	root := p.Admin(t)
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
			a := root.For(t).Form(e2etest.SummarizeMedia, nil, e2etest.File("file", step.content)).WantStatus(step.status)
			if detail := a.Text("detail"); !strings.Contains(detail, step.want) {
				t.Errorf("detail: %s", detail)
			}
		})
	}
	both := root.Form(e2etest.CompareMedia, nil, e2etest.File("file1", invoice), e2etest.File("file2", locked)).
		WantStatus(http.StatusUnprocessableEntity)
	if detail := both.Text("detail"); !strings.HasPrefix(detail, "file2: ") {
		t.Errorf("detail: %s", detail)
	}
}

// TestZipBombs sends documents of 10 MB that unpack to 10 GB, one with a true and one with a false
// size in its header. Each must be refused before the gateway's time for a function ends.
//
//proves:docs/security.md
func TestZipBombs(t *testing.T) {
	p := e2etest.Shared(t)
	c := p.DocumentReader(t, "user")
	reader := p.As(t, c.ReadFile(t, ".portside/api-key"))
	c.WriteFile(t, "curl", "silent\nshow-error\nheader = \"X-API-Key: "+c.ReadFile(t, ".portside/api-key")+"\"\n")
	for name, claimed := range map[string]uint64{"true size": 0, "false size": 100} {
		t.Run(name, func(t *testing.T) {
			id := reader.For(t).Upload(zipBomb(t, claimed))
			began := e2etest.Now()
			got := c.Shell(t, "curl -K curl -F file_upload_id="+id+" $PORTSIDE_URL"+e2etest.SummarizeMedia)
			t.Logf("the answer took %v", e2etest.Now().Sub(began))
			got.WantExit(t, 0, `"code":"UNPROCESSABLE"`)
			reader.For(t).Form(e2etest.ExtractMedia, nil, e2etest.File("file", "It lives.\n")).WantStatus(http.StatusOK)
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
