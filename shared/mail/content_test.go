package mail_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"mvdan.cc/xurls/v2"
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
	if bare := (mail.Content{Name: "Ada"}).Message(); strings.Contains(bare.HTML, "<a ") ||
		strings.Contains(bare.HTML, "<blockquote") {
		t.Errorf("a mail without button and quote has one:\n%s", bare.HTML)
	}
}

// TestOnlyTheSiteHasLinks searches mails with names and texts of strangers for addresses, as mail programs do.
//
//proves:docs/security.md
func TestOnlyTheSiteHasLinks(t *testing.T) {
	const site = "https://portal.example.com"
	pieces := rapid.SampledFrom([]string{
		"evil", ".", "com", "/", "http", ":", "//", "www.", "@", "\u3002", "\uff0e", "рф", "xn--p1ai", "mailto:", "7", "-", " ", "\n",
		site, "(", "#", "?", "\u200c", "\ufe0f", "<", "&",
	})
	words := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(t, "pieces"), "") })
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		given := words.Draw(t, "words")
		m := mail.Content{
			Site: site, Name: given, Body: []string{given, "See " + site + "/docs."}, Quote: given, Notes: []string{given},
			Button: mail.Button{Label: "Open", Address: site + "/portal/x#y"},
		}.Message()
		shown := html.UnescapeString(regexp.MustCompile("(?s)<title>.*?</title>|<[^>]*>").ReplaceAllString(m.HTML, " "))
		for _, found := range xurls.Relaxed().FindAllString(m.Text+"\n"+shown, -1) {
			if rest, isOwn := strings.CutPrefix(found, site); !isOwn || rest != "" && rest[0] != '/' {
				t.Errorf("%q has the link %q", given, found)
			}
		}
		if !strings.Contains(m.Text, "See "+site+"/docs.") || !strings.Contains(m.HTML, site+"/docs.") {
			t.Errorf("the address of the site is lost:\n%s", m.Text)
		}
		visible := strings.Join(strings.Fields(strings.ReplaceAll(m.Text, "\u200c", "")), " ")
		if !strings.Contains(visible, strings.Join(strings.Fields(strings.ReplaceAll(given, "\u200c", "")), " ")) {
			t.Errorf("%q looks different:\n%s", given, m.Text)
		}
	})
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
