package analyticsdynamo

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"portside/shared/analytics"
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
	Lifetimes []func(context.Context) iter.Seq2[daycounts.Life, error]
	// Pulls counts the log of pulls of a day again, strongly consistent.
	Pulls func(context.Context, analytics.Day) (analytics.Pulls, error)
	// PullsFrom is the first day of which the log has all pulls.
	PullsFrom analytics.Day
	// Mend has what differs put right.
	Repair bool
}

// look is what comparing has found, and how to put it right on the condition that nobody else has written meanwhile; else
// errOvertaken.
type comparison struct {
	analytics.Findings
	repair func(context.Context) error
}

// maxLooks is how often somebody may be overtaken. What changes so fast is better looked at when it is quieter.
const maxCompareAttempts = 20

// settle looks, and mends what it finds if that is asked for.
func (r *Reconciler) compareAndRepair(ctx context.Context, of string, see func(context.Context) (comparison, error)) (analytics.Findings, error) {
	for range maxCompareAttempts {
		seen, err := see(ctx)
		if err == nil && r.Repair && len(seen.Differences) > 0 {
			err = seen.repair(ctx)
		}
		if err == nil {
			return seen.Findings, nil
		}
		if !errors.Is(err, errOvertaken) {
			return analytics.Findings{}, fmt.Errorf("compare %s: %w", of, err)
		}
		if err := pause(ctx); err != nil {
			return analytics.Findings{}, err
		}
	}
	return analytics.Findings{}, fmt.Errorf("%s change too fast to be counted again: try when less is done", of)
}

// Day compares the requests, the calls of models and the pulls of a day. What fails keeps it from none of the others: their findings
// come with the error.
func (r *Reconciler) Day(ctx context.Context, day analytics.Day) (all analytics.Findings, err error) {
	var failed []error
	compare := func(of string, see func(context.Context) (comparison, error)) {
		found, err := r.compareAndRepair(ctx, of+" of "+day.String(), see)
		if err != nil {
			failed = append(failed, err)
			return
		}
		all.Add(found)
	}
	for _, log := range []analytics.Log{analytics.AccessLog, analytics.ModelLog} {
		again := recount{Reconciler: r, log: log, day: day, contributions: map[analytics.SegmentName]contribution{}}
		compare(string(log), again.compare)
	}
	if day >= r.PullsFrom {
		compare("pulls", func(ctx context.Context) (comparison, error) { return r.comparePulls(ctx, day) })
	}
	return all, errors.Join(failed...)
}

// Counts compares the counters of users and projects, of all days at once: whoever is counted has to be read for any of them.
func (r *Reconciler) Counts(ctx context.Context) (analytics.Findings, error) {
	return r.compareAndRepair(ctx, "users and projects", r.compareCounts)
}
