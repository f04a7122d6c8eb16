package e2e

import (
	"net/http"
	"path/filepath"
	"testing"
)

// TestProjects runs all of docs/projects.md, and looks from outside at what it leaves.
func TestProjects(t *testing.T) {
	p := newPortal(t)
	stop := p.start(t, new(int))
	defer stop()
	p.reader(t, "reader@example.com").follow(t, filepath.Join(repository, "docs", "projects.md"), 3)

	root := p.root(t)
	listed := root.get("/v1/projects").is(http.StatusOK).has("pagination.total", 1)
	at := "/v1/projects/" + listed.text("data.0.id")
	root.get(at).is(http.StatusOK).hasHeader("ETag", `"2"`)
	root.do(http.MethodDelete, at, "").is(http.StatusNoContent)
	root.get(at).is(http.StatusNotFound)
	p.visitor(t).get("/v1/projects").is(http.StatusUnauthorized)
}
