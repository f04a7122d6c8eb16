package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
)

// What fails, or changes faster than it can be read, keeps nothing else from being compared and put right.
func TestReconcileGoesOnAfterWhatFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		lives func(*bustle) error // what happens each time users and projects are read
		pulls error
		says  string
	}{
		"too fast": {func(b *bustle) error { b.goOn(); return nil }, nil, "users and projects change too fast"},
		"no lives": {func(*bustle) error { return broken }, nil, "compare users and projects: broken"},
		"no pulls": {func(*bustle) error { return nil }, broken, "compare pulls of "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArchive(t)
			a.fill()
			b := newBustle(a)
			a.set("requests", a.day(1), "errors", items.Number(77))
			a.set("usage", a.day(1), "inputTokens", items.Number(77))

			again := a.mender(a.client)
			all := again.Histories[1]
			again.Histories[1] = func(ctx context.Context) iter.Seq2[daycounts.History, error] {
				if err := c.lives(b); err != nil {
					return func(yield func(daycounts.History, error) bool) { yield(nil, err) }
				}
				return all(ctx)
			}
			if c.pulls != nil {
				again.Pulls = func(context.Context, calendar.Day) (analytics.Pulls, error) { return analytics.Pulls{}, c.pulls }
			}
			var stdout, stderr bytes.Buffer
			p := process{program: "portside", stdout: &stdout, stderr: &stderr}
			first := calendar.DayOf(a.begin)
			r := &reconciliation{mend: true}
			a.must(r.compare(t.Context(), p, again, analytics.Period{First: first, Last: first + 1}))
			for _, counter := range []string{"requests  errors", "models    inputTokens"} {
				if line := fmt.Sprintf("%s  %s", a.day(1), counter); !strings.Contains(stdout.String(), line) {
					t.Errorf("it does not say %q:\n%s", line, &stdout)
				}
			}
			err := r.conclude(p)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(stderr.String(), "not compared: "+c.says) {
				t.Errorf("it ends with %v, and said %s", err, &stderr)
			}
		})
	}
}
