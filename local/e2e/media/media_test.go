// Package media has the end-to-end tests of media: the documents, the API, the jobs and the portal's page.
package media

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portside/local/e2e/e2etest"
)

func TestMain(m *testing.M) { e2etest.Main(m) }

// leaving matches the command that copies the examples' files from the repository to a temporary
// directory.
var leaving = regexp.MustCompile(`(?m)^cd "\$\(mktemp -d\)" && .*$`)

// TestMediaDocument runs the commands of docs/media.md.
func TestMediaDocument(t *testing.T) {
	p := e2etest.Shared(t)
	c := p.DocumentReader(t, "user")
	clone, err := filepath.Abs(e2etest.Repository)
	if err != nil {
		t.Fatal(err)
	}
	line := leaving.Find([]byte(e2etest.FromRepository(t, "docs", "media.md")))
	c.WriteFile(t, "tmp/readme", "so that there is a place for temporary directories")
	c.Shell(t, "cd '"+clone+"' && "+string(line)+" && cp ./* ~").WantExit(t, 0)
	c.RunDocument(t, "media.md", 15)
}

// TestCachedResults counts the stored results: the same question has one result, whatever its form
// and whoever of a customer asks. Customers share none, because the time of an answer would show what another has sent.
//
//proves:docs/security.md
func TestCachedResults(t *testing.T) {
	p := e2etest.Start(t) // no other test stores results
	kept := func() int {
		names, err := filepath.Glob(filepath.Join(p.Data, "s3", "buckets", "*", "results", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	const text = "Reference: twice-0001\nTotal: 12.50 EUR\n"
	root, before := p.Admin(t), kept()
	total := map[string]string{"variable1_name": "total", "variable1_type": "number"}
	first := root.Form(e2etest.ExtractMedia, total, e2etest.File("file", text))
	first.WantStatus(http.StatusOK).WantValue("extracted_data.total", 12.5)
	if now := kept(); now != before+1 {
		t.Fatalf("%d stored results, %d before", now, before)
	}
	_, key := p.Users.Create(t, "twice", "user")
	model := map[string]string{"model": `{"variables":{"total":{"type":"number"}}}`}
	p.As(t, key).Form(e2etest.ExtractMedia, model, e2etest.File("file", text)).WantStatus(http.StatusOK).
		WantValue("", first.JSON(""))
	if now := kept(); now != before+1 {
		t.Errorf("%d stored results after the same question", now)
	}
	for i, customer := range []string{"acme", "globex"} {
		id := p.CreateCustomer(t, customer, customer)
		for _, person := range []string{"ada", "ben"} {
			_, key := p.Users.CreateOf(t, id, customer+person, "user")
			asJob := p.As(t, key).With("Prefer", "respond-async").Form(e2etest.ExtractMedia, total, e2etest.File("file", text))
			p.As(t, key).Finished(asJob.WantStatus(http.StatusAccepted).Header.Get("Location")).WantValue("status", "succeeded")
			p.As(t, key).Form(e2etest.ExtractMedia, model, e2etest.File("file", text)).WantStatus(http.StatusOK)
			if now := kept(); now != before+2+i {
				t.Errorf("%d stored results after the question of %s of %s", now, person, customer)
			}
		}
	}
	before = kept() - 1
	model["model"] = `{"variables":{"total":{"type":"string"}}}`
	root.Form(e2etest.ExtractMedia, model, e2etest.File("file", text)).WantStatus(http.StatusOK)
	if now := kept(); now != before+2 {
		t.Errorf("%d stored results after another question", now)
	}
}

func TestJobWithUploads(t *testing.T) {
	p := e2etest.Shared(t)
	root := p.Admin(t)
	ids := map[string]string{
		"file1_upload_id": root.Upload("Total: 10 EUR\n"), "file2_upload_id": root.Upload("Total: 12 EUR\n"),
		"model": `{"lang":"en","variables":{"total":{"type":"number"}}}`,
	}
	at := root.With("Prefer", "respond-async").Form(e2etest.CompareMedia, ids).WantStatus(http.StatusAccepted).
		WantHeader("Retry-After", "1").WantHeader("Preference-Applied", "respond-async").Header.Get("Location")
	root.Finished(at).WantValue("status", "succeeded").WantValue("progress", 1).WantValue("error", nil).
		WantValue("result.extracted_data.total.data", "10").WantValue("result.extracted_data.total.data_to_compare", "12")

	ids["file2_upload_id"] = root.Upload("\x00\x01\x02\x03")
	at = root.With("Prefer", "respond-async").Form(e2etest.CompareMedia, ids).
		WantStatus(http.StatusAccepted).Header.Get("Location")
	failed := root.Finished(at).WantValue("status", "failed").WantValue("result", nil).
		WantValue("error.code", "UNSUPPORTED_MEDIA_TYPE")
	if detail := failed.Text("error.detail"); !strings.HasPrefix(detail, "file2: ") {
		t.Errorf("detail of the job: %s", detail)
	}
}

// TestOtherUsersUploads checks that not even an admin can use another user's uploads and jobs.
//
//proves:docs/security.md
func TestOtherUsersUploads(t *testing.T) {
	p := e2etest.Shared(t)
	_, key := p.Users.Create(t, "owner", "user")
	_, viewer := p.Users.Create(t, "watcher", "viewer")
	owner, root := p.As(t, key), p.Admin(t)
	id := map[string]string{"file_upload_id": owner.Upload("Total: 10 EUR\n")}
	owner.Form(e2etest.ExtractMedia, id).WantStatus(http.StatusOK)
	other := root.Form(e2etest.ExtractMedia, id).WantStatus(http.StatusUnprocessableEntity).
		WantValue("code", "UNPROCESSABLE")
	none := map[string]string{"file_upload_id": "01a1fe42-8226-7abe-8af6-45f14274b000"}
	root.Form(e2etest.ExtractMedia, none).WantStatus(http.StatusUnprocessableEntity).
		WantValue("detail", other.Text("detail"))

	at := owner.With("Prefer", "respond-async").Form(e2etest.ExtractMedia, id).
		WantStatus(http.StatusAccepted).Header.Get("Location")
	owner.Finished(at).WantValue("status", "succeeded")
	root.Get(at).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
	root.Finished(root.With("Prefer", "respond-async").Form(e2etest.ExtractMedia, id).WantStatus(http.StatusAccepted).
		Header.Get("Location")).
		WantValue("status", "failed").WantValue("error.code", "UNPROCESSABLE").WantValue("error.detail", other.Text("detail"))

	p.As(t, viewer).Form(e2etest.ExtractMedia, id).WantStatus(http.StatusForbidden)
	p.Anonymous(t).Form(e2etest.ExtractMedia, id).WantStatus(http.StatusUnauthorized)
}
