package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

// site serves testdata with a policy as strict as the portal's, and returns the address.
func site(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; require-trusted-types-for 'script'")
		http.ServeFile(w, r, "testdata/page.html")
	})
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("content of the file")) })
	mux.Handle("GET /", http.FileServer(http.Dir("testdata")))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
}

func open(tb testing.TB, base string) *Page {
	tb.Helper()
	page := New(tb, base)
	page.Open("/")
	return page
}

func TestStepsReachThePage(t *testing.T) {
	page := open(t, site(t))
	page.WaitFor(Heading("Test page"))
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	page.Fill("Name", "Ada")
	page.Fill("Day", "2026-02-03")
	page.Select("Role", "Administrator")
	page.Check("I agree", true)
	page.Upload("Files", file)
	page.Click(Button("Save"))
	page.WaitText("Ada|2026-02-03|a|true|notes.txt")
	page.Within(Row("Grace")).Click(Button("Edit"))
	page.WaitText("edit Grace")
	page.WaitNoText("notes.txt|")

	if value := page.Value("Name"); value != "Ada" {
		t.Errorf("the field has %q", value)
	}
	if count := page.Count(Button("Edit")); count != 2 {
		t.Errorf("%d buttons, want 2", count)
	}
	page.Check("I agree", false)
	page.Fill("Name", "")
	page.Click(Button("Save"))
	page.WaitText("|2026-02-03|a|false|notes.txt")
}

func TestKeyboard(t *testing.T) {
	page := open(t, site(t))
	page.Press("Tab")
	if got := page.Focused(); got != (Focus{Tag: "INPUT", Name: "Name", Visible: true}) {
		t.Errorf("the focus is on %+v", got)
	}
	page.Press("Control+a", "Backspace")
	page.Type("Grace")
	page.Press("Enter")
	page.WaitText("Grace|")
	page.Press("Tab", "Shift+Tab")
	if got := page.Focused().Name; got != "Name" {
		t.Errorf("the focus is on %s", got)
	}
}

func TestClipboardAndDownload(t *testing.T) {
	page := open(t, site(t))
	page.Click(Button("Copy"))
	page.await("the copy", func(ctx context.Context) (bool, error) {
		text, err := evaluate[string](ctx, page, "navigator.clipboard.readText()")
		return text == "copied text", err
	})
	name, content := page.Download(func() { page.Click(Link("Download")) })
	if name != "file.txt" || string(content) != "content of the file" {
		t.Errorf("downloaded %s with %q", name, content)
	}
}

func TestSurroundingsAreTheSameEverywhere(t *testing.T) {
	page := open(t, site(t))
	got := Eval[string](page, `[new Date(0).toString(), navigator.language, 1234.5.toLocaleString(), innerWidth, innerHeight, devicePixelRatio,
		matchMedia("(prefers-reduced-motion: reduce)").matches, matchMedia("(prefers-color-scheme: light)").matches].join("|")`)
	want := "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)|en-US|1,234.5|1280|800|1|true|true"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRespondAnswersForTheServer(t *testing.T) {
	page := open(t, site(t))
	const request = `fetch("/page.js").then(r => r.text(), () => "failed")`
	stop := page.Network.Respond("*/page.js", http.StatusServiceUnavailable, "later")
	if got := Eval[string](page, request); got != "later" {
		t.Errorf("got %q", got)
	}
	stop()
	stop = page.Network.Respond("*/page.js", 0, "")
	if got := Eval[string](page, request); got != "failed" {
		t.Errorf("got %q", got)
	}
	stop()
	if got := Eval[string](page, request); !strings.Contains(got, "use strict") {
		t.Errorf("got %q", got)
	}
}

func TestHoldKeepsRequestsFromTheServer(t *testing.T) {
	page := open(t, site(t))
	page.Network.ClearCache()
	held := page.Network.Hold("*/page.css", "*/page.js")
	page.Begin("/?again")
	held.WaitFor([]string{page.base.JoinPath("page.css").String(), page.base.JoinPath("page.js").String()})
	var scripts []Request // the browser may report a request after it has stopped it
	page.await("the second request of the script", func(context.Context) (bool, error) {
		scripts = slices.DeleteFunc(page.Network.Requests(), func(r Request) bool { return !strings.HasSuffix(r.URL, "/page.js") })
		return len(scripts) == 2, nil
	})
	if scripts[1].Status != 0 {
		t.Errorf("the held request %s has the status %d", scripts[1].URL, scripts[1].Status)
	}
	held.Release("/page.css")
	held.Stop()
	page.WaitFor(Heading("Test page"))
	page.Settle()
}

func TestVirtualAuthenticator(t *testing.T) {
	page := open(t, site(t))
	device := page.VirtualAuthenticator()
	page.runScript("create a passkey", `navigator.credentials.create({ publicKey: {
		rp: { name: "Test" }, user: { id: new Uint8Array(8), name: "ada", displayName: "Ada" }, challenge: new Uint8Array(32),
		pubKeyCredParams: [{ type: "public-key", alg: -7 }], authenticatorSelection: { residentKey: "required" },
	} }).then(() => 0)`)
	if device.Passkeys() != 1 {
		t.Errorf("%d passkeys", device.Passkeys())
	}
	device.Forget()
	device.SetUserVerified(false)
	device.Unplug()
}

func TestPagesAreIndependent(t *testing.T) {
	base := site(t)
	first, second := open(t, base), open(t, base)
	first.runScript("store", `localStorage.setItem("who", "first")`)
	if stored := Eval[string](second, `localStorage.getItem("who") ?? "nobody"`); stored != "nobody" {
		t.Errorf("the second page sees the data of the %s", stored)
	}
}

// TestNextPageSeesNoStorage has pages that store something all the time, until their windows get other pages.
func TestNextPageSeesNoStorage(t *testing.T) {
	base := site(t)
	for i := range 6 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			page := open(t, base)
			if stored := Eval[int](page, "localStorage.length"); stored != 0 {
				t.Fatalf("the page sees %d values of an earlier page", stored)
			}
			page.runScript("store", `
				const channel = new MessageChannel()
				channel.port1.onmessage = () => { localStorage.setItem("who", "earlier"); channel.port2.postMessage("") }
				channel.port2.postMessage("")
				channel.port1.start()
			`)
		})
	}
}

