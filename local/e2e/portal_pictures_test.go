package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/browser"
)

// pictures are the pages in the README, and the size of their windows.
var pictures = []struct {
	name, path string
	size       browser.Size
}{
	{"dashboard", "/portal/dashboard", browser.Size{Width: 1280, Height: 900}},
	{"home", "/portal", browser.Size{Width: 1280, Height: 900}},
	{"media", "/portal/media", browser.Size{Width: 1280, Height: 900}},
}

// TestFilledPortal opens pages that are full of data, and draws the pictures of the README with -update. They show dates of
// today, so nothing compares them.
func TestFilledPortal(t *testing.T) {
	p := newTestStack(t)
	p.start(t, new(int))
	p.fillPortal(t)
	p.runCommand(t, filepath.Join(repository, ".local", "bin", "portside"), "demo-data", "--local", p.data, "--days", "120", "--add")
	p.admin(t).Post("/v1/users", `{"email":"ada@vendor.example","name":"Ada Lovelace","role":"admin","sendActivationEmail":false}`).
		WantStatus(http.StatusCreated)
	page := p.visitAs(t, "ada@vendor.example")
	for _, entry := range p.openPages(t, page) {
		if !strings.Contains(entry.Path, "{") {
			page.Open(entry.Path)
			checkPage(t, p, page, entry.Path)
		}
	}
	for _, picture := range pictures {
		page.Open(picture.path)
		page.Resize(picture.size)
		ready(page)
		page.Draw(filepath.Join(repository, "docs", "images", "portal-"+picture.name+".png"))
	}
	p.checkNoSecretsLeaked(t)
}
