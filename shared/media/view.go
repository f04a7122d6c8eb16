package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"portside/documents"
	"portside/shared/core/fault"
)

// Viewer reads what pictures say.
type Viewer interface {
	// Version names the viewer and its model. Answers are kept by it, as by that of the engine.
	Version() string
	// Takes reports whether pictures of a media type can be viewed, and how large they may be in bytes; 0 is no.
	Takes(mediaType string) int64
	// View returns what is written and shown in a picture, in reading order, with pages and offsets unset. Errors: ErrDamaged
	// and ErrTooMuch for a picture that cannot be shown to a model; those of the model.
	View(ctx context.Context, p documents.Picture) ([]documents.Block, error)
}

// ErrNoViewer is why a picture has no words where there is nothing to view it with.
var ErrNoViewer = fault.New(fault.Unprocessable, "Pictures are not read here. Whoever runs this service can have it done: "+
	"by the template's MediaVisionModel.")

// NoViewer is the Viewer where none is configured.
type NoViewer struct{}

// Version implements [Viewer].
func (NoViewer) Version() string { return "none" }

// Takes is 0 for everything.
func (NoViewer) Takes(string) int64 { return 0 }

// View returns ErrNoViewer.
func (NoViewer) View(context.Context, documents.Picture) ([]documents.Block, error) {
	return nil, ErrNoViewer
}

// maxConcurrentViews is how many pictures of one file are viewed at the same time.
const maxConcurrentViews = 4

// view replaces the pictures of the document by their text. A picture that cannot be read becomes a warning, unless the
// document has nothing else. Errors that may pass are returned.
func (s *Service) view(ctx context.Context, into *documents.Builder) error {
	pictures := into.Pictures()
	if len(pictures) == 0 {
		return nil
	}
	texts := s.viewAll(ctx, pictures)
	for _, t := range texts {
		if t.Err != nil && transient(t.Err) {
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
	slots := make(chan struct{}, maxConcurrentViews)
	var running sync.WaitGroup
	for i, picture := range pictures {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			texts[i].Blocks, texts[i].Err = s.Viewer.View(ctx, picture)
		})
	}
	running.Wait()
	return texts
}

// isPermanent reports whether the picture is the cause of the error, rather than the viewer.
func isPermanent(err error) bool {
	return errors.Is(err, documents.ErrDamaged) || errors.Is(err, documents.ErrTooMuch)
}

// viewWholeFile has a PDF viewed as one picture if its reader found neither text nor pictures: its fonts or pictures need
// a model.
func (s *Service) viewWholeFile(file documents.Source, format documents.Format, into *documents.Builder) error {
	const mediaType = "application/pdf"
	if format != documents.PDF || !into.IsEmpty() || file.Size > s.Viewer.Takes(mediaType) {
		return nil
	}
	data, err := file.Bytes(s.Viewer.Takes(mediaType))
	if err != nil {
		return fmt.Errorf("read a PDF: %w", err)
	}
	into.UsePicture(documents.Picture{MediaType: mediaType, Data: data})
	return nil
}
