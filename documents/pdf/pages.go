package pdf

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"portside/documents"
	"portside/documents/pdf/internal/annotations"
	"portside/documents/pdf/internal/content"
	"portside/documents/pdf/internal/images"
	"portside/documents/pdf/internal/layout"
	"portside/documents/pdf/internal/pages"
	"portside/documents/pdf/internal/xref"
)

// maxDrawnBytes bounds the bytes of all images of a file, as they are decoded and drawn.
const maxDrawnBytes = 384 << 20

// page is a page that was read.
type page struct {
	blocks []layout.Block
	scans  []images.Scan // of a scanned page
}

// warningFonts names text that fonts do not tell.
const warningFonts = "Some text is in fonts that do not say which characters they show, and could not be read. Send the document " +
	"that the PDF was made of."

// readPages reads the pages that were found. With an error it returns the pages in front of it. If the file
// has more pages than the limit, it returns one empty page beyond the limit, so that the Builder adds
// its warning.
func readPages(
	ctx context.Context, file *xref.File, document *content.Document, found []pages.Page,
) ([]page, error) {
	limits := file.Budget.Limits
	var read []page
	textBytes, parts := 0, 0
	for _, source := range found {
		if err := ctx.Err(); err != nil {
			return read, fmt.Errorf("read the pages: %w", err)
		}
		if len(read) == limits.Pages {
			return append(read, page{}), nil
		}
		p, err := readPage(ctx, file, document, source)
		for i := range p.blocks {
			textBytes += p.blocks[i].TextBytes()
			parts += p.blocks[i].Parts()
		}
		read = append(read, p)
		if err == nil && (textBytes > limits.Text || parts > limits.Blocks) {
			err = documents.ErrTooMuch
		}
		if err != nil {
			return read, err
		}
	}
	return read, nil
}

// readPage reads a page. With an error it returns the blocks in front of it.
func readPage(ctx context.Context, file *xref.File, document *content.Document, source pages.Page) (page, error) {
	frame := source.Frame(file.Objects)
	stream, err := source.Contents(file)
	if err != nil {
		return page{}, err
	}
	in := content.NewInterpreter(document, frame)
	file.Expect(source.Resources)
	err = in.Run(stream, file.Objects.Dict(source.Resources))
	if err == nil {
		err = annotations.Interpret(file, source, frame, in)
	}
	blocks, layoutErr := layout.Blocks(ctx, in.Glyphs)
	return page{blocks, images.Find(in.Glyphs, in.Images, frame)}, cmp.Or(err, layoutErr)
}

// writePages adds the pages to a document. An error about images does not keep it from adding the text of
// later pages, because rendering images takes time and the text is ready.
func writePages(ctx context.Context, file *xref.File, read []page, into *documents.Builder) error {
	file.Budget.SetBytes(maxDrawnBytes)
	renderer := &images.Renderer{Objects: file.Objects, Decoder: file.Decoder, Budget: file.Budget}
	outline := layout.NewOutline(blocksOf(read))
	var imageErr error
	for _, p := range read {
		if !into.Page() {
			return imageErr
		}
		if imageErr == nil {
			imageErr = addPictures(ctx, renderer, p.scans, into)
		}
		if err := outline.AddTo(into, p.blocks); err != nil {
			return err
		}
	}
	return imageErr
}

func blocksOf(read []page) [][]layout.Block {
	blocks := make([][]layout.Block, len(read))
	for i, p := range read {
		blocks[i] = p.blocks
	}
	return blocks
}

// addPictures adds the pictures of a page to the document, as long as it takes any.
func addPictures(
	ctx context.Context, renderer *images.Renderer, scans []images.Scan, into *documents.Builder,
) error {
	for _, s := range scans {
		if !into.TakesPictures() {
			into.Picture(documents.Picture{}) // adds the warning that pictures are left out
			return nil
		}
		p, err := renderer.Render(s)
		switch {
		case err == nil:
			into.Picture(p)
		case ctx.Err() != nil:
			return err
		case errors.Is(err, images.ErrImage) || errors.Is(err, documents.ErrTooMuch):
			into.Warn("Some pages are images in a format that is not supported. They were left out.")
		default:
			return err
		}
	}
	return nil
}
