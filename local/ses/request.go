package ses

import (
	"fmt"
	"net/http"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// SES's own limits.
const (
	maxRecipients       = 50
	maxHeaders          = 15
	maxHeaderValueChars = 870
)

// request is SendEmail's input. Like SES, it ignores unknown members, also those that differ only in case.
type request struct {
	FromEmailAddress string
	ReplyToAddresses []string
	Destination      struct{ ToAddresses, CcAddresses, BccAddresses []string }
	Content          struct {
		Simple   *simple
		Raw      *struct{ Data []byte }
		Template *jsontext.Value
	}

	from                 *mail.Address
	to, cc, bcc, replyTo []*mail.Address
}

type simple struct {
	Subject     *content
	Body        *struct{ Text, Html *content } //nolint:revive // SES's own spelling
	Headers     []struct{ Name, Value string }
	Attachments []jsontext.Value
}

func badRequest(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, "BadRequestException", fmt.Sprintf(format, args...)}
}

func decode(body []byte) (*request, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, badRequest("the request is not valid JSON for SendEmail: %v", err)
	}
	if err := r.checkAddresses(); err != nil {
		return nil, err
	}
	switch c := r.Content; {
	case c.Template != nil:
		return nil, badRequest("the local SES does not support templates: send Simple or Raw content")
	case (c.Simple == nil) == (c.Raw == nil):
		return nil, badRequest("Content needs exactly one of Simple and Raw")
	case c.Simple != nil:
		return &r, r.checkSimple()
	default:
		return &r, nil
	}
}

func (r *request) checkAddresses() error {
	d := r.Destination
	for _, list := range []struct {
		into *[]*mail.Address
		from []string
	}{{&r.to, d.ToAddresses}, {&r.cc, d.CcAddresses}, {&r.bcc, d.BccAddresses}, {&r.replyTo, r.ReplyToAddresses}} {
		for _, text := range list.from {
			address, err := parseAddress(text)
			if err != nil {
				return err
			}
			*list.into = append(*list.into, address)
		}
	}
	if len(r.recipients()) > maxRecipients {
		return badRequest("Recipient count exceeds %d.", maxRecipients)
	}
	if r.FromEmailAddress == "" {
		return nil // a Raw message may have a From header instead
	}
	var err error
	r.from, err = parseAddress(r.FromEmailAddress)
	return err
}

func (r *request) recipients() []*mail.Address { return slices.Concat(r.to, r.cc, r.bcc) }

// parseAddress is as strict as SES: only the display name may contain non-ASCII characters.
func parseAddress(text string) (*mail.Address, error) {
	address, err := mail.ParseAddress(text)
	if err != nil || hasControlCharacter(text) {
		return nil, badRequest("%.100q is not a valid email address", text)
	}
	if strings.ContainsFunc(address.Address, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, badRequest("Local address contains control or whitespace, or the address is not ASCII: %.100q", text)
	}
	if len(address.Address) > 320 {
		return nil, badRequest("an email address is longer than 320 characters")
	}
	return address, nil
}

func (r *request) checkSimple() error {
	s := r.Content.Simple
	switch {
	case r.from == nil:
		return badRequest("FromEmailAddress is required for Simple content")
	case len(r.recipients()) == 0:
		return badRequest("Destination needs at least one recipient")
	case s.Subject == nil:
		return badRequest("Simple content needs a Subject")
	case s.Body == nil || s.Body.Text == nil && s.Body.Html == nil:
		return badRequest("Simple content needs a Body with Text or Html")
	case len(s.Attachments) > 0:
		return badRequest("the local SES supports attachments only in Raw content")
	case hasControlCharacter(s.Subject.Data):
		return badRequest("the Subject contains a control character")
	}
	for _, c := range []*content{s.Subject, s.Body.Text, s.Body.Html} {
		if err := c.check(); err != nil {
			return err
		}
	}
	return s.checkHeaders()
}

func (s *simple) checkHeaders() error {
	if len(s.Headers) > maxHeaders {
		return badRequest("the message has more than %d Headers", maxHeaders)
	}
	for _, h := range s.Headers {
		if !isAllowedHeaderName(h.Name) {
			return badRequest("the header name %.80q is not allowed", h.Name)
		}
		if len(h.Value) > maxHeaderValueChars || strings.ContainsFunc(h.Value, func(c rune) bool { return c < ' ' || c > '~' }) {
			return badRequest("the value of the header %q must be printable ASCII of at most %d characters", h.Name,
				maxHeaderValueChars)
		}
	}
	return nil
}

// isAllowedHeaderName is false, as in SES, for headers that SES sets from other members of the
// request.
func isAllowedHeaderName(name string) bool {
	if name == "" || len(name) > 126 || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c > '~' || c == ':' }) {
		return false
	}
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	return !strings.HasPrefix(canonical, "Content-") && !slices.Contains([]string{
		"Bcc", "Cc", "Date", "From", "Message-Id", "Mime-Version", "Received", "Reply-To", "Return-Path",
		"Sender", "Subject", "To", envelopeHeader,
	}, canonical)
}

func hasControlCharacter(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }
