package parts

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"portside/documents"
	"portside/documents/charset"
)

const (
	maxToken  = 4 << 20   // bytes of one tag or one stretch of text
	maxTokens = 6_000_000 // tokens and attributes in an archive; reading them takes some seconds
	checkedAt = 512       // tokens between two checks of the context
	maxID     = 256       // bytes; comparing longer IDs would take time
	partCosts = 100       // opening a part counts as this many tokens
)

var errEntities = errors.New("the document type declares entities")

// Element is the start tag of an XML element. Its attributes have their prefixes.
type Element struct {
	Name  string
	Space string // the prefix
	Attrs []xml.Attr
}

// Attr returns the attribute with the local name, or "".
func (e Element) Attr(local string) string {
	for i := range e.Attrs {
		if e.Attrs[i].Name.Local == local {
			return e.Attrs[i].Value
		}
	}
	return ""
}

// ID returns an attribute that other elements refer to; empty if it is too long.
func (e Element) ID(local string) string {
	if id := e.Attr(local); len(id) <= maxID {
		return id
	}
	return ""
}

// Reference returns the attribute with a prefix, such as r:id rather than id.
func (e Element) Reference(local string) string {
	for i := range e.Attrs {
		if e.Attrs[i].Name.Local == local && e.Attrs[i].Name.Space != "" {
			return e.Attrs[i].Value
		}
	}
	return ""
}

// Number returns the attribute as a number, or the fallback if it has none.
func (e Element) Number(local string, fallback int) int {
	n, err := strconv.Atoi(e.Attr(local))
	if err != nil {
		return fallback
	}
	return n
}

// On reports whether a toggle property of Office is on: <w:b/> is, and any value except those that mean off.
func (e Element) On() bool {
	switch strings.ToLower(e.Attr("val")) {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// IsTrue reports whether the value of an attribute is true.
func IsTrue(value string) bool { return value == "1" || value == "true" }

// Scanner reads an XML part. It ignores an end tag without a start tag. An end tag also closes the elements in its
// element that are still open.
type Scanner struct {
	a       *Archive
	decoder *xml.Decoder
	from    *pacer
	open    []string

	unchecked int // tokens since the last check of the context
}

func newScanner(a *Archive, from io.Reader) *Scanner {
	s := &Scanner{a: a, from: &pacer{from: charset.NewReader(from)}}
	s.decoder = xml.NewDecoder(s.from)
	s.decoder.Strict = false
	s.decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8 already
	return s
}

// Content calls back for the child elements and the text of the innermost open element. It skips the part of a child
// that the callback does not read.
func (s *Scanner) Content(child func(Element) error, text func([]byte)) error {
	depth := len(s.open)
	for {
		token, err := s.next()
		if errors.Is(err, io.EOF) && depth == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = s.visit(depth, t, child)
		case xml.CharData:
			if text != nil {
				text(t)
			}
		}
		if err != nil || len(s.open) < depth {
			return err
		}
	}
}

func (s *Scanner) visit(depth int, start xml.StartElement, child func(Element) error) error {
	if err := child(Element{Name: start.Name.Local, Space: start.Name.Space, Attrs: start.Attr}); err != nil {
		return err
	}
	for len(s.open) > depth {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

// Children is content without the text.
func (s *Scanner) Children(child func(Element) error) error { return s.Content(child, nil) }

// Text returns the text of the innermost open element and of all elements in it.
func (s *Scanner) Text() (string, error) {
	var out strings.Builder
	err := s.AppendText(&out)
	return out.String(), err
}

// AppendText is Text, into out.
func (s *Scanner) AppendText(out *strings.Builder) error {
	err := s.Content(
		func(Element) error { return s.AppendText(out) },
		func(text []byte) { s.Write(out, text) },
	)
	if err == nil && out.Len() > s.a.Into.Limits.Text {
		return documents.ErrTooMuch
	}
	return err
}

// Write adds text up to the limit of a document. Adding the block then returns ErrTooMuch.
func (s *Scanner) Write(out *strings.Builder, text []byte) {
	if out.Len() <= s.a.Into.Limits.Text {
		out.Write(text)
	}
}

// next returns the next token and updates the open elements.
func (s *Scanner) next() (xml.Token, error) {
	for {
		token, err := s.raw()
		if err != nil {
			return s.atEnd(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(s.open) >= s.a.Into.Limits.Depth {
				err = s.leaveOut()
				break
			}
			s.open = append(s.open, t.Name.Local)
			return token, nil
		case xml.EndElement:
			if s.end(t.Name.Local) {
				return token, nil
			}
		case xml.CharData:
			return token, nil
		case xml.Directive:
			if bytes.Contains(t, []byte("<!ENTITY")) {
				return nil, errEntities
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

func (s *Scanner) end(name string) bool {
	for i, open := range slices.Backward(s.open) {
		if open == name {
			s.open = s.open[:i]
			return true
		}
	}
	return false
}

// leaveOut skips an element that is nested too deeply.
func (s *Scanner) leaveOut() error {
	s.a.Into.Warn("Parts that are nested too deeply were left out.")
	for depth := 1; depth > 0; {
		token, err := s.raw()
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

func (s *Scanner) raw() (xml.Token, error) {
	s.a.tokens--
	if s.a.tokens < 0 {
		return nil, documents.ErrTooMuch
	}
	if s.unchecked++; s.unchecked >= checkedAt {
		s.unchecked = 0
		if err := s.a.Context.Err(); err != nil {
			return nil, err
		}
	}
	s.from.used = 0
	token, err := s.decoder.RawToken()
	if start, ok := token.(xml.StartElement); ok {
		s.a.tokens -= len(start.Attr)
	}
	return token, err
}

// atEnd returns the error at the end of a part. If elements are open, the part is cut short.
func (s *Scanner) atEnd(err error) (xml.Token, error) {
	if !errors.Is(err, io.EOF) || len(s.open) == 0 {
		return nil, err
	}
	return nil, fmt.Errorf("an element is not closed: %w", io.ErrUnexpectedEOF)
}

// pacer limits the bytes of a token. The decoder reads it byte by byte, so it does not read ahead.
type pacer struct {
	from *bufio.Reader
	used int
}

func (p *pacer) ReadByte() (byte, error) {
	if p.used++; p.used > maxToken {
		return 0, documents.ErrTooMuch
	}
	return p.from.ReadByte()
}

func (p *pacer) Read(into []byte) (int, error) {
	if len(into) == 0 {
		return 0, nil
	}
	b, err := p.ReadByte()
	if err != nil {
		return 0, err
	}
	into[0] = b
	return 1, nil
}
