package files_test

import (
	"errors"
	"testing"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/documents/tracks"
)

// thrower is a source that panics, as a defect of a reader or a library would.
type thrower struct{}

func (thrower) ReadAt([]byte, int64) (int, error) { panic("a defect") }

func TestReadersRecoverFromPanics(t *testing.T) {
	file, limits := documents.Source{ReaderAt: thrower{}, Size: 100}, documents.DefaultLimits()
	for format, read := range files.Readers() {
		if err := read(t.Context(), file, documents.NewBuilder(format, limits)); !errors.Is(err, documents.ErrPanic) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if format, err := kind.Detect(t.Context(), file, limits); format != "" || !errors.Is(err, documents.ErrPanic) {
		t.Errorf("detecting: %q, %v", format, err)
	}
	if heard, warnings, err := tracks.Captions(t.Context(), file); len(heard)+len(warnings) > 0 ||
		!errors.Is(err, documents.ErrPanic) {
		t.Errorf("captions: %v, %v, %v", heard, warnings, err)
	}
}
