// Package page is where the formats that are text put their blocks.
package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"portside/documents"
)

// MaxFile is how many bytes of a file are read. Nobody writes longer texts.
const MaxFile = 32 << 20

// Page adds blocks to the builder and checks the context for each.
type Page struct {
	Context context.Context //nolint:containedctx // lives as long as the one call that reads the file
	Into    *documents.Builder
}

// New returns the page of one call.
func New(ctx context.Context, into *documents.Builder) Page { return Page{Context: ctx, Into: into} }

// Add adds a block, unless the call was canceled.
func (p Page) Add(b documents.Block) error {
	if err := p.Context.Err(); err != nil {
		return err
	}
	return p.Into.Add(b)
}

// AddAll adds blocks in their order.
func (p Page) AddAll(blocks []documents.Block) error {
	for _, b := range blocks {
		if err := p.Add(b); err != nil {
			return err
		}
	}
	return nil
}

// Field adds a name and a value, unless the value is empty.
func (p Page) Field(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return nil
	}
	return p.Add(Field(name, value))
}

// Field returns a name and a value.
func Field(name, value string) documents.Block {
	return documents.Block{Kind: documents.Field, Cells: []documents.Cell{{Text: name, Header: true}, {Text: value, Column: 1}}}
}

// Whole reads the file and passes it to parse. If the file is too long, it passes the beginning and returns ErrTooMuch.
func Whole(to Page, file documents.Source, parse func(to Page, data []byte) error) (err error) {
	defer documents.RecoverPanic(&err)
	if err := to.Context.Err(); err != nil {
		return err
	}
	data := make([]byte, max(0, min(file.Size, MaxFile, to.Into.Limits.Inflated)))
	n, err := file.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the file: %w", err)
	}
	err = parse(to, data[:n])
	if cut := file.Size > int64(len(data)); cut && (err == nil || errors.Is(err, documents.ErrDamaged)) {
		return documents.ErrTooMuch
	}
	return err
}
