package versions_test

import (
	"context"
	"errors"
	"testing"

	"portside/shared/core/versions"
)

// contendedResource is changed by other writers during its first writes.
type contendedResource struct {
	version, others int64 // others is the number of writes that other writers still interfere with
	writes          int
}

func (x *contendedResource) change(ctx context.Context, target versions.Target) error {
	read := func(context.Context, string) (int64, int64, error) { return x.version, x.version, nil }
	return versions.Change(ctx, target, read, func(seen int64) error {
		if x.writes++; x.others > 0 {
			x.others--
			x.version++
		}
		if seen != x.version {
			return versions.ErrStale
		}
		x.version++
		return nil
	})
}

func TestChangeRetriesStaleWrites(t *testing.T) {
	x := &contendedResource{version: 1, others: 3}
	if err := x.change(t.Context(), versions.Target{}); err != nil || x.version != 5 || x.writes != 4 {
		t.Errorf("%v after %d writes, version %d", err, x.writes, x.version)
	}
}

func TestChangeDoesNotRetryMismatch(t *testing.T) {
	only := func(wanted int64) versions.Target {
		return versions.Target{IfMatch: func(version int64) bool { return version == wanted }}
	}
	x := &contendedResource{version: 2}
	if err := x.change(t.Context(), only(1)); !errors.Is(err, versions.ErrMismatch) || x.writes != 0 {
		t.Errorf("%v after %d writes, want ErrMismatch after none", err, x.writes)
	}
	x = &contendedResource{version: 2, others: 1}
	if err := x.change(t.Context(), only(2)); !errors.Is(err, versions.ErrMismatch) || x.writes != 1 {
		t.Errorf("%v after %d writes, want ErrMismatch after one", err, x.writes)
	}
}

func TestChangeGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&contendedResource{others: 1000}).change(ctx, versions.Target{}); !errors.Is(err, versions.ErrBusy) {
		t.Errorf("%v, want ErrBusy", err)
	}
	failure := errors.New("read failed")
	read := func(context.Context, string) (int, int64, error) { return 0, 0, failure }
	if err := versions.Change(t.Context(), versions.Target{}, read, func(int) error { return nil }); !errors.Is(err, failure) {
		t.Errorf("%v, want the error of the read", err)
	}
}
