package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"portside/shared/core/fault"
)

// Picture is an image that may hold text: a photograph, a scan, what a page of a PDF is made of.
type Picture struct {
	Page      int    // of its document, from 1; 0 where there are none
	MediaType string // image/png, image/jpeg, image/gif, image/webp; or application/pdf, for a Viewer that takes it
	Data      []byte
}

// Viewer reads what pictures say.
type Viewer interface {
	// Version names the viewer and its model. Answers are kept by it, as by that of the engine.
	Version() string
	// Takes reports whether pictures of a media type can be viewed, and how large they may be in bytes; 0 is no.
	Takes(mediaType string) int64
	// View returns what is written and shown in a picture, in reading order, with pages and offsets unset. Errors: ErrDamaged
	// and ErrTooMuch for a picture that cannot be shown to a model; those of the model.
	View(ctx context.Context, p Picture) ([]Block, error)
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
func (NoViewer) View(context.Context, Picture) ([]Block, error) { return nil, ErrNoViewer }

// viewedAtOnce is how many pictures of a file are viewed at the same time.
const viewedAtOnce = 4

// view puts the words of the pictures into the document that is being built, each where its picture stands. A picture that
// cannot be read is told by a warning, unless there is nothing else to use.
func (s *Service) view(ctx context.Context, into *Builder) error {
	if len(into.pictures) == 0 {
		return nil
	}
	viewed := make([]view, len(into.pictures))
	slots := make(chan struct{}, viewedAtOnce)
	var running sync.WaitGroup
	for i := range into.pictures {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			viewed[i].blocks, viewed[i].err = s.Viewer.View(ctx, into.pictures[i].Picture)
		})
	}
	running.Wait()
	left, err := into.insert(viewed)
	if left != nil {
		slog.WarnContext(ctx, "a picture is left out", "error", left)
		into.doc.fleeting = into.doc.fleeting || !lasting(left)
	}
	return err
}

// lasting reports whether a picture is to blame for its error, and not who was asked to view it.
func lasting(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, ErrTooMuch) }

// view is what a picture came to.
type view struct {
	blocks []Block
	err    error
}

// viewWhole has a PDF viewed as it is, where no page of it gave text or a picture: its fonts or pictures are of a kind that
// only a model can make sense of.
func (s *Service) viewWhole(file Source, into *Builder) error {
	const whole = "application/pdf"
	if into.doc.Format != PDF || len(into.doc.Blocks)+len(into.pictures) > 0 || file.Size > s.Viewer.Takes(whole) {
		return nil
	}
	data, err := file.Bytes(s.Viewer.Takes(whole))
	if err != nil {
		return fmt.Errorf("read a PDF: %w", err)
	}
	into.doc.Pages = 0 // where on which page something stands is not known then
	into.pictures = []placed{{Picture: Picture{MediaType: whole, Data: data}}}
	return nil
}
