package administration

import (
	"net/http"
	"regexp"
	"testing"

	"portside/local/e2e/e2etest"
)

// TestCustomersDocument runs the commands of docs/customers.md on a new stack and checks the result.
func TestCustomersDocument(t *testing.T) {
	p := e2etest.Start(t)
	p.DocumentReader(t, "manager").RunDocument(t, "customers.md", 7)
	root := p.Admin(t)
	at := "/v1/customers/" + root.Get("/v1/customers").WantStatus(http.StatusOK).WantValue("pagination.total", 1).
		Text("data.0.id")
	root.Get(at).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`)
	root.Get(at+"/entitlements").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
	root.Delete(at).WantStatus(http.StatusNoContent)
	root.Get(at).WantStatus(http.StatusNotFound)
	p.Anonymous(t).Get("/v1/customers").WantStatus(http.StatusUnauthorized)
}

// TestProjectsDocument runs the commands of docs/projects.md on a new stack and checks the result.
func TestProjectsDocument(t *testing.T) {
	p := e2etest.Start(t)
	p.DocumentReader(t, "user").RunDocument(t, "projects.md", 3)
	root := p.Admin(t)
	at := "/v1/projects/" + root.Get("/v1/projects").WantStatus(http.StatusOK).WantValue("pagination.total", 1).
		Text("data.0.id")
	root.Get(at).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`)
	root.Delete(at).WantStatus(http.StatusNoContent)
	root.Get(at).WantStatus(http.StatusNotFound)
	p.Anonymous(t).Get("/v1/projects").WantStatus(http.StatusUnauthorized)
}

// TestPagesWriteTheSameFileForCurl checks that a reader can follow one page after the other.
func TestPagesWriteTheSameFileForCurl(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile(`(?m)^printf .* > ~/\.portside/curl$`)
	media := command.FindString(e2etest.FromRepository(t, "docs", "media.md"))
	for _, page := range []string{"projects.md", "customers.md"} {
		if found := command.FindString(e2etest.FromRepository(t, "docs", page)); media == "" || found != media {
			t.Errorf("docs/media.md has %q, docs/%s %q", media, page, found)
		}
	}
}
