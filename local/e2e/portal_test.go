package e2e

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"portside/local/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }

// visit returns an empty tab of a new visitor. The portal's host is localhost, because browsers accept its cookies and
// passkeys only there and with HTTPS.
func (p *testStack) visit(t *testing.T) *browser.Page {
	t.Helper()
	return browser.New(t, strings.Replace(p.info.API, "127.0.0.1", "localhost", 1))
}

// mailedCode matches the code in a sign-in mail.
var mailedCode = regexp.MustCompile(`\b\d{8}\b`)

// signIn returns the tab of a person who has signed in with the code of a mail. The tab calls the API directly, so that it
// does not depend on the sign-in page.
func (p *testStack) signIn(t *testing.T, email string) *browser.Page {
	t.Helper()
	page := p.visit(t)
	page.Allow("404 GET /favicon.ico") // the browser looks for it beside a JSON document
	page.Open("/v1/health")            // any address of the site
	post := func(path, body string, want int) {
		t.Helper()
		status := browser.Eval[int](page, `fetch("`+path+`", {
			method: "POST", headers: { "Content-Type": "application/json" }, body: `+strconv.Quote(body)+`,
		}).then(async r => (await r.text(), r.status))`)
		if status != want {
			t.Fatalf("POST %s: status %d, want %d", path, status, want)
		}
	}
	_, before := p.newestMail(t, email)
	post("/v1/sign-in/links", `{"email":"`+email+`"}`, http.StatusAccepted)
	var code string
	await(t, "the sign-in mail", func() bool {
		mail, count := p.newestMail(t, email)
		if count > before {
			code = mailedCode.FindString(mail.Text("text"))
		}
		return code != ""
	})
	p.secrets.add(code)
	post("/v1/sessions", `{"email":"`+email+`","code":"`+code+`"}`, http.StatusCreated)
	return page
}
