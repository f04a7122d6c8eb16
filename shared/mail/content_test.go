package mail_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/shared/mail"
	"portside/testclient/scale"
)

func TestMessageFormatsTextAndHTML(t *testing.T) {
	m := mail.Content{
		To: "ada@example.com", Subject: "A & B", Name: "Ada <b>", Body: []string{"One " + strings.Repeat("word ", 20), "Two"},
		Quote: "first {name}\nsecond <i>", Button: mail.Button{Label: "Open", Address: "https://portal.example.com/x#y&z"},
		Notes: []string{"Small print"},
	}.Message()
	if m.To != "ada@example.com" || m.Subject != "A & B" {
		t.Errorf("to %q, subject %q", m.To, m.Subject)
	}
	for _, wanted := range []string{
		"Hello Ada <b>,\n\nOne word", "\n\n> first {name}\n> second <i>\n\n", "Open:\n\nhttps://portal.example.com/x#y&z\n\nSmall print\n",
	} {
		if !strings.Contains(m.Text, wanted) {
			t.Errorf("the text lacks %q:\n%s", wanted, m.Text)
		}
	}
	for _, wanted := range []string{
		"<title>A &amp; B</title>", "Hello Ada &lt;b&gt;,", "first {name}\nsecond &lt;i&gt;</blockquote>",
		`href="https://portal.example.com/x#y&amp;z"`, "<p>Two</p>",
	} {
		if !strings.Contains(m.HTML, wanted) {
			t.Errorf("the HTML lacks %q:\n%s", wanted, m.HTML)
		}
	}
	if bare := (mail.Content{Name: "Ada"}).Message(); strings.Contains(bare.HTML, "<a ") || strings.Contains(bare.HTML, "<blockquote") {
		t.Errorf("a mail without button and quote has one:\n%s", bare.HTML)
	}
}

// TestTextLinesAreWrapped wraps any text: no word is lost, and only a long word makes a long line.
func TestTextLinesAreWrapped(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,90}[ \n]{1,2}`), 0, 40).Draw(t, "words")
		body := strings.Join(words, "")
		text := mail.Content{Name: "Ada", Body: []string{body}}.Message().Text
		if got, want := strings.Fields(text)[2:], strings.Fields(body); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("words %q, want %q", got, want)
		}
		for line := range strings.Lines(text) {
			if len(strings.TrimSpace(line)) > 72 && len(strings.Fields(line)) > 1 {
				t.Fatalf("a line of %d bytes: %q", len(line), line)
			}
		}
	})
}
