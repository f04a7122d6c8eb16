// Package mail reads mails and web archives.
package mail

import (
	"bytes"
	"cmp"
	"io"
	"mime"
	"net/textproto"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/charset"
	"portside/documents/lazyregexp"
	"portside/documents/text/internal/page"
	"portside/documents/text/internal/plain"
	"portside/documents/text/internal/webpage"
)

// Read reads a mail.
func Read(to page.Page, data []byte) error {
	if !bytes.Contains(data, []byte(":")) {
		return documents.ErrDamaged
	}
	m := &mail{to: to, left: maxParts}
	err := m.mailbox(data)
	to.Into.LeaveOutFiles(m.attached)
	return err
}

// Bounds of one mail with all its parts.
const (
	maxParts   = 1000
	maxHeaders = 2000
	maxNested  = 48 // each time that a mail is forwarded with its attachments adds two

	maxField = 64 << 10 // bytes
)

// mail reads one file and the mails in it.
type mail struct {
	to       page.Page
	left     int      // how many more parts may be read
	attached []string // the names of attachments
}

// mailbox reads the mails of a file, which are one below the other if the file is a mailbox (RFC 4155).
func (m *mail) mailbox(data []byte) error {
	for isFirst := true; len(data) > 0; isFirst = false {
		one := data
		if end := nextMail(data); end > 0 {
			one = data[:end]
		}
		data = data[len(one):]
		if isFirst {
			m.to.Into.Title(decodeHeader(split(one).header.Get("Subject")))
		} else if m.left--; m.left < 0 {
			m.to.Into.Warn("The file has more mails than can be read.")
			return nil
		}
		if err := m.message(one, 0); err != nil {
			return err
		}
	}
	return nil
}

var mailLine = lazyregexp.New(`(?m)^From \S.{0,200}\d\d:\d\d.{0,40}\r?\n[A-Za-z][A-Za-z0-9-]{0,60}:`)

// nextMail returns where the second mail of a mailbox begins, or 0.
func nextMail(data []byte) int {
	if !bytes.HasPrefix(data, []byte("From ")) {
		return 0
	}
	_, rest, _ := bytes.Cut(data, []byte("\n"))
	if found := mailLine().FindIndex(rest); found != nil {
		return len(data) - len(rest) + found[0]
	}
	return 0
}

// part is a mail or a part of one.
type part struct {
	header    textproto.MIMEHeader
	body      []byte
	mediaType string
	params    map[string]string
}

var shownFields = []string{"From", "To", "Cc", "Reply-To", "Date", "Subject"}

func (m *mail) message(data []byte, depth int) error {
	p := split(data)
	for _, name := range shownFields {
		for _, value := range p.header[name] {
			if err := m.to.Field(name, decodeHeader(value)); err != nil {
				return err
			}
		}
	}
	return m.part(p, depth)
}

