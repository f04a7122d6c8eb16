package ses_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/google/go-cmp/cmp"
)

const browser = "text/html,application/xhtml+xml,*/*;q=0.8"

type listed struct {
	ID, From, Subject string
	To                []string
	Date              time.Time
}

func TestListIsNewestFirst(t *testing.T) {
	b := newTestOutbox(t)
	var none []listed
	b.json("/_local/outbox", &none)
	if _, page := b.get("/_local/outbox", browser); none == nil || len(none) != 0 ||
		!strings.Contains(page, "No mail yet.") {
		t.Errorf("an empty outbox is %v and %s", none, page)
	}
	first := b.send(simple(nil))
	second := b.send(simple(func(in *sesv2.SendEmailInput, m *types.Message) {
		m.Subject = utf8("<b>Zweite</b>")
		in.Destination.BccAddresses = []string{"eve@example.com"}
	}))
	var got []listed
	b.json("/_local/outbox", &got)
	at := time.Date(2026, 11, 21, 8, 0, 1, 0, time.UTC)
	from := `"Portside" <no-reply@portside.example>`
	want := []listed{
		{second, from, "<b>Zweite</b>", []string{"ada@example.com", "eve@example.com"}, at.Add(time.Second)},
		{first, from, "Activate", []string{"ada@example.com"}, at},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, page := b.get("/_local/outbox/", browser)
	if i, j := strings.Index(page, second), strings.Index(page, first); i < 0 || j < i || strings.Contains(page, "<b>") {
		t.Errorf("the page is\n%s", page)
	}
}

func TestMessagePage(t *testing.T) {
	b := newTestOutbox(t)
	id := b.send(simple(func(_ *sesv2.SendEmailInput, m *types.Message) {
		m.Body.Text = utf8("See https://example.com/a?b=1&c=2. <script>alert(1)</script> javascript:alert(2)\n" +
			"and (http://127.0.0.1:3000/portal/activate#psl_x), \"https://x.example/\"><img src=x>")
		m.Body.Html = utf8(`<a href="https://example.com/a?b=1&amp;c=2">a</a><A HREF='https://other.example/'>b</A>
			<a href="javascript:alert(1)">c</a><script>alert(3)</script>`)
	}))
	var m struct{ Links []string }
	b.json("/_local/outbox/"+id, &m)
	want := []string{
		"https://example.com/a?b=1&c=2", "http://127.0.0.1:3000/portal/activate#psl_x",
		"https://x.example/", "https://other.example/",
	}
	if diff := cmp.Diff(want, m.Links); diff != "" {
		t.Error(diff)
	}
	response, page := b.get("/_local/outbox/"+id, browser)
	policy := response.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	for _, bad := range []string{"<script", "<img", `href="javascript`} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q:\n%s", bad, page)
		}
	}
	for _, good := range []string{
		`<a href="https://example.com/a?b=1&amp;c=2" target="_blank"`, `src="/_local/outbox/` + id + `/html"`, "Message-Id",
	} {
		if !strings.Contains(page, good) {
			t.Errorf("the page lacks %q:\n%s", good, page)
		}
	}
}

func TestHTMLPartIsSandboxed(t *testing.T) {
	b := newTestOutbox(t)
	id := b.send(simple(func(_ *sesv2.SendEmailInput, m *types.Message) { m.Body.Html = utf8("<script>alert(3)</script>") }))
	response, body := b.get("/_local/outbox/"+id+"/html", browser)
	policy := response.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "sandbox ") || strings.Contains(policy, "allow-scripts") ||
		!strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
	if !strings.HasSuffix(body, "<script>alert(3)</script>") {
		t.Errorf("the HTML part differs from the sent one: %q", body)
	}
}

func TestRawDownload(t *testing.T) {
	b := newTestOutbox(t)
	id := b.send(simple(nil))
	response, body := b.get("/_local/outbox/"+id+"/raw", browser)
	if response.Header.Get("Content-Type") != "message/rfc822" || body != b.eml(id) {
		t.Errorf("%v\n%s", response.Header, body)
	}
	if got := response.Header.Get("Content-Disposition"); got != `attachment; filename="`+id+`.eml"` {
		t.Errorf("Content-Disposition %q", got)
	}
}

func TestPagesServeOnlyMessages(t *testing.T) {
	b := newTestOutbox(t)
	if err := os.WriteFile(filepath.Join(filepath.Dir(b.dir), "admin-key.eml"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "notes.eml"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"..%2Fadmin-key", "notes", "20261121T080000.000000000Z-0123456789abcdef", "x%00"} {
		for _, view := range []string{"", "/html", "/raw"} {
			response, body := b.get("/_local/outbox/"+id+view, browser)
			if response.StatusCode != http.StatusNotFound || strings.Contains(body, "secret") {
				t.Errorf("%s%s: %s %s", id, view, response.Status, body)
			}
		}
	}
	if _, body := b.get("/_local/outbox", "application/json"); strings.TrimSpace(body) != "[]" {
		t.Errorf("the list is %s", body)
	}
}

func TestListIncludesUnreadableMessage(t *testing.T) {
	b := newTestOutbox(t)
	good := b.send(simple(nil))
	bad := strings.Replace(good, "2026", "2027", 1)
	if err := os.WriteFile(filepath.Join(b.dir, bad+".eml"), []byte("no header"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []listed
	b.json("/_local/outbox", &got)
	if len(got) != 2 || got[0].ID != bad || got[0].Date.Year() != 2027 || got[1].ID != good {
		t.Errorf("the list is %+v", got)
	}
	response, body := b.get("/_local/outbox/"+bad, browser)
	if response.StatusCode != http.StatusInternalServerError || !strings.Contains(body, "not readable") {
		t.Errorf("%s %s", response.Status, body)
	}
}

func TestPagesLoadNothingFromOtherHosts(t *testing.T) {
	b := newTestOutbox(t)
	id := b.send(simple(func(_ *sesv2.SendEmailInput, m *types.Message) {
		m.Headers = []types.MessageHeader{{Name: aws.String("X-A"), Value: aws.String("b")}}
	}))
	for _, path := range []string{"/_local/outbox", "/_local/outbox/" + id, "/_local/outbox/style.css"} {
		response, body := b.get(path, browser)
		isExternal := func(s string) bool { return strings.Contains(body, s) }
		if response.StatusCode != http.StatusOK ||
			slices.ContainsFunc([]string{"http:", "https:", "//", "@import"}, isExternal) {
			t.Errorf("%s: %s refers to other hosts:\n%s", path, response.Status, body)
		}
	}
}

func TestOutboxIsReadableOnlyByOwner(t *testing.T) {
	b := newTestOutbox(t)
	id := b.send(simple(nil))
	for path, want := range map[string]os.FileMode{b.dir: 0o700 | os.ModeDir, filepath.Join(b.dir, id+".eml"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}