func TestScreenshot(t *testing.T) {
	page := open(t, site(t))
	page.Window.Screenshot("page", "time")
	page.Window.Resize(Phone)
	page.Window.Screenshot("page", "time")
	if *update {
		return
	}
	failures := record(t, func(tb testing.TB) {
		broken := open(tb, page.base.String())
		broken.Window.Resize(Phone)
		broken.runScript("change", `document.body.style.setProperty("background", "red")`)
		broken.Window.Screenshot("page", "time")
		broken.Window.Screenshot("missing")
	})
	wantFailures(t, failures, "of the pixels differ", "there is no picture")
	if text := page.Text(); !strings.Contains(text, "Today") {
		t.Errorf("a screenshot changed the texts: %s", text)
	}
}

func TestOverflow(t *testing.T) {
	page := open(t, site(t))
	page.Window.Resize(Phone)
	if wide := page.Window.Overflow(); len(wide) != 0 {
		t.Errorf("too wide: %q", wide)
	}
	page.runScript("widen", `document.querySelector("table").style.setProperty("width", "500px")`)
	if wide := page.Window.Overflow(); len(wide) == 0 || !strings.HasPrefix(wide[0], "<table") {
		t.Errorf("too wide: %q", wide)
	}
}

func TestProblemsFailTheTest(t *testing.T) {
	base := site(t)
	for name, problem := range map[string]struct{ script, want string }{
		"console":       {`console.error("oh", 1)`, "wrote an error to the console: oh 1"},
		"exception":     {`setTimeout(() => { throw new Error("lost") })`, "threw Error: lost"},
		"rejection":     {`void Promise.reject(new Error("refused"))`, "threw Error: refused"},
		"policy":        {`document.body.setAttribute("style", "color: red")`, "Content Security Policy"},
		"trusted types": {`try { document.body.innerHTML = "x" } catch {}`, "TrustedHTML"},
		"missing file":  {`fetch("/missing?a=b")`, "got 404 GET /missing?a=b"},
		"other host":    {`fetch("http://other.example.com/").catch(() => 0)`, "Content Security Policy"},
	} {
		t.Run(name, func(t *testing.T) {
			visit := func(tb testing.TB, allowed string) {
				page := open(tb, base)
				if allowed != "" {
					page.Allow(allowed)
				}
				page.runScript("misbehave", "(async () => { try { await ("+wrap(problem.script)+") } catch {} })()")
				page.Settle()
			}
			failures := record(t, func(tb testing.TB) { visit(tb, "") })
			if len(failures) == 0 || !strings.Contains(failures[0], problem.want) {
				t.Errorf("failures %q, want %q", failures, problem.want)
			}
			if failures := record(t, func(tb testing.TB) { visit(tb, problem.want) }); len(failures) != 0 {
				t.Errorf("allowed, but failed: %q", failures)
			}
		})
	}
}

// wrap returns an expression that runs the script.
func wrap(script string) string {
	if strings.HasPrefix(script, "fetch") {
		return script
	}
	return "(() => { " + script + " })()"
}

func TestRequests(t *testing.T) {
	page := open(t, site(t))
	page.Settle()
	requests := page.Network.Requests()
	if len(requests) != 3 || requests[0].Status != http.StatusOK || requests[0].Bytes < 1000 {
		t.Fatalf("requests %+v, want the page, its style and its script", requests)
	}
	if body := string(page.Network.Body(requests[0])); !strings.Contains(body, "<title>") {
		t.Errorf("the page has the body %q", body)
	}
}

// recorder is a test that records its failures.
type recorder struct {
	testing.TB

	mu       sync.Mutex
	failures []string
	cleanups []func()
}

// record runs a test and returns its failures.
func record(t *testing.T, test func(testing.TB)) []string {
	t.Helper()
	r := &recorder{TB: t}
	for _, step := range []func(){func() { test(r) }, r.cleanup} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			step()
		}()
		<-done
	}
	return r.failures
}

func (r *recorder) cleanup() {
	for _, cleanup := range slices.Backward(r.cleanups) {
		cleanup()
	}
}

// Cleanup implements testing.TB.
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// Failed implements testing.TB.
func (r *recorder) Failed() bool { return len(r.failures) > 0 }

// Errorf implements testing.TB.
func (r *recorder) Errorf(format string, values ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, values...))
}

// Fatalf implements testing.TB.
func (r *recorder) Fatalf(format string, values ...any) {
	r.Errorf(format, values...)
	runtime.Goexit()
}

func wantFailures(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d failures, want %d: %q", len(got), len(want), got)
		return
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("failure %q, want %q", got[i], want[i])
		}
	}
}
