package media_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"portside/shared/media"
	"portside/shared/testkit"
)

// A defect looks like a damaged file to the caller, and like a defect to whoever can mend it.
func TestPanicsOfReadersAreToldApart(t *testing.T) {
	logged := testkit.CaptureLogs(t)
	for name, test := range map[string]struct {
		read  func([]byte)
		wants string
	}{
		"of the runtime": {func(none []byte) { none[3] = 0 }, "index out of range [3] with length 0"},
		"of a library":   {func([]byte) { panic("cannot read: Dear Ada, the merger is off") }, "a string"},
	} {
		logged.Reset()
		err := careless(t.Context(), test.read)
		if !errors.Is(err, media.ErrDamaged) || !errors.Is(err, media.ErrDefect) {
			t.Errorf("%s: %v", name, err)
		}
		if log := logged.String(); !strings.Contains(log, test.wants) || !strings.Contains(log, "careless") || strings.Contains(log, "Ada") {
			t.Errorf("%s: logged %s", name, log)
		}
	}
	if err := careless(t.Context(), func([]byte) {}); err != nil || !errors.Is(careless(t.Context(), nil), context.Canceled) {
		t.Errorf("where nothing panics: %v", err)
	}
}

func careless(ctx context.Context, read func([]byte)) (err error) {
	defer media.Survive(ctx, &err)
	if read == nil {
		return context.Canceled
	}
	read(nil)
	return nil
}
