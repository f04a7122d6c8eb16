package mail

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Content is the content of a mail before it is formatted as plain text and as HTML. All its
// parts are plain text and may come from untrusted users; Message escapes them. It also hides from
// mail programs, which turn addresses in text into links, all addresses but those of the site. Subject
// has no text of users.
type Content struct {
	Site    string // address of the service, such as https://portal.example.com; empty if only the button needs it
	To      string // bare address
	Subject string
	Name    string   // of the reader
	Body    []string // paragraphs
	Quote   string   // another person's words, marked as such; empty without a quote
	Button  Button   // zero without a button
	Notes   []string // paragraphs in small print
}

// Button is the one action that a mail asks for.
type Button struct {
	Label   string
	Address string
}

// Message formats the content as plain text and HTML.
func (c Content) Message() Message {
	c.Name, c.Quote = unlink(c.Name, ""), unlink(c.Quote, "") // not even to the site, whose pages accept secrets of others
	c.Body, c.Notes = c.unlinkAll(c.Body), c.unlinkAll(c.Notes)
	return Message{To: c.To, Subject: c.Subject, Text: c.text(), HTML: c.html()}
}

func (c Content) unlinkAll(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = unlink(text, c.Site)
	}
	return all
}

// nonJoiner is U+200C, ZERO WIDTH NON-JOINER. It is invisible, and a host name cannot have it between Latin letters
// (RFC 5892, appendix A.1), so browsers refuse such a name, whereas they ignore other invisible characters (UTS 46).
const nonJoiner = "\u200c"

// unlink returns a text that looks the same, and in which mail programs find no address of a web page or mailbox but
// those of the site.
func unlink(text, site string) string {
	var out strings.Builder
	last := ' '
	for text != "" {
		if own := ownAddress(text, site); own != "" {
			out.WriteString(own)
			text = text[len(own):]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		next, _ := utf8.DecodeRuneInString(text[size:])
		isEnd := len(text) == size || unicode.IsSpace(next)
		isTime := unicode.IsDigit(last) && unicode.IsDigit(next)
		isInWord := !isEnd && !unicode.IsPunct(next)
		switch {
		case r == ':' && !isEnd && !isTime: // after a scheme
			out.WriteString(nonJoiner + text[:size])
		case isInWord && strings.ContainsRune("@.\u3002\uff0e\uff61", r): // the dots of host names (UTS 46)
			out.WriteString(text[:size] + nonJoiner)
		default:
			out.WriteString(text[:size])
		}
		last, text = r, text[size:]
	}
	return out.String()
}

// pathCharacters are those in the addresses of the site. Without a dot and a colon, they contain no other address.
const pathCharacters = "/-_?=&abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// ownAddress returns the address of the site's page with which a text begins, or an empty string.
func ownAddress(text, site string) string {
	rest, isOwn := strings.CutPrefix(text, site)
	if !isOwn || site == "" || rest != "" && rest[0] != '/' {
		return ""
	}
	after := strings.TrimLeft(rest, pathCharacters)
	return site + rest[:len(rest)-len(after)]
}

func (c Content) text() string {
	parts := []string{"Hello " + c.Name + ","}
	for _, p := range c.Body {
		parts = append(parts, wrap(p))
	}
	if c.Quote != "" {
		parts = append(parts, "> "+strings.Join(strings.Split(wrap(c.Quote), "\n"), "\n> "))
	}
	if c.Button.Address != "" {
		parts = append(parts, c.Button.Label+":", c.Button.Address)
	}
	for _, p := range c.Notes {
		parts = append(parts, wrap(p))
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// textWidth is the largest number of bytes in a line of plain text, unless one word is longer. RFC
// 5322, section 2.1.1, recommends at most 78.
const textWidth = 72

// wrap breaks long lines between words, and keeps existing line breaks.
func wrap(text string) string {
	var out strings.Builder
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		width := 0
		for word := range strings.FieldsSeq(line) {
			switch {
			case width == 0:
			case width+1+len(word) > textWidth:
				out.WriteByte('\n')
				width = 0
			default:
				out.WriteByte(' ')
				width++
			}
			out.WriteString(word)
			width += len(word)
		}
	}
	return out.String()
}

const (
	frame = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{subject}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;color:#1c2430">
<div style="max-width:520px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px">
<p style="margin-top:0">Hello {name},</p>
{body}</div>
</body>
</html>
`
	paragraph = "<p>{text}</p>\n"
	quote     = `<blockquote style="margin:16px 0;padding:4px 16px;border-left:3px solid #d5dae1;` +
		`white-space:pre-wrap;overflow-wrap:anywhere">{text}</blockquote>` + "\n"
	button = `<p style="margin:28px 0"><a href="{address}" style="display:inline-block;padding:12px 20px;border-radius:6px;` +
		`background:#0b5fff;color:#ffffff;text-decoration:none">{label}</a></p>` + "\n" +
		`<p style="font-size:14px;color:#5a6572">If the button does not work, copy this address: ` +
		`<span style="word-break:break-all">{address}</span></p>` + "\n"
	note = `<p style="margin-bottom:0;font-size:14px;color:#5a6572">{text}</p>` + "\n"
)

func (c Content) html() string {
	var body strings.Builder
	for _, p := range c.Body {
		body.WriteString(fill(paragraph, "{text}", p))
	}
	if c.Quote != "" {
		body.WriteString(fill(quote, "{text}", c.Quote))
	}
	if c.Button.Address != "" {
		body.WriteString(fill(button, "{label}", c.Button.Label, "{address}", c.Button.Address))
	}
	for _, p := range c.Notes {
		body.WriteString(fill(note, "{text}", p))
	}
	before, after, _ := strings.Cut(frame, "{body}")
	return fill(before, "{subject}", c.Subject, "{name}", c.Name) + body.String() + after
}

// fill replaces names by escaped values. It reads each byte of the form once, so that a value that
// looks like a name stays unchanged.
func fill(form string, namesAndValues ...string) string {
	for i := 1; i < len(namesAndValues); i += 2 {
		namesAndValues[i] = html.EscapeString(namesAndValues[i])
	}
	return strings.NewReplacer(namesAndValues...).Replace(form)
}
