package e2e

import (
	"net/http"
	"path/filepath"
	"regexp"
	"testing"
)

// TestProjects runs the commands of docs/projects.md and checks the result.
func TestProjects(t *testing.T) {
	p := newTestStack(t)
	stop := p.start(t, noRateLimit())
	defer stop()
	p.documentReader(t, "reader@example.com").runDocument(t, filepath.Join(repository, "docs", "projects.md"), 3)

	root := p.admin(t)
	listed := root.Get("/v1/projects").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
	at := "/v1/projects/" + listed.Text("data.0.id")
	root.Get(at).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`)
	root.Do(http.MethodDelete, at, "").WantStatus(http.StatusNoContent)
	root.Get(at).WantStatus(http.StatusNotFound)
	p.anonymous(t).Get("/v1/projects").WantStatus(http.StatusUnauthorized)
}

// TestPagesWriteTheSameFileForCurl checks that a reader can follow one page after the other.
func TestPagesWriteTheSameFileForCurl(t *testing.T) {
	command := regexp.MustCompile(`(?m)^printf .* > ~/\.portside/curl$`)
	media := command.FindString(fromRepository(t, "docs", "media.md"))
	for _, page := range []string{"projects.md", "customers.md"} {
		if found := command.FindString(fromRepository(t, "docs", page)); media == "" || found != media {
			t.Errorf("docs/media.md has %q, docs/%s %q", media, page, found)
		}
	}
}
