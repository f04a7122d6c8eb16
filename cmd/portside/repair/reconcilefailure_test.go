package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"portside/cmd/portside/operator"
	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
)

// A comparison that fails, or data that changes too fast, does not stop the other comparisons.
func TestReconcileContinuesAfterFailures(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		onRead func(*concurrentWriter) error // called each time users and projects are read
		pulls  error
		want   string
	}{
		"too fast":     {func(b *concurrentWriter) error { b.writeAll(); return nil }, nil, "users and projects change too fast"},
		"no lifetimes": {func(*concurrentWriter) error { return broken }, nil, "compare users and projects: broken"},
		"no pulls":     {func(*concurrentWriter) error { return nil }, broken, "compare pulls of "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAnalyticsStack(t)
			a.Fill()
			b := newConcurrentWriter(a)
			a.set("requests", a.Day(1), "errors", items.Number(77))
			a.set("usage", a.Day(1), "inputTokens", items.Number(77))

			reconciler := a.reconciler(a.Client)
			all := reconciler.Histories[1]
			reconciler.Histories[1] = func(ctx context.Context) iter.Seq2[daycounts.History, error] {
				if err := c.onRead(b); err != nil {
					return func(yield func(daycounts.History, error) bool) { yield(nil, err) }
				}
				return all(ctx)
			}
			if c.pulls != nil {
				reconciler.Pulls = func(context.Context, calendar.Day) (analytics.Pulls, error) { return analytics.Pulls{}, c.pulls }
			}
			var stdout, stderr bytes.Buffer
			p := operator.Process{Program: "portside", Stdout: &stdout, Stderr: &stderr}
			first := calendar.DayOf(a.Begin)
			r := &reconcile{fix: true}
			a.Must(r.compare(t.Context(), p, reconciler, analytics.Period{First: first, Last: first + 1}))
			for _, counter := range []string{"requests  errors", "models    inputTokens"} {
				if line := fmt.Sprintf("%s  %s", a.Day(1), counter); !strings.Contains(stdout.String(), line) {
					t.Errorf("stdout lacks %q:\n%s", line, &stdout)
				}
			}
			err := r.reportTotals(p)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(stderr.String(), "not compared: "+c.want) {
				t.Errorf("got the error %v and stderr %s", err, &stderr)
			}
		})
	}
}
