package parts

import (
	"context"
	"errors"
	"fmt"

	"portside/documents"
)

// ErrLastPage ends a reader without an error, because the Builder takes no more pages.
var ErrLastPage = errors.New("no more pages are read")

// Read opens the archive for a reader and converts its errors to those of package documents.
func Read(ctx context.Context, file documents.Source, into *documents.Builder, reader func(*Archive) error) (err error) {
	defer documents.RecoverPanic(&err)
	a, err := open(ctx, file, into)
	if err == nil {
		err = reader(a)
		if inWords(err) == nil {
			a.warnOfEnclosed()
		}
		preparePictures(ctx, into)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return inWords(err)
}

func inWords(err error) error {
	switch {
	case err == nil || errors.Is(err, ErrLastPage):
		return nil
	case documents.AsError(err) != nil:
		return err
	}
	return fmt.Errorf("%w: %w", documents.ErrDamaged, err)
}
