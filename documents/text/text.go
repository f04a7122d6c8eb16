// Package text reads the formats that are text: plain text, Markdown, HTML, CSV, JSON, XML, RTF, mail and subtitles.
//
// Each reader takes what a person would see and keeps its structure: headings, lists, tables, pairs of names and values. What a
// person would not see (scripts, comments, hidden elements, deleted text) is left out, since it is where words are put that only a
// machine is meant to read.
//
// The files come from strangers, so all readers share one frame: the file is read up to a bound, a panic counts as damage, the
// context is looked at for every piece. None builds a tree that can grow beyond the limits, none recurses without a cap, and each
// takes time in proportion to the file: that is why pages are read from their tokens and not with a parser that follows the
// standard, whose mending of bad nesting is quadratic.
package text

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"portside/documents"
)

// maxFile is how much of a file is read. What is longer is no text that somebody wrote.
const maxFile = 32 << 20

var (
	_ documents.Reader = ReadText
	_ documents.Reader = ReadMarkdown
	_ documents.Reader = ReadHTML
	_ documents.Reader = ReadCSV
	_ documents.Reader = ReadJSON
	_ documents.Reader = ReadXML
	_ documents.Reader = ReadRTF
	_ documents.Reader = ReadMail
	_ documents.Reader = ReadCaptions
)

// page is where blocks go: the builder, with the context looked at on the way.
type page struct {
	ctx  context.Context //nolint:containedctx // lives as long as the one call that reads the file
	into *documents.Builder
}

func (p page) add(b documents.Block) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return p.into.Add(b)
}

// addAll adds the blocks in their order.
func (p page) addAll(blocks []documents.Block) error {
	for _, b := range blocks {
		if err := p.add(b); err != nil {
			return err
		}
	}
	return nil
}

func (p page) field(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return nil
	}
	return p.add(field(name, value))
}

func field(name, value string) documents.Block {
	return documents.Block{Kind: documents.Field, Cells: []documents.Cell{{Text: name, Header: true}, {Text: value, Column: 1}}}
}

// whole reads the file and gives it to parse. Of a file beyond the bound the beginning is parsed, and media.ErrTooMuch returned.
func whole(to page, file documents.Source, parse func(to page, data []byte) error) (err error) {
	defer documents.RecoverPanic(&err)
	if err := to.ctx.Err(); err != nil {
		return err
	}
	data := make([]byte, max(0, min(file.Size, maxFile, to.into.Limits.Inflated)))
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
