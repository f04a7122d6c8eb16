package retry_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"portside/shared/core/retry"
)

var (
	errTransient = errors.New("changed by another writer")
	errFinal     = errors.New("no such table")
)

func isTransient(err error) bool { return errors.Is(err, errTransient) }

// operation fails with the errors in turn, then succeeds. It counts its calls.
type operation struct {
	errs  []error
	calls int
}

func (o *operation) run() error {
	o.calls++
	if o.calls <= len(o.errs) {
		return o.errs[o.calls-1]
	}
	return nil
}

func TestDoRepeatsTransientErrorsOnly(t *testing.T) {
	for name, test := range map[string]struct {
		errs  []error
		want  error
		calls int
	}{
		"success":              {nil, nil, 1},
		"success after errors": {[]error{errTransient, errTransient}, nil, 3},
		"final error":          {[]error{errTransient, errFinal}, errFinal, 2},
	} {
		t.Run(name, func(t *testing.T) {
			o := operation{errs: test.errs}
			err := retry.Policy{Attempts: 5}.Do(t.Context(), isTransient, o.run)
			if !errors.Is(err, test.want) || o.calls != test.calls {
				t.Errorf("%s: error %v after %d calls, want %v after %d", name, err, o.calls, test.want, test.calls)
			}
			if _, gaveUp := errors.AsType[*retry.GaveUpError](err); gaveUp {
				t.Errorf("%s: %v is a GaveUpError", name, err)
			}
		})
	}
}

func TestDoGivesUpAfterTheLastAttempt(t *testing.T) {
	for _, attempts := range []int{-1, 0, 1, 7} {
		o := operation{errs: slices.Repeat([]error{errTransient}, 10)}
		err := retry.Policy{Attempts: attempts}.Do(t.Context(), isTransient, o.run)
		want := max(attempts, 1)
		gaveUp, ok := errors.AsType[*retry.GaveUpError](err)
		if !ok || gaveUp.Attempts != want || o.calls != want || !errors.Is(err, errTransient) || gaveUp.Ended != nil {
			t.Errorf("%d attempts allowed: %v after %d calls", attempts, err, o.calls)
		}
	}
}

func TestDefaultWaitsDoubleUpToASecond(t *testing.T) {
	var bounds []int64
	policy := retry.Default
	policy.Jitter = func(bound time.Duration) time.Duration {
		bounds = append(bounds, bound.Milliseconds())
		return bound
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now() //nolint:forbidigo // the clock of the synctest bubble
		o := operation{errs: slices.Repeat([]error{errTransient}, 20)}
		if err := policy.Do(t.Context(), isTransient, o.run); !errors.Is(err, errTransient) {
			t.Errorf("error %v, want the transient one", err)
		}
		if waited := time.Since(began); waited != 5270*time.Millisecond {
			t.Errorf("waited %v in total", waited)
		}
	})
	want := []int64{10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 1000}
	if !slices.Equal(bounds, want) {
		t.Errorf("bounds %v, want milliseconds %v", bounds, want)
	}
}

// throttled asks for a pause.
type throttled struct{ pause time.Duration }

func (throttled) Error() string         { return "throttled" }
func (e throttled) Wait() time.Duration { return e.pause }
func (throttled) Is(target error) bool  { return target == errTransient }

func TestDoWaitsAsLongAsTheErrorAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now() //nolint:forbidigo // the clock of the synctest bubble
		o := operation{errs: []error{throttled{5 * time.Second}, throttled{0}}}
		if err := retry.Default.Do(t.Context(), isTransient, o.run); err != nil {
			t.Error(err)
		}
		if waited := time.Since(began); waited < 5*time.Second || waited > 5*time.Second+20*time.Millisecond {
			t.Errorf("waited %v, want 5 s and at most 20 ms of jitter", waited)
		}
	})
}

func TestDoDoesNotWaitPastTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		o := operation{errs: slices.Repeat([]error{throttled{4 * time.Second}}, 9)}
		err := retry.Policy{Attempts: 9}.Do(ctx, isTransient, o.run)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errTransient) || o.calls != 3 || ctx.Err() != nil {
			t.Errorf("%v after %d calls, context: %v", err, o.calls, ctx.Err())
		}
	})
}

func TestDoStopsWhenTheContextIsCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errGone := errors.New("the caller has disconnected")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errGone) })
		policy := retry.Policy{Attempts: 2, FirstWait: time.Hour, LongestWait: time.Hour,
			Jitter: func(bound time.Duration) time.Duration { return bound }}
		began, o := time.Now(), operation{errs: []error{errTransient}} //nolint:forbidigo // the clock of the synctest bubble
		err := policy.Do(ctx, isTransient, o.run)
		if !errors.Is(err, errGone) || !errors.Is(err, errTransient) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		o = operation{errs: []error{errTransient}}
		err = retry.Policy{Attempts: 2}.Do(ctx, isTransient, o.run)
		if !errors.Is(err, errGone) || o.calls != 1 {
			t.Errorf("canceled context: %v after %d calls, want one", err, o.calls)
		}
	})
}
