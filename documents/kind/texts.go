package kind

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"portside/documents"
	"portside/documents/lazyregexp"
)

// textKind returns the format of a text. It checks the formats with the strictest syntax first.
func textKind(text string, whole bool) documents.Format {
	text = strings.TrimLeft(text, "\ufeff \t\r\n")
	switch {
	case strings.HasPrefix(text, `{\rtf`):
		return documents.RTF
	case isSubtitles(text):
		return documents.PlainText
	case isJSON(text, whole):
		return documents.JSON
	case strings.HasPrefix(text, "<"):
		kind := markupKind(text, whole)
		if kind != documents.XML && isMarkdown(afterMarkup(text)) {
			return documents.Markdown
		}
		if kind != "" {
			return kind
		}
	}
	switch {
	case isMail(text):
		return documents.Mail
	case isMarkdown(text):
		return documents.Markdown
	case isCSV(text, whole):
		return documents.CSV
	}
	return documents.PlainText
}

var subRip = lazyregexp.New(`^\d+\r?\n\d+:\d\d:\d\d[,.]\d+ +--> +\d+:\d\d:\d\d`)

func isSubtitles(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(first, "WEBVTT") || subRip().MatchString(text[:min(len(text), 128)])
}

// isJSON reports whether the text is an object or array, or one on each line. It may be cut short. A text in brackets
// is not JSON.
func isJSON(text string, whole bool) bool {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	depth, tokens := 0, 0
	for {
		token, err := d.Token()
		switch delim, isDelim := token.(json.Delim); {
		case errors.Is(err, io.EOF) && depth == 0:
			return true
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return tokens >= 2 || !whole
		case err != nil:
			return tokens >= 8 && text[0] == '{' && depth > 0
		case depth == 0 && !isDelim:
			return false
		case isDelim && (delim == '{' || delim == '['):
			depth++
		case isDelim:
			depth--
		}
		tokens++
	}
}

// pageElements are the elements that a fragment of HTML may begin with.
var pageElements = map[string]bool{
	"html": true, "head": true, "body": true, "title": true, "meta": true, "link": true, "style": true, "script": true,
	"div": true, "p": true, "span": true, "table": true, "ul": true, "ol": true, "dl": true, "h1": true, "h2": true,
	"h3": true,
	"h4": true, "h5": true, "h6": true, "a": true, "b": true, "i": true, "em": true, "strong": true, "br": true,
	"hr":   true,
	"font": true, "center": true, "form": true, "main": true, "article": true, "section": true, "header": true,
	"footer": true,
	"nav":    true, "pre": true, "blockquote": true, "img": true,
}

var (
	docType   = lazyregexp.New(`(?i)^<!doctype\s+html\b`)
	wholePage = lazyregexp.New(`(?i)^<(?:!doctype|html|head|body|title|meta|link|style|script)\b`)
	blankLine = lazyregexp.New(`\n[ \t]*\r?\n`)
	firstName = lazyregexp.New(`^<([A-Za-z_][A-Za-z0-9_.:-]*)[\s/>]`)
)

// markupKind returns HTML or XML for a text that begins with "<"; empty if it is neither.
func markupKind(text string, whole bool) documents.Format {
	declared := strings.HasPrefix(text, "<?xml")
	rest := afterProlog(text)
	if docType().MatchString(rest) {
		return documents.HTML
	}
	name := ""
	if found := firstName().FindStringSubmatch(rest); len(found) == 2 {
		name = strings.ToLower(found[1])
	}
	switch {
	case name == "html", !declared && pageElements[name]:
		return documents.HTML
	case declared, name != "" && isXML(rest, whole), strings.HasPrefix(rest, "<!DOCTYPE"):
		return documents.XML
	}
	return ""
}

// afterProlog returns the text after the XML declaration, processing instructions and comments.
func afterProlog(text string) string {
	for {
		var end string
		switch {
		case strings.HasPrefix(text, "<?"):
			end = "?>"
		case strings.HasPrefix(text, "<!--"):
			end = "-->"
		default:
			return text
		}
		_, rest, ok := strings.Cut(text, end)
		if !ok {
			return text
		}
		text = strings.TrimLeft(rest, " \t\r\n")
	}
}

// afterMarkup returns the text from the first paragraph on that does not begin with an element or a comment: Markdown may
// begin with a logo or a centered title in HTML. It is empty for a whole page.
func afterMarkup(text string) string {
	for strings.HasPrefix(text, "<") {
		if wholePage().MatchString(text) {
			return ""
		}
		end := blankLine().FindStringIndex(text)
		if comment := strings.Index(text, "-->"); strings.HasPrefix(text, "<!--") && comment >= 0 {
			end = []int{0, comment + len("-->")}
		}
		if end == nil {
			return ""
		}
		text = strings.TrimLeft(text[end[1]:], " \t\r\n")
	}
	return text
}

// isXML reports whether the text is well-formed XML, or, if the text is cut, whether its first three tokens are.
func isXML(text string, whole bool) bool {
	if whole && !strings.HasSuffix(strings.TrimRight(text, " \t\r\n\x00\x1a"), ">") {
		return false
	}
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false // the DTD may declare entities, which the decoder does not know
	for elements := 0; ; elements++ {
		if _, err := d.RawToken(); err != nil {
			return errors.Is(err, io.EOF) || !whole && elements > 2
		}
	}
}

var (
	mailField  = lazyregexp.New(`^([A-Za-z][A-Za-z0-9-]*):(?:[ \t]|$)`)
	mailFields = map[string]bool{
		"to": true, "date": true, "subject": true, "received": true, "message-id": true, "mime-version": true,
		"content-type": true, "return-path": true, "reply-to": true, "delivered-to": true,
	}
)

// isMail reports whether the text begins with mail headers: a sender, at least two other usual fields, and a blank
// line.
func isMail(text string) bool {
	known, from := 0, false
	for i, line := range strings.SplitAfterN(text, "\n", 500) {
		content := strings.TrimRight(line, "\r\n")
		if content == "" {
			return line != "" && from && known >= 2
		}
		if i > 0 && (content[0] == ' ' || content[0] == '\t') || i == 0 && strings.HasPrefix(content, "From ") {
			continue
		}
		field := mailField().FindStringSubmatch(content)
		if field == nil {
			return false
		}
		name := strings.ToLower(field[1])
		if name == "from" || name == "sender" {
			from = true
		}
		if mailFields[name] {
			known++
		}
	}
	return false
}
