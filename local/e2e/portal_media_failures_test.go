package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/browser"
)

func testPortalUnreadableFiles(t *testing.T, m *mediaPage) {
	m.Allow("415 POST " + summarizeMedia)
	m.Allow("422 POST " + summarizeMedia)
	m.WaitText("CSV, JSON and recordings, up to 200 MiB") // the stack transcribes, and has no model that reads pictures
	if offered := browser.Eval[string](m.Page, `document.querySelector("#media-files").accept`); !strings.Contains(offered, ".pdf,") ||
		strings.Contains(offered, ".png") {
		t.Errorf("the page offers %s", offered)
	}
	m.Fill("Focus on (optional)", "the harbour")
	m.Upload(chooseFiles, m.file(t, "locked.pdf", fromRepository(t, "documents", "pdf", "testdata", "locked", "user.pdf")),
		m.file(t, "bytes.bin", "\x00\x01\x02\x03"), m.file(t, "empty.txt", ""), m.file(t, "good.txt", "The harbour is closed on Monday."))
	m.Click(browser.Button("Summarize 4 files"))
	m.result("Summarize", "good.txt").WaitText("The harbour is closed on Monday.") // a failure does not stop the files after it
	for name, want := range map[string]string{"locked.pdf": "encrypted", "bytes.bin": "format that cannot be read", "empty.txt": "empty"} {
		card := m.result("Summarize", name)
		card.WaitText(want)
		card.WaitText("include the request ID")
		card.WaitFor(browser.Button("Send again"))
	}
	if hint := m.Value("Focus on (optional)"); hint != "the harbour" {
		t.Errorf("the field has %q", hint)
	}
	m.WaitFor(browser.Button("Remove the file locked.pdf"))
	m.Axe()
}

func testPortalFileNames(t *testing.T, m *mediaPage) {
	names := []string{
		`<img src=x onerror=alert(1)>.txt`, `"'$(touch owned)'";&|, =@x\.txt`, "invoice\u202efdp.txt", "-", "a\nb\t.txt", "${KEY}{{7*7}}`touch owned`.txt",
	}
	for _, name := range names {
		m.drop(t, name, "The harbour is closed on Monday. "+strings.ToUpper(name))
		m.WaitText("One file added.")
		m.Click(browser.Button("Summarize"))
		m.WaitText("JSON response")
		m.wantSameFromCurl(t)
		if _, err := os.Stat(filepath.Join(m.folder, "owned")); err == nil {
			t.Fatalf("the command for %q ran a part of the name", name)
		}
		if shown := m.Text(); strings.Contains(shown, "\u202e") {
			t.Errorf("the page shows a character that changes the direction of %q", name)
		}
		m.open(t, "/portal/media")
	}
}

func testPortalMediaFailures(t *testing.T, m *mediaPage) {
	m.Upload(chooseFiles, m.file(t, "notes.txt", "The harbour is closed on Monday."))
	m.WaitText("notes.txt")
	stop := m.Respond("*"+summarizeMedia+"*", http.StatusServiceUnavailable,
		`{"status":503,"code":"UNAVAILABLE","detail":"The engine is overloaded.","requestId":"r-1"}`)
	browser.Eval[bool](m.Page, `(() => {
		for (let i = 0; i < 3; i++) document.querySelector("form button[type=submit]").click();
		return true;
	})()`)
	card := m.result("Summarize", "notes.txt") // one, although the button was pressed three times
	card.WaitText("The engine is overloaded.")
	card.WaitText("r-1")
	stop()
	card.Click(browser.Button("Send again"))
	card.WaitText("The harbour is closed on Monday.")
	m.Allow("blocked by CORS policy") // the response below has no CORS headers
	m.Allow("net::ERR_FAILED")
	stop = m.Respond(m.info.S3+"/*", http.StatusForbidden, "")
	m.Upload(chooseFiles, m.file(t, "big.txt", strings.Repeat("The quay is long. ", 300_000)))
	m.Click(browser.Button("Summarize 2 files"))
	card = m.result("Summarize", "big.txt")
	card.WaitText("The upload was interrupted.")
	stop()
	card.Click(browser.Button("Send again"))
	card.WaitText("The quay is long.")
}

func testPortalJob(t *testing.T, m *mediaPage, gate string) {
	m.Check("Run in the background", true)
	m.Upload(chooseFiles, m.file(t, "talk.wav", "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"))
	m.Click(browser.Button("Summarize"))
	card := m.result("Summarize", "talk.wav")
	card.WaitText("The job continues if you close this page.")
	card.WaitText("Working")
	card.WaitText("%")
	m.Axe()
	address := m.URL()
	_, job, _ := strings.Cut(address, "jobs=")
	held := m.Hold("*/v1/capabilities/jobs/*")
	held.WaitFor([]string{m.info.Portal + "/v1/capabilities/jobs/" + job})
	card.Click(browser.Button("Stop waiting for talk.wav")) // it ends the request that waits; that is no error
	card.WaitText("The job continues on the server.")
	held.Stop()
	m.Reload()
	card.WaitText("Working")
	m.Open("/portal")
	m.WaitGone(browser.Heading("Media"))
	m.Open(address)
	card.WaitText("Working")
	if err := os.WriteFile(gate, []byte("The harbour office is closed on Monday."), 0o600); err != nil {
		t.Fatal(err)
	}
	card.WaitText("The harbour office is closed on Monday.")
	testForeignJob(t, m.testStack, address, "The harbour office")
}
