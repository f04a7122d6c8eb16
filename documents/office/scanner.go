package office

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

// element is the start tag of an XML element. Its attributes have their prefixes.
type element struct {
	name  string
	space string // the prefix
	attrs []xml.Attr
}

// attr returns the attribute with the local name, or "".
func (e element) attr(local string) string {
	for i := range e.attrs {
		if e.attrs[i].Name.Local == local {
			return e.attrs[i].Value
		}
	}
	return ""
}

// id returns an attribute that other elements refer to; empty if it is too long.
func (e element) id(local string) string {
	if id := e.attr(local); len(id) <= maxID {
		return id
	}
	return ""
}

// reference returns the attribute with a prefix, such as r:id rather than id.
func (e element) reference(local string) string {
	for i := range e.attrs {
		if e.attrs[i].Name.Local == local && e.attrs[i].Name.Space != "" {
			return e.attrs[i].Value
		}
	}
	return ""
}

// number returns the attribute as a number, or the fallback if it has none.
func (e element) number(local string, fallback int) int {
	n, err := strconv.Atoi(e.attr(local))
	if err != nil {
		return fallback
	}
	return n
}

// on reports whether a toggle property of Office is on: <w:b/> is, and any value except those that mean off.
func (e element) on() bool {
	switch strings.ToLower(e.attr("val")) {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// scanner reads an XML part. It ignores an end tag without a start tag. An end tag also closes the elements in its element that
// are still open.
type scanner struct {
	a       *archive
	decoder *xml.Decoder
	from    *pacer
	open    []string

	unchecked int // tokens since the last check of the context
}

func newScanner(a *archive, from io.Reader) *scanner {
	s := &scanner{a: a, from: &pacer{from: charset.NewReader(from)}}
	s.decoder = xml.NewDecoder(s.from)
	s.decoder.Strict = false
	s.decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8 already
	return s
}

// content calls back for the child elements and the text of the innermost open element. It skips the part of a child that the
// callback does not read.
func (s *scanner) content(child func(element) error, text func([]byte)) error {
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

func (s *scanner) visit(depth int, start xml.StartElement, child func(element) error) error {
	if err := child(element{name: start.Name.Local, space: start.Name.Space, attrs: start.Attr}); err != nil {
		return err
	}
	for len(s.open) > depth {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

// children is content without the text.
func (s *scanner) children(child func(element) error) error { return s.content(child, nil) }

// text returns the text of the innermost open element and of all elements in it.
func (s *scanner) text() (string, error) {
	var out strings.Builder
	err := s.appendText(&out)
	return out.String(), err
}

func (s *scanner) appendText(out *strings.Builder) error {
	err := s.content(
		func(element) error { return s.appendText(out) },
		func(text []byte) { s.write(out, text) },
	)
	if err == nil && out.Len() > s.a.into.Limits.Text {
		return documents.ErrTooMuch
	}
	return err
}

// write adds text up to the limit of a document. Adding the block then returns ErrTooMuch.
func (s *scanner) write(out *strings.Builder, text []byte) {
	if out.Len() <= s.a.into.Limits.Text {
		out.Write(text)
	}
}

// next returns the next token and updates the open elements.
func (s *scanner) next() (xml.Token, error) {
	for {
		token, err := s.raw()
		if err != nil {
			return s.atEnd(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(s.open) >= s.a.into.Limits.Depth {
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

func (s *scanner) end(name string) bool {
	for i, open := range slices.Backward(s.open) {
		if open == name {
			s.open = s.open[:i]
			return true
		}
	}
	return false
}

// leaveOut skips an element that is nested too deeply.
func (s *scanner) leaveOut() error {
	s.a.into.Warn("Parts that are nested too deeply were left out.")
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

func (s *scanner) raw() (xml.Token, error) {
	s.a.tokens--
	if s.a.tokens < 0 {
		return nil, documents.ErrTooMuch
	}
	if s.unchecked++; s.unchecked >= checkedAt {
		s.unchecked = 0
		if err := s.a.ctx.Err(); err != nil {
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
func (s *scanner) atEnd(err error) (xml.Token, error) {
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
