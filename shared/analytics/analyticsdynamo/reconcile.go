package analyticsdynamo

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"portside/shared/analytics"
	"portside/shared/dynamo/daycounts"
)

// Reconciler counts the numbers of the dashboard again and compares them with the stored ones.
//
// It runs while other writers are active, and still never compares numbers of two different
// moments. Each item, or one item that stands for several, has a version that every writer
// increments. A comparison is valid only if the version was the same before and after it, and a
// repair is conditional on that version. If another writer changed the item meanwhile, the
// Reconciler starts again.
type Reconciler struct {
	Recorder *Recorder
	// Lifetimes yield the lifetime of everything that is counted by day: users and projects.
	Lifetimes []func(context.Context) iter.Seq2[daycounts.Life, error]
	// Pulls counts the pull log of a day again, with strong consistency.
	Pulls func(context.Context, analytics.Day) (analytics.Pulls, error)
	// PullsFrom is the first day for which the pull log is complete.
	PullsFrom analytics.Day
	// Repair makes the Reconciler write the recounted numbers where they differ.
	Repair bool
}

// comparison is what a comparison found, and the function that repairs it. The function returns
// errOvertaken if another writer changed the data meanwhile.
type comparison struct {
	analytics.Findings
	repair func(context.Context) error
}

// maxCompareAttempts is how often other writers may interrupt a comparison. Data that changes
// faster should be compared at a quieter time.
const maxCompareAttempts = 20

// compareAndRepair compares, and repairs the differences if Repair is set.
func (r *Reconciler) compareAndRepair(
	ctx context.Context, subject string, compare func(context.Context) (comparison, error),
) (analytics.Findings, error) {
	for range maxCompareAttempts {
		found, err := compare(ctx)
		if err == nil && r.Repair && len(found.Differences) > 0 {
			err = found.repair(ctx)
		}
		if err == nil {
			return found.Findings, nil
		}
		if !errors.Is(err, errOvertaken) {
			return analytics.Findings{}, fmt.Errorf("compare %s: %w", subject, err)
		}
		if err := pause(ctx); err != nil {
			return analytics.Findings{}, err
		}
	}
	return analytics.Findings{}, fmt.Errorf("%s change too fast to be counted again; try again at a quieter time", subject)
}

// Day compares the requests, the model calls and the pulls of a day. If one of them fails, the
// findings of the others are returned together with the error.
func (r *Reconciler) Day(ctx context.Context, day analytics.Day) (all analytics.Findings, err error) {
	var failed []error
	reconcile := func(source string, compare func(context.Context) (comparison, error)) {
		found, err := r.compareAndRepair(ctx, source+" of "+day.String(), compare)
		if err != nil {
			failed = append(failed, err)
			return
		}
		all.Add(found)
	}
	for _, log := range []analytics.Log{analytics.AccessLog, analytics.ModelLog} {
		counter := recount{Reconciler: r, log: log, day: day, contributions: map[analytics.SegmentName]contribution{}}
		reconcile(string(log), counter.compare)
	}
	if day >= r.PullsFrom {
		reconcile("pulls", func(ctx context.Context) (comparison, error) { return r.comparePulls(ctx, day) })
	}
	return all, errors.Join(failed...)
}

// Counts compares the counters of users and projects of all days at once, because each day requires
// reading all users and projects.
func (r *Reconciler) Counts(ctx context.Context) (analytics.Findings, error) {
	return r.compareAndRepair(ctx, "users and projects", r.compareCounts)
}
