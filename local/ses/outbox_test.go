package ses_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/google/go-cmp/cmp"

	"portside/local/ses"
	"portside/testclient"
)

// testOutbox is an outbox with the SDK's SES client and the address of its pages.
type testOutbox struct {
	t     *testing.T
	dir   string
	ses   *sesv2.Client
	api   string
	pages string
}

func newTestOutbox(t *testing.T) *testOutbox {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data", "outbox")
	clock := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	outbox, err := ses.NewOutbox(dir, func() time.Time { clock = clock.Add(time.Second); return clock })
	if err != nil {
		t.Fatal(err)
	}
	api, pages := httptest.NewServer(outbox.API()), httptest.NewServer(outbox.Pages())
	t.Cleanup(api.Close)
	t.Cleanup(pages.Close)
	client := sesv2.New(sesv2.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(api.URL), RetryMaxAttempts: 1, HTTPClient: testclient.SDKClient{},
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	return &testOutbox{t: t, dir: dir, ses: client, api: api.URL, pages: pages.URL}
}

func (b *testOutbox) send(in *sesv2.SendEmailInput) string {
	b.t.Helper()
	out, err := b.ses.SendEmail(b.t.Context(), in)
	if err != nil {
		b.t.Fatal(err)
	}
	return *out.MessageId
}

func (b *testOutbox) eml(id string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, id+".eml"))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

func (b *testOutbox) get(path, accept string) (*http.Response, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.pages+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response, string(body)
}

func (b *testOutbox) json(path string, into any) {
	b.t.Helper()
	response, body := b.get(path, "application/json")
	if response.StatusCode != http.StatusOK {
		b.t.Fatalf("GET %s: %s %s", path, response.Status, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		b.t.Fatal(err)
	}
}

func utf8(text string) *types.Content {
	return &types.Content{Data: aws.String(text), Charset: aws.String("UTF-8")}
}

func simple(change func(*sesv2.SendEmailInput, *types.Message)) *sesv2.SendEmailInput {
	message := &types.Message{
		Subject: utf8("Activate"),
		Body:    &types.Body{Text: utf8("Hello"), Html: utf8("<p>Hello</p>")},
	}
	in := &sesv2.SendEmailInput{
		FromEmailAddress: aws.String("Portside <no-reply@portside.example>"),
		Destination:      &types.Destination{ToAddresses: []string{"ada@example.com"}},
		Content:          &types.EmailContent{Simple: message},
	}
	if change != nil {
		change(in, message)
	}
	return in
}

func raw(text string) *sesv2.SendEmailInput {
	return &sesv2.SendEmailInput{Content: &types.EmailContent{Raw: &types.RawMessage{Data: []byte(text)}}}
}

func TestSimpleMessageIsValidMIME(t *testing.T) {
	b := newTestOutbox(t)
	subject := strings.Repeat("Grüße aus dem Büro ", 8) + "✓"
	text := "Zeile 1: ü\nhttps://example.com/a?b=c&d=" + strings.Repeat("x", 200) + "\n.\nFrom here"
	html := `<p>Schöne Grüße <a href="https://example.com/?a=1&amp;b=2">hier</a></p>`
	id := b.send(simple(func(in *sesv2.SendEmailInput, m *types.Message) {
		in.FromEmailAddress = aws.String(`"Über, Portside" <no-reply@portside.example>`)
		in.Destination.CcAddresses = []string{"Cc <cc@example.com>"}
		in.Destination.BccAddresses = []string{"hidden@example.com"}
		in.ReplyToAddresses = []string{"help@portside.example"}
		m.Subject, m.Body.Text, m.Body.Html = utf8(subject), utf8(text), utf8(html)
		m.Headers = []types.MessageHeader{{Name: aws.String("List-Unsubscribe"),
			Value: aws.String("<https://example.com/u>")}}
	}))
	eml := b.eml(id)
	checkLines(t, eml)
	m, err := netmail.ReadMessage(strings.NewReader(eml))
	if err != nil {
		t.Fatal(err)
	}
	checkHeader(t, m.Header, id, subject)
	if diff := cmp.Diff([]string{"text/plain " + text, "text/html " + html}, alternatives(t, m)); diff != "" {
		t.Error(diff)
	}
}

func checkLines(t *testing.T, eml string) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSuffix(eml, "\r\n"), "\r\n") {
		if strings.ContainsAny(line, "\r\n") || len(line) > 78 {
			t.Errorf("a bare line end, or a line of %d bytes: %q", len(line), line)
		}
		if strings.ContainsFunc(line, func(c rune) bool { return c > '~' }) {
			t.Errorf("not ASCII: %q", line)
		}
	}
}

