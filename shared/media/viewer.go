package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/core/parallel"
)

// Viewer reads the text in pictures.
type Viewer interface {
	// Version identifies the viewer and its model. It is part of the key under which answers are cached.
	Version() string
	// MaxBytes returns how large a picture of the media type may be, or 0 if the viewer cannot view
	// pictures of that type.
	MaxBytes(mediaType string) int64
	// View returns the text and a description of a picture as blocks in reading order. It does not set
	// pages and offsets. Errors: documents.ErrDamaged and documents.ErrTooMuch for a picture that the
	// model cannot view; errors of the model.
	View(ctx context.Context, p documents.Picture) ([]documents.Block, error)
}

// ErrNoViewer means that a picture cannot be read because the service has no viewer.
var ErrNoViewer = fault.New(fault.Unprocessable, "This service does not read pictures. Send their text.")

// NoViewer is the Viewer if none is configured.
type NoViewer struct{}

// Version implements [Viewer].
func (NoViewer) Version() string { return "none" }

// MaxBytes returns 0.
func (NoViewer) MaxBytes(string) int64 { return 0 }

// View returns ErrNoViewer.
func (NoViewer) View(context.Context, documents.Picture) ([]documents.Block, error) {
	return nil, ErrNoViewer
}

// maxConcurrentViews is the number of pictures of one file that are viewed at the same time.
const maxConcurrentViews = 4

// viewPictures replaces the pictures of the document by their text. It leaves out a picture that
// cannot be read, with a warning, unless the document has nothing else. It returns errors that a
// retry may overcome.
func (s *Service) viewPictures(ctx context.Context, into *documents.Builder) error {
	pictures := into.Pictures()
	if len(pictures) == 0 {
		return nil
	}
	texts := s.viewAll(ctx, pictures)
	for _, t := range texts {
		if t.Err != nil && IsTransient(t.Err) {
			return t.Err
		}
	}
	err := into.InsertPictures(texts)
	if err == nil || into.IsEmpty() {
		return err
	}
	into.Warn("Some of the pictures could not be read.")
	slog.WarnContext(ctx, "a picture is left out", "error", err)
	if !isPermanent(err) {
		into.MarkIncomplete()
	}
	return nil
}

func (s *Service) viewAll(ctx context.Context, pictures []documents.Picture) []documents.PictureText {
	texts := make([]documents.PictureText, len(pictures))
	_ = parallel.Each(len(pictures), maxConcurrentViews, func(i int) error {
		texts[i].Blocks, texts[i].Err = s.Viewer.View(ctx, pictures[i])
		return nil // the text of a picture has its error
	})
	return texts
}

// isPermanent reports whether the picture is the cause of the error, rather than the viewer.
func isPermanent(err error) bool {
	return errors.Is(err, documents.ErrDamaged) || errors.Is(err, documents.ErrTooMuch)
}

// usePDFAsPicture makes the whole PDF one picture if its reader found neither text nor pictures,
// because its fonts or pictures can only be read by a model.
func (s *Service) usePDFAsPicture(
	file documents.Source, format documents.Format, into *documents.Builder,
) error {
	const mediaType = "application/pdf"
	if format != documents.PDF || !into.IsEmpty() || file.Size > s.Viewer.MaxBytes(mediaType) {
		return nil
	}
	data, err := file.Bytes(s.Viewer.MaxBytes(mediaType))
	if err != nil {
		return fmt.Errorf("read a PDF: %w", err)
	}
	into.UsePicture(documents.Picture{MediaType: mediaType, Data: data})
	return nil
}
