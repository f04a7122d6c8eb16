package tree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"portside/documents"
	"portside/documents/charset"
	"portside/documents/text/internal/page"
)

// ReadJSON reads JSON.
func ReadJSON(to page.Page, data []byte) error {
	d := json.NewDecoder(strings.NewReader(charset.Decode(data, "")))
	d.UseNumber()
	p := &jsonParser{nodeBudget: nodeBudget{left: to.Into.Limits.Blocks}, ctx: to.Context, tokens: d, depth: to.Into.Limits.Depth}
	return p.all(to)
}

type jsonParser struct {
	nodeBudget
	ctx    context.Context //nolint:containedctx // lives as long as the one call that reads the file
	tokens *json.Decoder
	depth  int // how much deeper it may get
}

var errFull = errors.New("as many values as can be read")

// all reads the values of the file. Several values count as a list.
func (p *jsonParser) all(to page.Page) error {
	values := &node{kind: list}
	var err error
	for err == nil {
		var value *node
		value, err = p.value("")
		if value != nil {
			values.parts = append(values.parts, value)
		}
	}
	if p.skipped {
		to.Into.Warn(tooDeep)
	}
	root := values
	if len(values.parts) == 1 {
		root = values.parts[0]
	}
	if adding := addNode(to, root, ""); adding != nil {
		return adding
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, errFull):
		return documents.ErrTooMuch
	case p.ctx.Err() != nil:
		return p.ctx.Err()
	}
	return documents.ErrDamaged
}

// value reads a value. With an error, it returns the part before the error.
func (p *jsonParser) value(name string) (*node, error) {
	token, err := p.token()
	if err != nil {
		return nil, err
	}
	return p.of(token, name)
}

func (p *jsonParser) token() (json.Token, error) {
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	return p.tokens.Token()
}

func (p *jsonParser) of(token json.Token, name string) (*node, error) {
	delim, nested := token.(json.Delim)
	switch {
	case nested && p.depth <= 0:
		p.skipped = true
		return nil, p.skip()
	case nested && (delim == '{' || delim == '['):
		return p.nested(delim, name)
	}
	n := p.newNode(leaf, name)
	if n == nil {
		return nil, errFull
	}
	if token != nil {
		n.text = fmt.Sprint(token)
	}
	return n, nil
}

func (p *jsonParser) nested(delim json.Delim, name string) (*node, error) {
	kind := object
	if delim == '[' {
		kind = list
	}
	n := p.newNode(kind, name)
	if n == nil {
		return nil, errFull
	}
	p.depth--
	defer func() { p.depth++ }()
	for {
		token, err := p.token()
		if err != nil {
			return n, unexpected(err)
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			return n, nil
		}
		part, err := p.part(kind, token)
		if part != nil {
			n.parts = append(n.parts, part)
		}
		if err != nil {
			return n, unexpected(err)
		}
	}
}

// part reads a value of a list, or the value after a key.
func (p *jsonParser) part(kind nodeKind, token json.Token) (*node, error) {
	if kind == list {
		return p.of(token, "")
	}
	key, ok := token.(string)
	if !ok {
		return nil, documents.ErrDamaged
	}
	return p.value(key)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// skip skips the rest of the object or list that was just opened, without recursion.
func (p *jsonParser) skip() error {
	for open := 1; open > 0; {
		token, err := p.token()
		if err != nil {
			return unexpected(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
	}
	return nil
}
