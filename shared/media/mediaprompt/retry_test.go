package mediaprompt_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"portside/shared/core/fault"
	"portside/shared/media/mediaprompt"
)

var errGone = errors.New("gone")

func TestRetrierWaitsLongerEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ceilings []time.Duration
		r := mediaprompt.Retrier{Attempts: 9, Draw: func(below time.Duration) time.Duration {
			ceilings = append(ceilings, below)
			return below
		}}
		began, attempts := time.Now(), 0 //nolint:forbidigo // the clock of the bubble
		err := r.Do(t.Context(), func(n int) error {
			if attempts++; n != attempts {
				t.Errorf("attempt %d is called %d", attempts, n)
			}
			return &mediaprompt.Busy{Cause: errGone}
		})
		if attempts != 9 || !errors.Is(err, errGone) || !errors.Is(err, mediaprompt.ErrBusy) || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%d attempts, %v", attempts, err)
		}
		total := time.Duration(0)
		for _, c := range ceilings {
			total += c
		}
		if !slices.IsSorted(ceilings) || ceilings[0] != 300*time.Millisecond || ceilings[7] != 20*time.Second || time.Since(began) != total {
			t.Errorf("waits below %v, %v in all", ceilings, time.Since(began))
		}
	})
}

func TestRetrierKeepsTheDeadline(t *testing.T) {
	for name, test := range map[string]struct {
		after    time.Duration
		attempts int
	}{
		"asked for too much": {time.Minute, 1}, "asked for some": {4 * time.Second, 3}, "not asked": {0, 6},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				attempts := 0
				r := mediaprompt.Retrier{Draw: func(below time.Duration) time.Duration { return below / 4 }}
				err := r.Do(ctx, func(int) error {
					attempts++
					return &mediaprompt.Busy{After: test.after, Cause: errGone}
				})
				busy, ok := errors.AsType[*mediaprompt.Busy](err)
				if attempts != test.attempts || !ok || busy.After != test.after || ctx.Err() != nil {
					t.Errorf("%d attempts, %v, %v", attempts, err, ctx.Err())
				}
				if f := fault.As(err); f.RetryAfter != test.after || !errors.Is(err, mediaprompt.ErrBusy) {
					t.Errorf("the fault asks to wait for %v, %+v", err, f)
				}
			})
		})
	}
}

func TestRetrierStopsWhenNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		r := mediaprompt.Retrier{Draw: func(time.Duration) time.Duration { return 15 * time.Second }}
		began := time.Now() //nolint:forbidigo // the clock of the bubble
		err := r.Do(ctx, func(int) error { return &mediaprompt.Busy{Cause: errGone} })
		if !errors.Is(err, errGone) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

func TestRetrierLeavesOtherErrors(t *testing.T) {
	attempts := 0
	var r mediaprompt.Retrier
	err := r.Do(t.Context(), func(int) error {
		attempts++
		return mediaprompt.ErrRefused
	})
	if !errors.Is(err, mediaprompt.ErrRefused) || attempts != 1 {
		t.Errorf("%d attempts, %v", attempts, err)
	}
}
