// Package mediapdf makes a document of a PDF.
//
// pdfcpu reads the objects: cross references, object streams, encryption with an empty user password. The text is ours: a PDF
// says where glyphs go, not what they say in which order. Content streams are run as far as text needs it (content.go),
// codes become characters (fonts.go, cmap.go, glyphs.go), glyphs become words and lines (words.go, lines.go), and pages are cut
// into columns before anything is put in order (columns.go), for sorting lines by height alone mixes the columns of a page.
// Then rows of cells become tables (tables.go), and lines become headings, list items and paragraphs (blocks.go).
//
// Every file comes from a stranger. What must stay true: no stream is decoded but through [file.decode], which has one budget
// for the whole document; every walk over objects has a visited set or a cap; operators and glyphs are counted; and what
// panics all the same, in a library too, is a damaged file and no crash. A file that pdfcpu refuses gets a second chance in
// salvage.go, which writes the objects that it finds into a fresh file.
package mediapdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"portside/shared/media"
)

// maxSize bounds a file, which has to be in memory as a whole.
const maxSize = 64 << 20

// Read is a [media.Reader].
func Read(ctx context.Context, source media.Source, into *media.Builder) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("%w (%v)", media.ErrDamaged, thrown)
		}
	}()
	data, err := source.Bytes(maxSize)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return media.ErrEmpty
	}
	f, err := openFile(ctx, data, into.Limits)
	if err != nil {
		return err
	}
	into.Title(f.title())
	pages, err := f.readPages(ctx)
	if emitted := emit(pages, into); emitted != nil {
		return emitted
	}
	return verdict(f, pages, err)
}

// verdict is what to say of a file after its pages were read and given on.
func verdict(f *file, pages []page, err error) error {
	hasText := false
	for _, p := range pages {
		hasText = hasText || len(p.blocks) > 0
	}
	switch {
	case err != nil:
		return err
	case hasText:
		return nil
	case f.damaged || len(pages) == 0:
		return media.ErrDamaged
	}
	return media.ErrNoText
}

// openFile reads the objects of a file, mended if need be.
func openFile(ctx context.Context, data []byte, limits media.Limits) (*file, error) {
	f, err := parse(ctx, data, limits)
	if err == nil && f.hasPages() {
		return f, nil
	}
	if settled(ctx, err) {
		return nil, errors.Join(ctx.Err(), err)
	}
	mended, budget, err := salvage(ctx, data, limits)
	if err != nil {
		return nil, err
	}
	limits.Inflated = budget
	f, err = parse(ctx, mended.data, limits)
	if settled(ctx, err) {
		return nil, errors.Join(ctx.Err(), err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", media.ErrDamaged, err)
	}
	f.damaged, f.strays = true, mended.pages
	return f, nil
}

// settled reports whether another attempt could not change the outcome.
func settled(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, media.ErrEncrypted) || errors.Is(err, media.ErrTooMuch)
}
