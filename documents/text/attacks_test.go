package text_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/text"
)

// Forwarded mails are read as deep as people forward them, and no deeper.
func TestForwardedMailsAreReadToADepth(t *testing.T) {
	const head = "From: a\nTo: b\n"
	message := func(body string) string { return head + "Content-Type: message/rfc822\n\n" + body }
	encoded := func(body string) string {
		return head + "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(body))
	}
	depth := 0
	parts := func(body string) string {
		depth++
		return fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n%s\n--b%d--\n", depth, depth, body, depth)
	}
	for name, c := range map[string]struct {
		wrap    func(string) string
		times   int
		warning bool
	}{
		"forwarded": {message, 20, false}, "parts": {parts, 20, false}, "encoded": {encoded, 20, false},
		"forwarded for ever": {message, 2000, true}, "parts for ever": {parts, 2000, true},
	} {
		t.Run(name, func(t *testing.T) {
			depth = 0
			data := "Content-Type: text/plain\n\nthe inmost words"
			for range c.times {
				data = c.wrap(data)
			}
			doc, err := document(t, text.ReadMail, data)
			if read := strings.Contains(doc.Text(), "the inmost words"); err != nil || read == c.warning || (len(doc.Warnings) > 0) != c.warning {
				t.Errorf("%v, %q, %.200q", err, doc.Warnings, doc.Text())
			}
		})
	}
}

func TestMalformedMails(t *testing.T) {
	read, head := text.ReadMail, "From: a\n"
	check(t, []step{
		{"charset that nobody knows", read, head + "Content-Type: text/plain; charset=klingon\n\nGr\xfc\xdfe", "field | 0! From | 1 a\nparagraph: \"Grüße\"", nil},
		{"charset that is a lie", read, head + "Content-Type: text/plain; charset=us-ascii\n\nGrüße", "field | 0! From | 1 a\nparagraph: \"Grüße\"", nil},
		{"charset of a field", read, "Subject: =?klingon?Q?a=FCb?=\n" + head + "\nx", "field | 0! From | 1 a\nfield | 0! Subject | 1 aüb\nparagraph: \"x\"", nil},
		{"another boundary than is said", read, head + "Content-Type: multipart/mixed; boundary=x\n\n--y\n\nHi\n--y--\n",
			"field | 0! From | 1 a\nparagraph: \"Hi\"", nil},
	})
}

// Each of these files made some parser crash or hang.
//
//proves:docs/security.md
func TestKnownAttacks(t *testing.T) {
	laughs := `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol">`
	for c := 'b'; c < 'l'; c++ {
		laughs += fmt.Sprintf(`<!ENTITY %c %q>`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	for name, c := range map[string]struct {
		read documents.Reader
		data string
		err  error
		want string // is in the text
	}{
		"laughs":        {text.ReadXML, laughs + "]><l><x>&k;</x></l>", nil, "&k;"},
		"one long cell": {text.ReadCSV, "a,b\n1,\"" + strings.Repeat("x", 5<<20) + "\"\n2,y\n", nil, "y"},
		"quotes in it":  {text.ReadCSV, "a,b\n1,\"" + strings.Repeat("\"\"", 500_000) + "\"\n2,y\n", nil, "y"},
		"bytes in RTF":  {text.ReadRTF, `{\rtf1 a{\pict\bin1000 ` + strings.Repeat("}\x00{\\", 250) + `}b\par}`, nil, "ab"},
		"negative":      {text.ReadRTF, `{\rtf1 a\bin-5 b\uc-3\u-99999999999 ?\ilvl-7\ls1 c\par}`, nil, "c"},
		"absurd times": {text.ReadCaptions, "WEBVTT\n\n9999:99:99.999999 --> 9999:99:99.999999\nlate\n\n" +
			"99999999999999999999:00:00.000 --> 99999999999999999999:00:01.000\nhuge\n\n-1:00:00.000 --> 00:00:01.000\nminus\n", nil, "late"},
		"half an escape": {text.ReadJSON, `{"a": "\ud800\u0000x"}`, nil, "x"},
		"numbers":        {text.ReadJSON, `{"a": 1e999999999, "b": -0.0000}`, nil, "1e999999999"},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := document(t, c.read, c.data)
			if !errors.Is(err, c.err) || !strings.Contains(doc.Text(), c.want) {
				t.Errorf("%v, %.200q", err, doc.Text())
			}
			for _, b := range doc.Blocks {
				if b.Time.To < b.Time.From || b.Time.From < 0 || b.Level < 0 {
					t.Errorf("%+v", b)
				}
			}
			checkOffsets(t, doc)
		})
	}
}

// Files of many tiny blocks take the most memory. The limit of blocks and cells applies to them.
func TestTinyBlocksAreLimited(t *testing.T) {
	const maxBlocks, pieces = 1000, 3000
	for name, c := range map[string]struct {
		read         documents.Reader
		begin, piece string
	}{
		"cells of a page":  {text.ReadHTML, "<table>", "<tr><td>x<td>y"},
		"rows of a page":   {text.ReadHTML, "<table>", "<tr><td>x"},
		"cells of a row":   {text.ReadHTML, "<table><tr>", "<td>x"},
		"paragraphs":       {text.ReadHTML, "", "<p>x"},
		"lines":            {text.ReadMarkdown, "", "x\n\n"},
		"items":            {text.ReadMarkdown, "", "- x\n"},
		"plain paragraphs": {text.ReadText, "", "x\n\n"},
		"RTF":              {text.ReadRTF, `{\rtf1 `, `x\par `},
	} {
		t.Run(name, func(t *testing.T) {
			limits := documents.DefaultLimits()
			limits.Blocks = maxBlocks
			into := documents.NewBuilder("", limits)
			err := c.read(t.Context(), source(c.begin+strings.Repeat(c.piece, pieces)), into)
			parts := 0
			for _, b := range into.Document().Blocks {
				parts += 1 + len(b.Cells)
			}
			if !errors.Is(err, documents.ErrTooMuch) || parts > maxBlocks {
				t.Errorf("%v after %d blocks and cells", err, parts)
			}
		})
	}
}
