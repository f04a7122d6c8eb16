package mediabedrock

import (
	"errors"
	"fmt"
	"strings"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media/mediaprompt"
)

const (
	pdfType      = "application/pdf"
	documentName = "document" // the model reads it, so it is constant and never the word of a stranger
)

// pictureBlocks returns the pictures as content of a message.
func pictureBlocks(pictures []documents.Picture) []contentBlock {
	var blocks []contentBlock
	for _, p := range pictures {
		blocks = append(blocks, pictureBlock(p))
	}
	return blocks
}

func pictureBlock(p documents.Picture) contentBlock {
	f := &file{Format: strings.TrimPrefix(p.MediaType, "image/")}
	f.Source.Bytes = p.Data
	if p.MediaType == pdfType {
		f.Name, f.Format = documentName, "pdf"
		return contentBlock{Document: f}
	}
	return contentBlock{Image: f}
}

// asPictureError returns ErrDamaged if the service refuses the picture; otherwise it returns err.
func asPictureError(err error) error {
	r, isException := errors.AsType[*exception](err)
	if isException && fault.As(err) == nil && r.code == "ValidationException" && mediaprompt.IsAboutPicture(r.message) {
		return fmt.Errorf("%w (%w)", documents.ErrDamaged, r)
	}
	return err
}