// split separates the header from the body. The header ends at the first line that is not a field, so that a mail
// without a blank line keeps its text.
func split(data []byte) part {
	p := part{header: textproto.MIMEHeader{}}
	if bytes.HasPrefix(data, []byte("From ")) {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	last := ""
	for range maxHeaders {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		line = bytes.TrimRight(line, "\r")
		if len(line) == 0 {
			data = rest
			break
		}
		name, value, isField := bytes.Cut(line, []byte(":"))
		key := textproto.TrimString(string(name))
		if values := p.header[last]; last != "" && (line[0] == ' ' || line[0] == '\t') {
			if len(values[len(values)-1]) < maxField { // otherwise a field of many lines would take quadratic time
				values[len(values)-1] += " " + strings.TrimSpace(rawText(line))
			}
		} else if isField && fieldName().MatchString(key) {
			last = textproto.CanonicalMIMEHeaderKey(key)
			p.header[last] = append(p.header[last], strings.TrimSpace(rawText(value)))
		} else {
			break
		}
		data = rest
	}
	p.body = data
	p.mediaType, p.params = mediaType(p.header.Get("Content-Type"))
	return p
}

var fieldName = lazyregexp.New(`^[A-Za-z0-9!#$%&'*+.^_|~-]{1,100}$`)

// rawText decodes a field that has characters beyond ASCII without declaring their character set.
func rawText(value []byte) string {
	return charset.Decode(value[:min(len(value), maxField)], "")
}

var typeName = lazyregexp.New(`^\s*([A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+)`)

// mediaType returns the media type, even if its parameters are malformed.
func mediaType(value string) (name string, params map[string]string) {
	name, params, err := mime.ParseMediaType(value)
	if err == nil || name != "" {
		return name, params
	}
	if found := typeName().FindStringSubmatch(value); found != nil {
		return strings.ToLower(found[1]), map[string]string{}
	}
	return "text/plain", map[string]string{}
}

func decodeHeader(value string) string {
	words := mime.WordDecoder{CharsetReader: func(label string, in io.Reader) (io.Reader, error) {
		raw, err := io.ReadAll(in)
		return strings.NewReader(charset.Decode(raw, label)), err
	}}
	decoded, err := words.DecodeHeader(value)
	if err != nil {
		return value
	}
	return decoded
}

// part reads a part according to its type.
func (m *mail) part(p part, depth int) error {
	if err := m.to.Context.Err(); err != nil {
		return err
	}
	switch kind := p.mediaType; {
	case kind == "multipart/encrypted", kind == "application/pkcs7-mime" && p.params["smime-type"] != "signed-data":
		return documents.ErrEncrypted
	case m.isAttached(p):
		m.leaveOut(p)
		return nil
	case depth >= min(maxNested, m.to.Into.Limits.Depth) && (strings.HasPrefix(kind, "multipart/") || kind == "message/rfc822"):
		m.to.Into.Warn("Parts of the message that are nested very deep were left out.")
		return nil
	case kind == "multipart/alternative":
		return m.alternative(p, depth)
	case strings.HasPrefix(kind, "multipart/"):
		return m.each(p, depth)
	case kind == "message/rfc822":
		return m.message(content(p), depth+1)
	case kind == "text/html":
		body := content(p)
		declared := p.params["charset"]
		if declared == "" {
			declared = charset.Declared(body)
		}
		return webpage.ReadFrom(m.to, strings.NewReader(charset.Decode(body, declared)), webpage.Options{})
	}
	return plain.Text(m.to, unquoted(charset.Decode(content(p), p.params["charset"])))
}

// isAttached reports whether a part is an attachment rather than text of the mail.
func (m *mail) isAttached(p part) bool {
	disposition, _ := mediaType(p.header.Get("Content-Disposition"))
	if p.header.Get("Content-Disposition") != "" && disposition == "attachment" {
		return true
	}
	switch p.mediaType {
	case "text/plain", "text/html", "message/rfc822", "message/delivery-status", "text/enriched", "text/rfc822-headers", "text":
		return false
	}
	return !strings.HasPrefix(p.mediaType, "multipart/")
}

// leaveOut notes the name of an attachment.
func (m *mail) leaveOut(p part) {
	_, params := mediaType(p.header.Get("Content-Disposition"))
	name := documents.Clean(decodeHeader(cmp.Or(params["filename"], p.params["name"])))
	m.attached = append(m.attached, cmp.Or(name, p.mediaType))
}

// parts splits a multipart body. If the last boundary is missing, the last part ends with the body.
func (m *mail) parts(p part) []part {
	boundary := p.params["boundary"]
	if boundary == "" {
		boundary = guessBoundary(p.body)
	}
	cut := cutParts(p.body, boundary)
	if len(cut) == 0 {
		cut = cutParts(p.body, guessBoundary(p.body)) // the header declares another boundary than the body has
	}
	var parts []part
	for _, raw := range cut {
		if m.left--; m.left < 0 {
			m.to.Into.Warn("The message has more parts than can be read.")
			break
		}
		parts = append(parts, split(raw))
	}
	return parts
}

func (m *mail) each(p part, depth int) error {
	for _, one := range m.parts(p) {
		if err := m.part(one, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// alternative reads the part in plain text if it has text, otherwise the last part that has.
func (m *mail) alternative(p part, depth int) error {
	parts := m.parts(p)
	for _, one := range parts {
		if one.mediaType == "text/plain" && len(bytes.TrimSpace(content(one))) > 0 {
			return m.part(one, depth+1)
		}
	}
	for _, one := range slices.Backward(parts) {
		if !m.isAttached(one) && len(bytes.TrimSpace(one.body)) > 0 {
			return m.part(one, depth+1)
		}
	}
	return nil
}
