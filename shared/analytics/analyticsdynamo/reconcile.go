package analyticsdynamo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"portside/shared/analytics"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/core/retry"
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
	// Histories yield the history of everything that is counted by day: users and projects.
	Histories []func(context.Context) iter.Seq2[daycounts.History, error]
	// Pulls counts the pull log of a day again, with strong consistency. It returns ErrChanging if it
	// counted pulls that the stored counts do not have yet.
	Pulls func(context.Context, calendar.Day) (analytics.Pulls, error)
	// Repair makes the Reconciler write the recounted numbers where they differ.
	Repair bool
}

// ErrChanging means that data changed while it was counted, so it has to be counted again.
var ErrChanging = errConflict

// comparison has the findings of a comparison and a function that corrects them. The function returns
// errConflict if another writer changed the data meanwhile.
type comparison struct {
	analytics.Findings
	repair func(context.Context) error
}

// comparing is the policy of a comparison, which starts again if another writer changes the data
// meanwhile. Data that changes during 20 attempts should be compared at a quieter time.
var comparing = retry.Policy{Attempts: 20, FirstWait: 20 * time.Millisecond, LongestWait: 20 * time.Millisecond}

// compareAndRepair compares, and repairs the differences if Repair is set.
func (r *Reconciler) compareAndRepair(
	ctx context.Context, subject string, compare func(context.Context) (comparison, error),
) (analytics.Findings, error) {
	var found comparison
	err := comparing.Do(ctx, isConflict, func() (err error) {
		found, err = compare(ctx)
		if err == nil && r.Repair && len(found.Differences) > 0 {
			err = found.repair(ctx)
		}
		return err
	})
	gaveUp, hasGivenUp := errors.AsType[*retry.GaveUpError](err)
	switch {
	case err == nil:
		return found.Findings, nil
	case hasGivenUp && gaveUp.Ended == nil:
		return analytics.Findings{}, fmt.Errorf("%s change too fast to be counted again; try again at a quieter time", subject)
	}
	return analytics.Findings{}, fmt.Errorf("compare %s: %w", subject, err)
}

// Day compares the requests, the model calls and the pulls of a day, for which the logs must still be
// complete. If one of them fails, Day returns the findings of the rest together with the error.
func (r *Reconciler) Day(ctx context.Context, day calendar.Day) (all analytics.Findings, err error) {
	var failed []error
	reconcile := func(source string, compare func(context.Context) (comparison, error)) {
		found, err := r.compareAndRepair(ctx, source+" of "+day.String(), compare)
		if err != nil {
			failed = append(failed, err)
			return
		}
		all.Add(found)
	}
	for _, log := range []logs.Log{logs.AccessLog, logs.ModelLog} {
		counter := recount{Reconciler: r, log: log, day: day, contributions: map[logs.SegmentName]contribution{}}
		reconcile(string(log), counter.compare)
	}
	reconcile("pulls", func(ctx context.Context) (comparison, error) { return r.comparePulls(ctx, day) })
	return all, errors.Join(failed...)
}

// Counts compares the counters of users and projects of all days at once, because each day requires
// reading all users and projects.
func (r *Reconciler) Counts(ctx context.Context) (analytics.Findings, error) {
	return r.compareAndRepair(ctx, "users and projects", r.compareCounts)
}
