package throttle_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/core/throttle"
	"portside/testclient/scale"
)

// table counts failures like a conditional write, and counts its writes.
type table struct {
	failures map[string]int
	writes   int
}

func (c *table) CountFailure(_ context.Context, limit throttle.Limit, subject string, at time.Time) (int, error) {
	c.writes++
	key := subject + limit.Start(at).String()
	if c.failures[key] == limit.Failures {
		return limit.Failures + 1, nil
	}
	c.failures[key]++
	return c.failures[key], nil
}

// TestFailuresAreBounded has subjects fail at any time in several processes. In each window, exactly the failures above
// the limit are refused, and each process writes at most one of those.
//
//proves:docs/security.md
func TestFailuresAreBounded(t *testing.T) {
	limit := throttle.Limit{Name: "x", Window: 10 * time.Minute, Failures: 5}
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		counts := &table{failures: map[string]int{}}
		processes := []*throttle.Throttle{throttle.New(counts, limit), throttle.New(counts, limit),
			throttle.New(counts, limit)}
		at, failed, windows := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), map[string]int{}, map[string]bool{}
		for range rapid.IntRange(1, 200).Draw(r, "failures") {
			at = at.Add(time.Duration(rapid.IntRange(0, 30).Draw(r, "seconds")) * time.Second)
			subject := rapid.SampledFrom([]string{"a", "b"}).Draw(r, "subject")
			key := subject + limit.Start(at).String()
			failed[key]++
			windows[key] = true
			tooMany, err := rapid.SampledFrom(processes).Draw(r, "process").Fail(r.Context(), subject, at)
			if err != nil || tooMany != (failed[key] > limit.Failures) {
				r.Fatalf("failure %d: too many: %v, %v", failed[key], tooMany, err)
			}
		}
		if most := len(windows) * (limit.Failures + len(processes)); counts.writes > most {
			r.Errorf("%d writes for %d windows, at most %d", counts.writes, len(windows), most)
		}
	})
}

// TestFullSubjectsAreForgotten checks that the memory of a process ends with the window.
func TestFullSubjectsAreForgotten(t *testing.T) {
	limit := throttle.Limit{Name: "x", Window: time.Minute, Failures: 1}
	one := throttle.New(&table{failures: map[string]int{}}, limit)
	at := time.Date(2026, 3, 2, 9, 0, 18, 0, time.UTC)
	if one.IsFull("a", at) {
		t.Error("full before any failure")
	}
	if _, err := one.Fail(t.Context(), "a", at); err != nil || !one.IsFull("a", at) || one.IsFull("b", at) {
		t.Errorf("after a failure: %v", err)
	}
	if rest := limit.Rest(at); rest != 42*time.Second || one.IsFull("a", at.Add(rest)) {
		t.Errorf("%v until the end, or full after it", rest)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) CountFailure(context.Context, throttle.Limit, string, time.Time) (int, error) {
	return 0, errBroken
}

func TestErrorsOfTheCountArePassedOn(t *testing.T) {
	one := throttle.New(broken{}, throttle.Limit{Name: "x", Window: time.Minute, Failures: 1})
	if _, err := one.Fail(t.Context(), "a", time.Unix(0, 0)); !errors.Is(err, errBroken) ||
		one.IsFull("a", time.Unix(0, 0)) {
		t.Error(err)
	}
}
