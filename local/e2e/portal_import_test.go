package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/browser"
)

// writeImportFile creates 5 users, and returns the path of a file with 500 lines: these 5, 20 invalid ones and 475 new users.
func writeImportFile(t *testing.T, p *testStack) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("email;name;role\r\n")
	for i := range 500 {
		switch {
		case i%25 == 3:
			fmt.Fprintf(&text, "nonsense%d;=cmd|' /C calc'!A1;boss\r\n", i)
		case i%100 == 7:
			existing := fmt.Sprintf("existing%d@example.com", i)
			p.admin(t).Post("/v1/users", newUser(existing, "viewer")).WantStatus(http.StatusCreated)
			text.WriteString(existing + ";Existing;user\r\n")
		default:
			fmt.Fprintf(&text, "imported%d@example.com;\"Imported; %d\";user\r\n", i, i)
		}
	}
	return writeUpload(t, "people.csv", text.String())
}

func writeUpload(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const importField = "CSV or JSON Lines file"

func testImportPage(t *testing.T, p *testStack, page *browser.Page) {
	before := p.admin(t).Get("/v1/users").Number("pagination.total")
	page.Allow("400 POST /v1/users/imports")
	page.Open("/portal/users")
	page.Click(browser.Link("Import users"))
	page.Upload(importField, writeUpload(t, "latin.csv", "email,name,role\na@example.com,J\xf6rg,user\n"))
	page.WaitText("The file is not UTF-8 text.")
	page.Upload(importField, writeUpload(t, "columns.csv", "email,name\n"))
	page.WaitText(`the column "role" is missing`)
	page.Axe()
	path := writeImportFile(t, p)
	page.Upload(importField, path)
	page.WaitFor(browser.Button("Import 475 users"))
	page.Axe()
	page.WaitText("Cannot be imported (20)")
	page.Within(browser.Row("nonsense28")).WaitText("role must be admin, manager, user or viewer")
	page.Click(browser.Role("tab", "Already exist (5)"))
	page.WaitFor(browser.Row("existing7@example.com"))
	p.admin(t).Get("/v1/users").WantValue("pagination.total", before+5)

	page.Click(browser.Button("Import 475 users"))
	page.WaitFor(browser.Heading("The import is complete"))
	page.Axe()
	p.admin(t).Get("/v1/users").WantValue("pagination.total", before+5+475)
	p.admin(t).Get("/v1/users?email=imported499@example.com").WantValue("data.0.name", "Imported; 499")
	name, report := page.Download(func() { page.Click(browser.Button("Download the lines that failed as CSV")) })
	if lines := strings.Count(string(report), "\r\n"); name != "failed-users.csv" || lines != 21 ||
		!strings.Contains(string(report), "\r\n5,nonsense3,\"email must be") {
		t.Errorf("%s has %d lines:\n%.300s", name, lines, report)
	}
	testImportAgain(page, path)
	testFailedImport(t, p, page)
}

// testImportCancel cancels an import during a request, and continues it.
func testImportCancel(t *testing.T, p *testStack, page *browser.Page) {
	before := p.admin(t).Get("/v1/users").Number("pagination.total")
	var file strings.Builder
	for i := range 250 { // the page sends 200 lines at once
		fmt.Fprintf(&file, "{\"email\":\"canceled%d@example.com\",\"name\":\"Canceled\",\"role\":\"viewer\"}\n", i)
	}
	page.Open("/portal/users/import")
	page.Upload(importField, writeUpload(t, "many.jsonl", file.String()))
	page.WaitFor(browser.Button("Import 250 users"))
	held := page.Hold("*/v1/users/imports")
	page.Click(browser.Button("Import 250 users"))
	page.WaitText("0 of 250 lines")
	wantAsked(t, page, true)
	held.WaitFor([]string{p.info.Portal + "/v1/users/imports"})
	page.Click(browser.Button("Cancel"))
	held.Stop()
	page.WaitFor(browser.Heading("The import has stopped"))
	p.admin(t).Get("/v1/users").WantValue("pagination.total", before+200)
	page.WaitText("50 lines are not imported yet.")
	page.Click(browser.Button("Continue"))
	page.WaitFor(browser.Heading("The import is complete"))
	wantAsked(t, page, false)
	p.admin(t).Get("/v1/users").WantValue("pagination.total", before+250)
}

// testImportAgain chooses a file whose users all exist already.
func testImportAgain(page *browser.Page, path string) {
	page.Click(browser.Button("Choose another file"))
	page.Upload(importField, path)
	page.WaitText("No line of the file can be imported.")
}

// testFailedImport continues an import that the server refused.
func testFailedImport(t *testing.T, p *testStack, page *browser.Page) {
	t.Helper()
	page.Click(browser.Button("Choose another file"))
	page.Upload(importField, writeUpload(t, "one.jsonl", `{"email":"late@example.com","name":"Late","role":"user"}`))
	page.WaitFor(browser.Button("Import one user"))
	stop := page.Respond("*/v1/users/imports", http.StatusForbidden, `{"detail":"You may not do this any more.","requestId":"r-7"}`)
	page.Click(browser.Button("Import one user"))
	page.WaitFor(browser.Heading("The import has stopped"))
	page.WaitText("You may not do this any more.")
	stop()
	page.Click(browser.Button("Continue"))
	page.WaitFor(browser.Heading("The import is complete"))
	p.admin(t).Get("/v1/users?email=late@example.com").WantValue("pagination.total", 1)
}
