// Package text reads the formats that are text: plain text, Markdown, HTML, CSV, JSON, XML, RTF, mail and subtitles.
//
// Each reader keeps the text that a person would see, with its headings, lists, tables and pairs of names and values. It leaves
// out what a person would not see, such as scripts, comments, hidden elements and deleted text, because attackers put words there
// that only a machine is meant to read.
//
// Files come from strangers, so every reader bounds its time and memory. It reads at most 32 MB, checks the context for every
// block, limits the depth of its recursion and the size of its trees, and returns ErrDamaged after a panic. The time is
// proportional to the size of the file. For this reason HTML is read from its tokens: a parser that follows the standard takes
// quadratic time to repair wrong nesting.
package text

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"portside/documents"
)

// maxFile is how many bytes of a file are read. Nobody writes longer texts.
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

// page adds blocks to the builder and checks the context for each.
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

// addAll adds blocks in their order.
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

// whole reads the file and passes it to parse. If the file is too long, it passes the beginning and returns ErrTooMuch.
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
