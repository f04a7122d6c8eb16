package ses

import (
	"bytes"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
)

// composeRaw returns the caller's message with the headers that SES sets replaced.
func (r *request) composeRaw(s stamp) ([]byte, error) {
	text := crlf(r.Content.Raw.Data)
	fields, body, ok := splitMessage(text)
	if !ok {
		return nil, badRequest("the Raw message is not valid: it needs a header, an empty line and a body")
	}
	message, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		return nil, badRequest("the Raw message is not valid: %v", err)
	}
	if err := r.completeEnvelope(message.Header); err != nil {
		return nil, err
	}
	var h header
	h.stamp(s)
	h.addresses(envelopeHeader, r.recipients())
	if message.Header.Get("From") == "" {
		h.addresses("From", []*mail.Address{r.from})
	}
	for _, field := range fields {
		if !slices.Contains([]string{"Date", "Message-Id", "Bcc", envelopeHeader}, fieldName(field)) {
			h.WriteString(field)
		}
	}
	h.WriteString("\r\n")
	h.Write(body)
	return h.Bytes(), nil
}

// completeEnvelope takes a sender or recipients that the request lacks from the message's header.
func (r *request) completeEnvelope(h mail.Header) error {
	if r.from == nil {
		from, err := h.AddressList("From")
		if err != nil {
			return badRequest("the message has no valid sender: set FromEmailAddress or a From header")
		}
		r.from = from[0]
	}
	if len(r.recipients()) == 0 {
		for _, name := range []string{"To", "Cc", "Bcc"} {
			if list, err := h.AddressList(name); err == nil {
				r.to = append(r.to, list...)
			}
		}
	}
	switch count := len(r.recipients()); {
	case count == 0:
		return badRequest("the message has no recipient: set Destination or a To header")
	case count > maxRecipients:
		return badRequest("Recipient count exceeds %d.", maxRecipients)
	}
	for _, address := range append(r.recipients(), r.from) {
		if _, err := parseAddress(address.String()); err != nil {
			return err
		}
	}
	return nil
}

// crlf ends every line with CRLF.
func crlf(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
}

// splitMessage returns the header fields, each with its folded lines, and the body.
func splitMessage(text []byte) (fields []string, body []byte, ok bool) {
	head, body, ok := bytes.Cut(text, []byte("\r\n\r\n"))
	if !ok {
		return nil, nil, false
	}
	for line := range strings.SplitSeq(string(head), "\r\n") {
		if folded := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); folded && len(fields) > 0 {
			fields[len(fields)-1] += line + "\r\n"
			continue
		}
		if fieldName(line) == "" {
			return nil, nil, false
		}
		fields = append(fields, line+"\r\n")
	}
	return fields, body, true
}

func fieldName(line string) string {
	name, _, _ := strings.Cut(line, ":")
	return textproto.CanonicalMIMEHeaderKey(strings.TrimRight(name, " \t"))
}
