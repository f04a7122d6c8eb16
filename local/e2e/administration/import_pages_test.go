package administration

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// writeImportFile creates 5 users, and returns the path of a file with 500 lines: these 5, 20 invalid ones and 475 new
// users.
func writeImportFile(t *testing.T, p *e2etest.Stack) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("email;name;role\r\n")
	for i := range 500 {
		switch {
		case i%25 == 3:
			fmt.Fprintf(&text, "nonsense%d;=cmd|' /C calc'!A1;boss\r\n", i)
		case i%100 == 7:
			existing := p.Email(fmt.Sprint("existing", i))
			p.Admin(t).Post("/v1/users", p.Users.Body(existing, "viewer")).WantStatus(http.StatusCreated)
			text.WriteString(existing + ";Existing;user\r\n")
		default:
			fmt.Fprintf(&text, "%s;\"%s; %d\";user\r\n", p.Email(fmt.Sprint("imported", i)), p.Word("Imported"), i)
		}
	}
	return e2etest.WriteUpload(t, "people.csv", text.String())
}

const importField = "CSV or JSON Lines file"

func TestImportUsersPage(t *testing.T) {
	p, page := visitAsAdmin(t)
	page.Allow("400 POST /v1/users/imports")
	page.Open("/portal/users")
	page.Click(browser.Link("Import users"))
	page.Upload(importField, e2etest.WriteUpload(t, "latin.csv", "email,name,role\na@example.com,J\xf6rg,user\n"))
	page.WaitText("The file is not UTF-8 text.")
	page.Upload(importField, e2etest.WriteUpload(t, "columns.csv", "email,name\n"))
	page.WaitText(`the column "role" is missing`)
	page.Axe()
	path := writeImportFile(t, p)
	page.Upload(importField, path)
	page.WaitFor(browser.Button("Import 475 users"))
	page.Axe()
	page.WaitText("Cannot be imported (20)")
	page.Within(browser.Row("nonsense28")).WaitText("role must be admin, manager, user or viewer")
	page.Click(browser.Role("tab", "Already exist (5)"))
	page.WaitFor(browser.Row(p.Email("existing7")))
	wantImported(t, p, p.Word("Imported"), 0)

	page.Click(browser.Button("Import 475 users"))
	page.WaitFor(browser.Heading("The import is complete"))
	page.Axe()
	wantImported(t, p, p.Word("Imported"), 475)
	p.Admin(t).Get("/v1/users?email="+p.Email("imported499")).WantValue("data.0.name", p.Word("Imported; 499"))
	name, report := page.Download(func() { page.Click(browser.Button("Download the lines that failed as CSV")) })
	if lines := strings.Count(string(report), "\r\n"); name != "failed-users.csv" || lines != 21 ||
		!strings.Contains(string(report), "\r\n5,nonsense3,\"email must be") {
		t.Errorf("%s has %d lines:\n%.300s", name, lines, report)
	}
	testImportAgain(page, path)
	testFailedImport(t, p, page)
}

// TestCancelImport cancels an import during a request, and continues it.
func TestCancelImport(t *testing.T) {
	p, page := visitAsAdmin(t)
	var file strings.Builder
	for i := range 250 { // the page sends 200 lines at once
		fmt.Fprintf(&file, "{\"email\":%q,\"name\":%q,\"role\":\"viewer\"}\n", p.Email(fmt.Sprint("canceled", i)),
			p.Word("Canceled"))
	}
	page.Open("/portal/users/import")
	page.Upload(importField, e2etest.WriteUpload(t, "many.jsonl", file.String()))
	page.WaitFor(browser.Button("Import 250 users"))
	held := page.Network.Hold("*/v1/users/imports")
	page.Click(browser.Button("Import 250 users"))
	page.WaitText("0 of 250 lines")
	e2etest.WantAsked(t, page, true)
	held.WaitFor([]string{p.Info.Portal + "/v1/users/imports"})
	page.Click(browser.Button("Cancel"))
	held.Stop()
	page.WaitFor(browser.Heading("The import has stopped"))
	wantImported(t, p, p.Word("Canceled"), 200)
	page.WaitText("50 lines are not imported yet.")
	page.Click(browser.Button("Continue"))
	page.WaitFor(browser.Heading("The import is complete"))
	e2etest.WantAsked(t, page, false)
	wantImported(t, p, p.Word("Canceled"), 250)
}

// testImportAgain chooses a file whose users all exist already.
func testImportAgain(page *browser.Page, path string) {
	page.Click(browser.Button("Choose another file"))
	page.Upload(importField, path)
	page.WaitText("No line of the file can be imported.")
}

// testFailedImport continues an import that the server refused.
func testFailedImport(t *testing.T, p *e2etest.Stack, page *browser.Page) {
	t.Helper()
	page.Click(browser.Button("Choose another file"))
	page.Upload(importField, e2etest.WriteUpload(t, "one.jsonl",
		`{"email":"`+p.Email("late")+`","name":"Late","role":"user"}`))
	page.WaitFor(browser.Button("Import one user"))
	stop := page.Network.Respond("*/v1/users/imports", http.StatusForbidden,
		`{"detail":"You may not do this any more.","requestId":"r-7"}`)
	page.Click(browser.Button("Import one user"))
	page.WaitFor(browser.Heading("The import has stopped"))
	page.WaitText("You may not do this any more.")
	stop()
	stop = page.Network.Respond("*/v1/users/imports", http.StatusTooManyRequests,
		`{"code":"QUOTA_EXCEEDED","detail":"No more rows today.","requestId":"r-8"}`)
	page.Click(browser.Button("Continue"))
	page.WaitText("No more rows today.")
	page.WaitFor(browser.Heading("The import has stopped"))
	stop()
	page.Click(browser.Button("Continue"))
	page.WaitFor(browser.Heading("The import is complete"))
	p.Admin(t).Get("/v1/users?email="+p.Email("late")).WantValue("pagination.total", 1)
}

// wantImported checks how many users have a name.
func wantImported(t *testing.T, p *e2etest.Stack, name string, want int) {
	t.Helper()
	count, next := 0, ""
	for hasMore := true; hasMore; {
		found := p.Admin(t).Get("/v1/users/search?limit=100&q=" + name + next).WantStatus(http.StatusOK)
		count += len(found.List("data"))
		cursor, _ := found.JSON("pagination.next").(string)
		next, hasMore = "&cursor="+url.QueryEscape(cursor), cursor != ""
	}
	if count != want {
		t.Errorf("%d users were imported, want %d", count, want)
	}
}
