package mediafiles_test

import (
	"errors"
	"testing"

	"portside/shared/media"
	"portside/shared/media/mediafiles"
	"portside/shared/media/mediatracks"
)

// thrower stands for a defect of a reader, or of a library below it.
type thrower struct{}

func (thrower) ReadAt([]byte, int64) (int, error) { panic("a defect") }

func TestNoReaderEndsTheProcess(t *testing.T) {
	file, limits := media.Source{ReaderAt: thrower{}, Size: 100}, media.DefaultLimits()
	for format, read := range mediafiles.Readers() {
		if err := read(t.Context(), file, media.NewBuilder(format, limits)); !errors.Is(err, media.ErrDefect) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if format, err := mediafiles.Detect(limits)(t.Context(), file); format != "" || !errors.Is(err, media.ErrDefect) {
		t.Errorf("detecting: %q, %v", format, err)
	}
	if heard, warnings, err := mediatracks.Captions(t.Context(), file); len(heard)+len(warnings) > 0 || !errors.Is(err, media.ErrDefect) {
		t.Errorf("captions: %v, %v, %v", heard, warnings, err)
	}
}
