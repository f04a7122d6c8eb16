package analyticsdynamo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/core/retry"
	"portside/shared/dynamo/daycounts"
)

// Reconciler counts again what the dashboard is made of, and compares.
//
// It works beside all writers, and never on the mixture of two moments: each item, or what stands for all of them, has a number
// that everybody who writes it raises. What was read counts only if that number was the same before and after, and what is
// mended is written on the condition that it still is. Whoever is overtaken looks again.
type Reconciler struct {
	Recorder *Recorder
	// Lives are those of everything that is counted by the day: users, projects.
	Lives []func(context.Context) iter.Seq2[daycounts.History, error]
	// Pulls counts the log of pulls of a day again, strongly consistent.
	Pulls func(context.Context, calendar.Day) (analytics.Pulls, error)
	// PullsFrom is the first day of which the log has all pulls.
	PullsFrom calendar.Day
	// Mend has what differs put right.
	Mend bool
}

// look is what comparing has found, and how to put it right on the condition that nobody else has written meanwhile; else
// errOvertaken.
type look struct {
	analytics.Findings
	mend func(context.Context) error
}

// comparing is the policy of a comparison, which starts again if other writers change the counters meanwhile. Counters
// that change during 20 attempts are better compared at a quieter time.
var comparing = retry.Policy{Attempts: 20, FirstWait: 20 * time.Millisecond, LongestWait: 20 * time.Millisecond}

// compare looks for differences and, if r.Mend is set, corrects them.
func (r *Reconciler) compare(
	ctx context.Context, subject string, see func(context.Context) (look, error),
) (analytics.Findings, error) {
	var seen look
	err := comparing.Do(ctx, isOvertaken, func() (err error) {
		seen, err = see(ctx)
		if err == nil && r.Mend && len(seen.Differences) > 0 {
			err = seen.mend(ctx)
		}
		return err
	})
	gaveUp, isTooFast := errors.AsType[*retry.GaveUpError](err)
	switch {
	case err == nil:
		return seen.Findings, nil
	case isTooFast && gaveUp.Ended == nil:
		return analytics.Findings{}, fmt.Errorf("%s change too fast to be counted again: try when less is done", subject)
	}
	return analytics.Findings{}, fmt.Errorf("compare %s: %w", subject, err)
}

// Day compares the requests, the calls of models and the pulls of a day. What fails keeps it from none of the others: their findings
// come with the error.
func (r *Reconciler) Day(ctx context.Context, day calendar.Day) (all analytics.Findings, err error) {
	var failed []error
	compare := func(of string, see func(context.Context) (look, error)) {
		found, err := r.compare(ctx, of+" of "+day.String(), see)
		if err != nil {
			failed = append(failed, err)
			return
		}
		all.Add(found)
	}
	for _, log := range []analytics.Log{analytics.AccessLog, analytics.ModelLog} {
		again := recount{Reconciler: r, log: log, day: day, known: map[analytics.Name]share{}}
		compare(string(log), again.look)
	}
	if day >= r.PullsFrom {
		compare("pulls", func(ctx context.Context) (look, error) { return r.lookAtPulls(ctx, day) })
	}
	return all, errors.Join(failed...)
}

// Counts compares the counters of users and projects, of all days at once: whoever is counted has to be read for any of them.
func (r *Reconciler) Counts(ctx context.Context) (analytics.Findings, error) {
	return r.compare(ctx, "users and projects", r.lookAtCounts)
}
