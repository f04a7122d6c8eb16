package portal

import (
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// TestFirstLoad opens pages with an empty cache. It checks how many bytes the first one loads, and which requests
// depend on which.
func TestFirstLoad(t *testing.T) {
	const budget = 100_000
	page := e2etest.Shared(t).Portal.VisitAsNew(t, "ada", "user")
	for _, path := range []string{"/portal", "/portal/access", "/portal/charts", "/portal/media"} {
		files, calls, total := loadedBy(t, page, path)
		if path == "/portal" && (total > budget || total == 0) {
			t.Errorf("the first page loads %.0f bytes, want at most %d", total, budget)
		}
		testLoadOrder(page, path, files, calls)
	}
}

// loadedBy loads a page without a cache. It returns the addresses of its files, with the session, those of its other
// calls, and the bytes of all.
func loadedBy(t *testing.T, page *browser.Page, path string) (files, calls []string, total float64) {
	t.Helper()
	page.Network.ClearCache()
	before := len(page.Network.Requests())
	page.Open(path)
	e2etest.Ready(page)
	for _, request := range page.Network.Requests()[before:] {
		total += request.Bytes
		t.Logf("%7.0f bytes  %d %s %s", request.Bytes, request.Status, request.Method, request.URL)
		switch {
		case strings.Contains(request.URL, "/portal/assets/"), strings.HasSuffix(request.URL, "/v1/sign-in/session"):
			files = append(files, request.URL)
		case strings.Contains(request.URL, "/v1/"):
			calls = append(calls, request.URL)
		}
	}
	t.Logf("%7.0f bytes in all for %s", total, path)
	return files, calls, total
}

// testLoadOrder holds requests back to show what a page needs: the document draws the first content; all files and the
// session depend only on the document; the first calls of the page depend only on these.
func testLoadOrder(page *browser.Page, path string, files, calls []string) {
	page.Network.ClearCache()
	held := page.Network.Hold("*/portal/assets/*", "*/v1/*")
	page.Begin(path)
	page.WaitUntil("the first content", `document.querySelector("main .loading") !== null &&
		performance.getEntriesByName("first-contentful-paint").length === 1`)
	held.WaitFor(files)
	page.WaitUntil("the hint to reload, at the end of its delay", `(document.getAnimations().forEach(a => a.finish()),
		getComputedStyle(document.querySelector(".slow")).visibility === "visible")`)
	held.Release("/portal/assets/")
	held.Release("/v1/sign-in/session")
	held.WaitFor(calls)
	held.Release("/v1/")
	held.Stop()
	e2etest.Ready(page)
}
