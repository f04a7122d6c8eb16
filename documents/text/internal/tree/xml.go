package tree

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/charset"
	"portside/documents/text/internal/page"
)

// ReadXML reads XML.
func ReadXML(to page.Page, data []byte) error {
	return newXMLParser(data, to.Into.Limits).all(to)
}

func newXMLParser(data []byte, limits documents.Limits) *xmlParser {
	d := xml.NewDecoder(strings.NewReader(charset.Decode(data, charset.Declared(data))))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	return &xmlParser{nodeBudget: nodeBudget{left: limits.Blocks}, tokens: d, depth: limits.Depth}
}

// xmlParser builds elements from raw tokens, because the stack of the decoder is unbounded.
type xmlParser struct {
	nodeBudget
	tokens *xml.Decoder
	depth  int
	open   []*xmlElement
	deeper int // open elements beyond depth
	root   *node
}

// xmlElement is an open element.
type xmlElement struct {
	node  *node
	text  strings.Builder // all that is in it, for the case that it is prose
	mixed bool            // there is text in it that is in none of its children

	children bool
}

func (p *xmlParser) all(to page.Page) error {
	broken, err := p.tree(to.Context)
	if p.skipped {
		to.Into.Warn(tooDeep)
	}
	if p.root != nil {
		if adding := addEInvoice(to, p.root); adding != nil {
			return adding
		}
		if adding := addNode(to, p.root, ""); adding != nil {
			return adding
		}
	}
	switch {
	case errors.Is(err, errFull):
		return documents.ErrTooMuch
	case to.Context.Err() != nil:
		return to.Context.Err()
	case broken:
		return documents.ErrDamaged
	}
	return nil
}

// tree reads all elements. After an error, the tree has the elements before it.
func (p *xmlParser) tree(ctx context.Context) (isBroken bool, err error) {
	for err == nil {
		if err = ctx.Err(); err == nil {
			err = p.next()
		}
	}
	isBroken = !errors.Is(err, io.EOF) || len(p.open) > 0 || p.root == nil
	for len(p.open) > 0 {
		p.close()
	}
	return isBroken, err
}

func (p *xmlParser) next() error {
	token, err := p.tokens.RawToken()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case xml.StartElement:
		return p.start(token)
	case xml.EndElement:
		p.end(token.Name.Local)
	case xml.CharData:
		p.words(string(token))
	}
	return nil
}

func (p *xmlParser) start(e xml.StartElement) error {
	if len(p.open) >= p.depth {
		p.deeper++
		p.skipped = true
		return nil
	}
	n := p.newNode(object, e.Name.Local)
	if n == nil {
		return errFull
	}
	for _, a := range e.Attr {
		if a.Name.Space == "xmlns" || a.Name.Local == "xmlns" || a.Name.Space == "xsi" || strings.TrimSpace(a.Value) == "" {
			continue
		}
		part := p.newNode(leaf, a.Name.Local)
		if part == nil {
			return errFull
		}
		part.text = a.Value
		n.parts = append(n.parts, part)
	}
	p.open = append(p.open, &xmlElement{node: n})
	return nil
}

func (p *xmlParser) words(text string) {
	if len(p.open) == 0 || p.deeper > 0 {
		return
	}
	e := p.open[len(p.open)-1]
	e.mixed = e.mixed || strings.TrimSpace(text) != ""
	e.text.WriteString(text)
}

// end closes the innermost element of the name and the elements in it. An end tag without a start tag closes nothing.
func (p *xmlParser) end(name string) {
	if p.deeper > 0 {
		p.deeper--
		return
	}
	for i, e := range slices.Backward(p.open) {
		if e.node.name == name {
			for len(p.open) > i {
				p.close()
			}
			return
		}
	}
}

// close converts the innermost element to a node and adds it to its parent.
func (p *xmlParser) close() {
	e := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	n := simplified(e)
	if len(p.open) == 0 {
		if p.root == nil {
			p.root = n
		}
		return
	}
	around := p.open[len(p.open)-1]
	if around.children && !around.mixed {
		around.text.WriteByte(' ')
	}
	around.text.WriteString(e.text.String())
	around.children = true
	around.node.parts = append(around.node.parts, n)
}

// simplified turns an element without child elements into a text, and an element with elements between its text into
// prose.
func simplified(e *xmlElement) *node {
	n := e.node
	text := strings.TrimSpace(oneLine.Replace(e.text.String()))
	switch {
	case len(n.parts) == 0 && text == "":
		n.kind = leaf
	case len(n.parts) == 0:
		n.kind, n.text = leaf, text
		if isProseName[strings.ToLower(n.name)] {
			n.kind = prose
		}
	case e.mixed && !e.children:
		n.parts = append(n.parts, &node{text: text})
	case e.mixed:
		*n = node{name: n.name, kind: prose, text: text}
	default:
		n.parts = grouped(n.parts)
	}
	return n
}

var oneLine = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")

// isProseName are the usual names of elements for paragraphs.
var isProseName = map[string]bool{"p": true, "para": true, "paragraph": true, "text": true, "tspan": true}

// grouped combines parts with the same name that follow each other into a list.
func grouped(parts []*node) []*node {
	groups := parts[:0:0]
	for i := 0; i < len(parts); {
		end := i + 1
		for end < len(parts) && parts[end].name == parts[i].name && parts[i].kind != prose {
			end++
		}
		if end == i+1 {
			groups = append(groups, parts[i])
		} else {
			groups = append(groups, &node{kind: list, name: parts[i].name, parts: parts[i:end]})
		}
		i = end
	}
	return groups
}
