package media

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// transcribing starts a stack that transcribes: the recording of every file says what the test writes to the gate.
func transcribing(t *testing.T) (p *e2etest.Stack, gate string) {
	t.Helper()
	gate = filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	script := e2etest.WriteUpload(t, "transcribe.sh", "cat "+gate+"\n") // cat waits until the test writes to the gate
	return startWith(t, map[string]string{"TranscriberCommand": "sh " + script}), gate
}

func TestUnreadableFilesPage(t *testing.T) {
	p, _ := transcribing(t)
	m := visitMedia(t, p)
	m.Allow("415 POST " + e2etest.SummarizeMedia)
	m.Allow("422 POST " + e2etest.SummarizeMedia)
	m.WaitText("CSV, JSON, pictures and recordings, up to 200 MiB") // the stack transcribes
	m.Fill("Focus on (optional)", "the harbour")
	m.Upload(chooseFiles, m.file(t, "locked.pdf",
		e2etest.FromRepository(t, "documents", "pdf", "testdata", "locked", "user.pdf")),
		m.file(t, "bytes.bin", "\x00\x01\x02\x03"), m.file(t, "empty.txt", ""),
		m.file(t, "good.txt", "The harbour is closed on Monday."))
	m.Click(browser.Button("Summarize 4 files"))
	m.result("Summarize", "good.txt").WaitText("The harbour is closed on Monday.") // a failure does not stop the files after it
	for name, want := range map[string]string{"locked.pdf": "encrypted", "bytes.bin": "format that cannot be read",
		"empty.txt": "empty"} {
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

//proves:docs/security.md
func TestHostileFileNames(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
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
		m.open("/portal/media")
	}
}

func TestFailuresOnMediaPage(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	m.Upload(chooseFiles, m.file(t, "notes.txt", "The harbour is closed on Monday."))
	m.WaitText("notes.txt")
	stop := m.Network.Respond("*"+e2etest.SummarizeMedia+"*", http.StatusServiceUnavailable,
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
	stop = m.Network.Respond(m.Info.S3+"/*", http.StatusForbidden, "")
	m.Upload(chooseFiles, m.file(t, "big.txt", strings.Repeat("The quay is long. ", 300_000)))
	m.Click(browser.Button("Summarize 2 files"))
	card = m.result("Summarize", "big.txt")
	card.WaitText("The upload was interrupted.")
	stop()
	card.Click(browser.Button("Send again"))
	card.WaitText("The quay is long.")
}

func TestJobPage(t *testing.T) {
	p, gate := transcribing(t)
	m := visitMedia(t, p)
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
	held := m.Network.Hold("*/v1/capabilities/jobs/*")
	held.WaitFor([]string{m.Info.Portal + "/v1/capabilities/jobs/" + job})
	card.Click(browser.Button("Stop waiting for talk.wav")) // it ends the request that waits, without an error
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
	wantForeignJob(t, p, address, "The harbour office")
}

// wantForeignJob opens the media page with the job of another person in its address.
func wantForeignJob(t *testing.T, p *e2etest.Stack, address, result string) {
	t.Helper()
	page := p.Portal.VisitAsNew(t, "stranger", "user")
	page.Allow("404 GET /v1/capabilities/jobs/")
	page.Open(address)
	page.WaitFor(browser.Heading("Media"))
	page.WaitText("You have no such job.")
	if shown := page.Text(); strings.Contains(shown, result) || strings.Contains(shown, "talk.wav") {
		t.Errorf("the page shows another person's job: %s", shown)
	}
	page.Axe()
}
