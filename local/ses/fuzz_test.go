package ses

import (
	"bytes"
	"encoding/json"
	"errors"
	netmail "net/mail"
	"strings"
	"testing"
	"time"
)

// Every request is either refused with an SES error or becomes a message that parse can read.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"FromEmailAddress":"a@b.c","Destination":{"ToAddresses":["d@e.f"]},"Content":{"Simple":{
		"Subject":{"Data":"Hi  there "},"Body":{"Text":{"Data":"x\r\n.\ry","Charset":"UTF-8"},"Html":{"Data":"<p>"}},
		"Headers":[{"Name":"X-A","Value":"b"}]}}}`))
	f.Add([]byte(`{"Content":{"Raw":{"Data":"RnJvbTogYUBiLmMKVG86IGRAZS5mCgpoaQo="}}}`))
	f.Add([]byte(`{"Content":{"Raw":{"Data":"RnJvbTogYUBiLmMKQmNjOiBhQGIuYwogZkBnLmgKClg="}},
		"FromEmailAddress":"=?utf-8?q?=0D=0A?= <a@b.c>"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := decode(body)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
		id := newID(at)
		text, err := r.compose(stamp{id, at})
		if err != nil {
			checkRefusal(t, err)
			return
		}
		m, err := parse(id, text)
		if err != nil {
			t.Fatalf("%v:\n%q", err, text)
		}
		checkComposed(t, r, m, text)
	})
}

func checkRefusal(t *testing.T, err error) {
	t.Helper()
	var refused *refusal
	if !errors.As(err, &refused) || refused.status != 400 {
		t.Fatalf("not a refusal: %v", err)
	}
}

func checkComposed(t *testing.T, r *request, m *message, text []byte) {
	t.Helper()
	if len(m.To) != len(r.recipients()) {
		t.Errorf("recipients %v became %v:\n%q", r.recipients(), m.To, text)
	}
	head, _, _ := bytes.Cut(text, []byte("\r\n\r\n"))
	if bytes.Contains(bytes.ReplaceAll(text, []byte("\r\n"), nil), []byte("\n")) {
		t.Errorf("bare line feed:\n%q", text)
	}
	if s := r.Content.Simple; s != nil {
		allowed := 9 + len(s.Headers)
		if n := len(m.Headers); n > allowed || strings.Contains(strings.ToLower(string(head)), "\nbcc:") {
			t.Errorf("%d headers, want at most %d:\n%q", n, allowed, text)
		}
		want := spaces(toUTF8(s.Subject.charset(), s.Subject.encoded()))
		if spaces(m.Subject) != want && !strings.Contains(want, "=?") {
			t.Errorf("Subject %q became %q:\n%q", want, m.Subject, text)
		}
	}
}

// spaces trims a header's value, because spaces at its ends have no meaning.
func spaces(s string) string { return strings.Trim(s, " ") }

// Parsing any file terminates without a panic, and pages can show the result.
func FuzzMessage(f *testing.F) {
	f.Add([]byte("From: a@b.c\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n" +
		"Content-Type: multipart/alternative; boundary=y\r\n\r\n--y\r\n\r\nhttp://a.b/c.\r\n--y--\r\n--x--\r\n"))
	f.Add([]byte("Subject: =?iso-8859-1?q?=FC?=\nContent-Transfer-Encoding: base64\n" +
		"Content-Type: text/html; charset=latin1\n\nPGEgaHJlZj0iaHR0cDovL2EuYiI+\n"))
	f.Add([]byte("Content-Type: multipart/mixed; boundary=\"\"\n\n--\n\n--\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parse("20261121T080000.000000000Z-0123456789abcdef", text)
		if err != nil {
			return
		}
		if _, err := json.Marshal(m); err != nil {
			t.Fatal(err)
		}
		if _, err := netmail.ReadMessage(bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		var whole strings.Builder
		for _, s := range spans(m.Text) {
			whole.WriteString(s.Text)
		}
		if whole.String() != m.Text {
			t.Errorf("the text %q is shown as %q", m.Text, whole.String())
		}
	})
}
