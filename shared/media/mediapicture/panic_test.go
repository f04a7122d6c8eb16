package mediapicture_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"portside/shared/media"
	"portside/shared/media/mediapicture"
)

type thrower struct{}

func (thrower) ReadAt([]byte, int64) (int, error) { panic("a defect") }

// A defect looks like a damaged file to the caller, and like a defect to whoever can mend it.
func TestPanicsAreLogged(t *testing.T) {
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&logged, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	limits := media.DefaultLimits()
	into := media.NewBuilder(media.Image, limits)
	err := mediapicture.Read(t.Context(), media.Source{ReaderAt: thrower{}, Size: 100}, into)
	if !errors.Is(err, media.ErrDamaged) || !strings.Contains(logged.String(), "a defect") || !strings.Contains(logged.String(), "ReadAt") {
		t.Errorf("%v, logged %s", err, logged.String())
	}
}
