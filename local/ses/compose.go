package ses

import (
	"bytes"
	"fmt"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
	"time"
)

// envelopeHeader lists all recipients, including blind copies, which no other header may show. Only
// the outbox adds this header.
const envelopeHeader = "X-Envelope-To"

// maxLineBytes is RFC 5322's limit for a line without its CRLF.
const maxLineBytes = 998

type stamp struct {
	id string
	at time.Time
}

// header is a message header that is being written.
type header struct{ bytes.Buffer }

// field writes a field, folded at single spaces. The value must not contain control characters.
func (h *header) field(name, value string) {
	line := name + ":"
	for word := range strings.SplitSeq(value, " ") {
		if word != "" && len(line)+1+len(word) > 76 && !strings.HasSuffix(line, " ") {
			h.WriteString(line + "\r\n")
			line = ""
		}
		line += " " + word
	}
	h.WriteString(line + "\r\n")
}

func (h *header) addresses(name string, list []*mail.Address) {
	if len(list) == 0 {
		return
	}
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = a.String()
	}
	h.field(name, strings.Join(texts, ", "))
}

func (h *header) stamp(s stamp) {
	h.field("Date", s.at.UTC().Format(time.RFC1123Z))
	h.field("Message-ID", "<"+s.id+"@portside.local>")
}

func (r *request) compose(s stamp) ([]byte, error) {
	if r.Content.Raw != nil {
		return r.composeRaw(s)
	}
	return r.composeSimple(s)
}

func (r *request) composeSimple(s stamp) ([]byte, error) {
	var h header
	h.addresses("From", []*mail.Address{r.from})
	h.addresses("To", r.to)
	h.addresses("Cc", r.cc)
	h.addresses("Reply-To", r.replyTo)
	c := r.Content.Simple
	h.field("Subject", mime.QEncoding.Encode(c.Subject.charset(), c.Subject.encoded()))
	h.stamp(s)
	h.addresses(envelopeHeader, r.recipients())
	for _, extra := range c.Headers {
		h.field(extra.Name, extra.Value)
	}
	h.field("MIME-Version", "1.0")
	if err := c.writeBody(&h, s.id); err != nil {
		return nil, fmt.Errorf("compose the message: %w", err)
	}
	for line := range bytes.SplitSeq(h.Bytes(), []byte("\r\n")) {
		if len(line) > maxLineBytes {
			return nil, badRequest("the Subject or an address has a word that is too long for one line")
		}
	}
	return h.Bytes(), nil
}

// writeBody ends the header and writes the text or HTML part, or both as alternatives with HTML
// last.
func (c *simple) writeBody(h *header, boundary string) error {
	text, html := c.Body.Text, c.Body.Html
	switch {
	case html == nil:
		return writeSingle(h, text, "text/plain")
	case text == nil:
		return writeSingle(h, html, "text/html")
	}
	parts := multipart.NewWriter(h)
	if err := parts.SetBoundary("=_" + boundary); err != nil {
		return err
	}
	h.field("Content-Type", mime.FormatMediaType("multipart/alternative", map[string]string{"boundary": parts.Boundary()}))
	h.WriteString("\r\n")
	for i, part := range []*content{text, html} {
		w, err := parts.CreatePart(part.header([]string{"text/plain", "text/html"}[i]))
		if err != nil {
			return err
		}
		if err := part.writeTo(w); err != nil {
			return err
		}
	}
	return parts.Close()
}

func writeSingle(h *header, c *content, mediaType string) error {
	for name, values := range c.header(mediaType) {
		h.field(name, values[0])
	}
	h.WriteString("\r\n")
	return c.writeTo(h)
}

func (c *content) header(mediaType string) textproto.MIMEHeader {
	return textproto.MIMEHeader{
		"Content-Type":              {mime.FormatMediaType(mediaType, map[string]string{"charset": c.charset()})},
		"Content-Transfer-Encoding": {"quoted-printable"},
	}
}

func (c *content) writeTo(w interface{ Write([]byte) (int, error) }) error {
	encoder := quotedprintable.NewWriter(w)
	if _, err := encoder.Write([]byte(c.encoded())); err != nil {
		return err
	}
	return encoder.Close()
}
