package e2e

import (
	"net/http"
	"path/filepath"
	"testing"
)

// TestProjects runs the commands of docs/projects.md and checks the result.
func TestProjects(t *testing.T) {
	p := newTestStack(t)
	stop := p.start(t, new(int))
	defer stop()
	p.documentReader(t, "reader@example.com").runDocument(t, filepath.Join(repository, "docs", "projects.md"), 3)

	root := p.admin(t)
	listed := root.get("/v1/projects").wantStatus(http.StatusOK).wantValue("pagination.total", 1)
	at := "/v1/projects/" + listed.text("data.0.id")
	root.get(at).wantStatus(http.StatusOK).wantHeader("ETag", `"2"`)
	root.do(http.MethodDelete, at, "").wantStatus(http.StatusNoContent)
	root.get(at).wantStatus(http.StatusNotFound)
	p.anonymous(t).get("/v1/projects").wantStatus(http.StatusUnauthorized)
}
