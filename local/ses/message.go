package ses

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Limits for reading a message, because files in the folder are untrusted.
const (
	maxDepth = 6
	maxParts = 100
)

// summary is a message's entry in the list.
type summary struct {
	ID      string    `json:"id"`
	From    string    `json:"from"`
	To      []string  `json:"to"` // addresses of all recipients, without names
	Subject string    `json:"subject"`
	Date    time.Time `json:"date"`
}

// message is a complete message. Text and HTML are the first part of each type.
type message struct {
	summary
	Headers []headerField `json:"headers"`
	Text    string        `json:"text"`
	HTML    string        `json:"html"`
	Links   []string      `json:"links"` // distinct links of both parts, in order of appearance
}

type headerField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// parse reads as much of a message as possible. It fails only if the header is unreadable.
func parse(id string, text []byte) (*message, error) {
	raw, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("message %s is not readable: %w", id, err)
	}
	m := &message{summary: summarize(id, raw.Header), Headers: fields(raw.Header)}
	walk := walker{message: m}
	walk.part(part{header: raw.Header, body: raw.Body}, 0)
	m.Links = append(textLinks(m.Text), htmlLinks(m.HTML)...)
	m.Links = unique(m.Links)
	return m, nil
}

func summarize(id string, h mail.Header) summary {
	date, err := h.Date()
	if err != nil {
		date, _ = time.Parse(timeLayout, id[:min(len(id), len(timeLayout))])
	}
	s := summary{
		ID: id, From: decodeHeader(h.Get("From")), To: []string{}, Subject: decodeHeader(h.Get("Subject")), Date: date.UTC(),
	}
	for _, name := range []string{envelopeHeader, "To"} {
		if list, err := h.AddressList(name); err == nil {
			for _, a := range list {
				s.To = append(s.To, a.Address)
			}
			break
		}
	}
	return s
}

func fields(h mail.Header) []headerField {
	list := []headerField{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			list = append(list, headerField{name, decodeHeader(value)})
		}
	}
	return list
}

func decodeHeader(value string) string {
	decoder := mime.WordDecoder{}
	decoded, err := decoder.DecodeHeader(value)
	if err != nil {
		decoded = value
	}
	return strings.ToValidUTF8(decoded, "\uFFFD")
}

type part struct {
	header interface{ Get(string) string }
	body   io.Reader
}

// walker finds the first text part and the first HTML part.
type walker struct {
	*message
	seen int
}

func (w *walker) part(p part, depth int) {
	mediaType, params, err := mime.ParseMediaType(p.header.Get("Content-Type"))
	if err != nil {
		mediaType = "text/plain" // the default of RFC 2045
	}
	disposition, _, _ := mime.ParseMediaType(p.header.Get("Content-Disposition"))
	switch {
	case strings.HasPrefix(mediaType, "multipart/"):
		w.multipart(multipart.NewReader(p.body, params["boundary"]), depth)
	case disposition == "attachment":
	case mediaType == "text/plain" && w.Text == "":
		w.Text = toUTF8(params["charset"], p.decoded())
	case mediaType == "text/html" && w.HTML == "":
		w.HTML = toUTF8(params["charset"], p.decoded())
	}
}

func (w *walker) multipart(parts *multipart.Reader, depth int) {
	if depth == maxDepth {
		return
	}
	for w.seen < maxParts {
		next, err := parts.NextRawPart()
		if err != nil {
			return
		}
		w.seen++
		w.part(part{header: next.Header, body: next}, depth+1)
	}
}

// decoded decodes the body. It stops at the first error, without the rest of a broken part.
func (p part) decoded() string {
	body := p.body
	switch strings.ToLower(p.header.Get("Content-Transfer-Encoding")) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	text, _ := io.ReadAll(io.LimitReader(body, maxFileBytes))
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

var (
	urlPattern  = regexp.MustCompile(`https?://[^\s<>"]+`)
	hrefPattern = regexp.MustCompile(`(?i)\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')`)
)

// A span is a piece of text. It is a link if URL is set.
type span struct{ Text, URL string }

// spans splits a text at its links. Punctuation at the end of a URL does not belong to the link.
func spans(text string) []span {
	var list []span
	end := 0
	for _, at := range urlPattern.FindAllStringIndex(text, -1) {
		url := strings.TrimRight(text[at[0]:at[1]], ".,;:!?)]}'*")
		list = append(list, span{Text: text[end:at[0]]}, span{Text: url, URL: url})
		end = at[0] + len(url)
	}
	return append(list, span{Text: text[end:]})
}

func textLinks(text string) []string {
	links := []string{}
	for _, s := range spans(text) {
		if s.URL != "" {
			links = append(links, s.URL)
		}
	}
	return links
}

func htmlLinks(text string) []string {
	var links []string
	for _, match := range hrefPattern.FindAllStringSubmatch(text, -1) {
		url := html.UnescapeString(match[1] + match[2])
		if urlPattern.MatchString(url) && strings.HasPrefix(url, "http") {
			links = append(links, url)
		}
	}
	return links
}

func unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool {
		defer func() { seen[s] = true }()
		return seen[s]
	})
}