func checkHeader(t *testing.T, h netmail.Header, id, subject string) {
	t.Helper()
	got, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
	if err != nil || got != subject {
		t.Errorf("Subject %q, %v", got, err)
	}
	from, err := h.AddressList("From")
	if err != nil || from[0].Name != "Über, Portside" {
		t.Errorf("From %v, %v", from, err)
	}
	date, err := h.Date()
	if err != nil || !date.Equal(time.Date(2026, 11, 21, 8, 0, 1, 0, time.UTC)) {
		t.Errorf("Date %v, %v", date, err)
	}
	want := map[string]string{
		"To": "<ada@example.com>", "Cc": `"Cc" <cc@example.com>`, "Bcc": "", "Reply-To": "<help@portside.example>",
		"Message-ID": "<" + id + "@portside.local>", "MIME-Version": "1.0", "List-Unsubscribe": "<https://example.com/u>",
		"X-Envelope-To": `<ada@example.com>, "Cc" <cc@example.com>, <hidden@example.com>`,
	}
	for name, value := range want {
		if h.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, h.Get(name), value)
		}
	}
}

func alternatives(t *testing.T, m *netmail.Message) []string {
	t.Helper()
	mediaType, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || mediaType != "multipart/alternative" {
		t.Fatalf("Content-Type %q, %v", mediaType, err)
	}
	var found []string
	for parts := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := parts.NextPart() // decodes quoted-printable
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		mediaType, params, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		if err != nil || params["charset"] != "utf-8" {
			t.Errorf("a part's type is %q %v, %v", mediaType, params, err)
		}
		body, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, mediaType+" "+strings.ReplaceAll(string(body), "\r\n", "\n"))
	}
}

// SES replaces characters that the charset lacks, so the local SES must do the same.
func TestCharsets(t *testing.T) {
	for _, test := range []struct{ charset, want string }{
		{"", "caf? ?"}, {"US-ASCII", "caf? ?"}, {"ISO-8859-1", "café ?"}, {"utf-8", "café €"},
	} {
		t.Run(test.charset, func(t *testing.T) {
			b := newTestOutbox(t)
			c := &types.Content{Data: aws.String("café €")}
			if test.charset != "" {
				c.Charset = aws.String(test.charset)
			}
			id := b.send(simple(func(_ *sesv2.SendEmailInput, m *types.Message) { m.Subject, m.Body = c, &types.Body{Text: c} }))
			var m struct{ Subject, Text, HTML string }
			b.json("/_local/outbox/"+id, &m)
			if m.Subject != test.want || m.Text != test.want || m.HTML != "" {
				t.Errorf("%+v, want %q", m, test.want)
			}
		})
	}
}

func TestRawMessageKeepsContent(t *testing.T) {
	b := newTestOutbox(t)
	in := raw("From: A <a@example.com>\nTo: b@example.com\nBcc: c@example.com,\n d@example.com\nDate: long ago\n" +
		"Message-ID: <mine@x>\nSubject: =?utf-8?q?=C3=9C?=\nContent-Transfer-Encoding: base64\n\nSGVsbG8=\n")
	id := b.send(in)
	want := "Date: Sat, 21 Nov 2026 08:00:01 +0000\r\nMessage-ID: <" + id + "@portside.local>\r\n" +
		"X-Envelope-To: <b@example.com>, <c@example.com>, <d@example.com>\r\n" +
		"From: A <a@example.com>\r\nTo: b@example.com\r\nSubject: =?utf-8?q?=C3=9C?=\r\n" +
		"Content-Transfer-Encoding: base64\r\n\r\nSGVsbG8=\r\n"
	if diff := cmp.Diff(want, b.eml(id)); diff != "" {
		t.Error(diff)
	}
	var m struct{ Subject, Text string }
	b.json("/_local/outbox/"+id, &m)
	if m.Subject != "Ü" || m.Text != "Hello" {
		t.Errorf("read back: %+v", m)
	}
	in.FromEmailAddress, in.Destination = aws.String("s@example.com"),
		&types.Destination{ToAddresses: []string{"only@example.com"}}
	if eml := b.eml(b.send(in)); !strings.Contains(eml, "X-Envelope-To: <only@example.com>\r\n") ||
		strings.Contains(eml, "s@example.com") {
		t.Errorf("the envelope or the sender is wrong:\n%s", eml)
	}
}

func TestInvalidMessagesAreRefused(t *testing.T) {
	b := newTestOutbox(t)
	header := func(name, value string) func(*sesv2.SendEmailInput, *types.Message) {
		return func(_ *sesv2.SendEmailInput, m *types.Message) {
			m.Headers = []types.MessageHeader{{Name: aws.String(name), Value: aws.String(value)}}
		}
	}
	for name, in := range map[string]*sesv2.SendEmailInput{
		"no sender":  simple(func(in *sesv2.SendEmailInput, _ *types.Message) { in.FromEmailAddress = nil }),
		"bad sender": simple(func(in *sesv2.SendEmailInput, _ *types.Message) { in.FromEmailAddress = aws.String("me") }),
		"sender with lines": simple(func(in *sesv2.SendEmailInput, _ *types.Message) {
			in.FromEmailAddress = aws.String("a@b.c\r\nBcc: d@e.f")
		}),
		"no recipient": simple(func(in *sesv2.SendEmailInput, _ *types.Message) { in.Destination = nil }),
		"bad recipient": simple(func(in *sesv2.SendEmailInput, _ *types.Message) {
			in.Destination.ToAddresses = []string{"ada@exa\r\nmple.com"}
		}),
		"not ASCII": simple(func(in *sesv2.SendEmailInput, _ *types.Message) {
			in.Destination.ToAddresses = []string{"ü@example.com"}
		}),
		"51 recipients": simple(func(in *sesv2.SendEmailInput, _ *types.Message) {
			for i := range 50 {
				in.Destination.BccAddresses = append(in.Destination.BccAddresses, fmt.Sprintf("u%d@example.com", i))
			}
		}),
		"subject with lines":  simple(func(_ *sesv2.SendEmailInput, m *types.Message) { m.Subject = utf8("a\r\nBcc: d@e.f") }),
		"endless subject":     simple(func(_ *sesv2.SendEmailInput, m *types.Message) { m.Subject = utf8(strings.Repeat("a", 2000)) }),
		"empty body":          simple(func(_ *sesv2.SendEmailInput, m *types.Message) { m.Body = &types.Body{} }),
		"unknown charset":     simple(func(_ *sesv2.SendEmailInput, m *types.Message) { m.Body.Text.Charset = aws.String("klingon\r\n") }),
		"header Bcc":          simple(header("bcc", "x@y.z")),
		"header Content-Type": simple(header("content-type", "text/plain")),
		"header name":         simple(header("X: y\r\nBcc", "x@y.z")),
		"header value":        simple(header("X-A", "x\nBcc: x@y.z")),
		"too large": simple(func(_ *sesv2.SendEmailInput, m *types.Message) {
			m.Body.Text = utf8(strings.Repeat("a", ses.MaxRequestBytes))
		}),
		"template": simple(func(in *sesv2.SendEmailInput, _ *types.Message) {
			in.Content = &types.EmailContent{Template: &types.Template{TemplateName: aws.String("t")}}
		}),
		"raw, no sender":     raw("To: a@b.c\n\nx"),
		"raw, no recipient":  raw("From: a@b.c\n\nx"),
		"raw, no header":     raw("\n\nx"),
		"raw, not mail":      raw("hello"),
		"raw, bad recipient": raw("From: a@b.c\nTo: \"a\\\x01\"@b.c\n\nx"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.ses.SendEmail(t.Context(), in)
			var refused *types.BadRequestException
			if !errors.As(err, &refused) || refused.ErrorMessage() == "" {
				t.Errorf("got %v", err)
			}
		})
	}
	if entries, err := os.ReadDir(b.dir); err != nil || len(entries) != 0 {
		t.Errorf("a refused message left %v, %v", entries, err)
	}
}

func TestInvalidHTTPRequestsAreRefused(t *testing.T) {
	b := newTestOutbox(t)
	for _, test := range []struct {
		method, path, authorization, body string
		status                            int
		kind                              string
	}{
		{"POST", "/v2/email/outbound-emails", "", "{}", 403, "MissingAuthenticationTokenException"},
		{"POST", "/v2/email/outbound-emails", "AWS4-HMAC-SHA256 x", "{", 400, "BadRequestException"},
		{"POST", "/v2/email/outbound-emails", "AWS4-HMAC-SHA256 x", "null", 400, "BadRequestException"},
		{"POST", "/v2/email/outbound-emails", "AWS4-HMAC-SHA256 x", `{"Content":7}`, 400, "BadRequestException"},
		{"POST", "/v2/email/identities", "AWS4-HMAC-SHA256 x", "{}", 404, "UnknownOperationException"},
		{"GET", "/v2/email/outbound-emails", "AWS4-HMAC-SHA256 x", "", 404, "UnknownOperationException"},
	} {
		t.Run(test.method+" "+test.path+" "+test.body, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), test.method, b.api+test.path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", test.authorization)
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if kind := response.Header.Get("x-amzn-ErrorType"); response.StatusCode != test.status || kind != test.kind {
				t.Errorf("%s %s", response.Status, kind)
			}
		})
	}
}
