package repair

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"time"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/daycounts"
)

// reconcile is the job of the command reconcile.
type reconcile struct {
	on       *installation.Target
	from, to operator.DayFlag
	fix      bool

	differences, gaps int
	failures          []error // comparisons that failed
}

func reconcileCommand() operator.Command {
	return operator.Command{
		Name: "reconcile", Summary: "compare the dashboard's numbers with their source data; --fix corrects them",
		Help: `Counts the numbers of the dashboard again and compares them with the stored ones. Users
and projects are counted from their histories, which exist even for deleted ones, and always
for all days. Requests and model calls are counted from the log lines that are archived in
the bucket, pulls from the pull log. Storage is not compared, because it can only be measured
again. Each difference is printed with its day, source, counter, stored and recounted value.

With --fix the numbers are corrected, and archived log lines that were never counted are
counted. The service can stay in use meanwhile: data that changes during a comparison is
compared again. The command reports days that cannot be counted again, for example because
archived log lines are missing, and leaves them unchanged. It also reports comparisons that
fail, and continues with the others. After an interruption, run it again.

The exit code is 1 if there are differences left, days that cannot be counted again, or
comparisons that failed. The bucket is that of ANALYTICS_BUCKET and the pull log that of
PULLS_TABLE, or both are those of the local stack.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			r := &reconcile{on: installation.NewTarget(flags)}
			flags.Var(&r.from, "from", "first `DAY` of requests, calls and pulls, such as 2026-11-21; default: the first day with all logs")
			flags.Var(&r.to, "to", "last `DAY`; default: today")
			flags.BoolVar(&r.fix, "fix", false, "correct the differences")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				return r.run(ctx, p)
			}
		},
	}
}

func (r *reconcile) run(ctx context.Context, p operator.Process) error {
	now := p.Now()
	first, last := r.from.Or(installation.FirstKeptDay(now)), r.to.Or(calendar.DayOf(now))
	if first > last {
		return operator.UsageError("--from must not be after --to")
	}
	tables, err := r.on.OpenAnalytics(ctx, p)
	if err != nil {
		return err
	}
	reconciler := &analyticsdynamo.Reconciler{
		Recorder: tables.Recorder, Pulls: tables.CountPulls, Repair: r.fix,
		Histories: []func(context.Context) iter.Seq2[daycounts.History, error]{tables.Users.Histories, tables.Projects.Histories},
	}
	if kept := installation.FirstKeptDay(now); first < kept {
		p.Report("requests, model calls and pulls before %s are not compared, because the logs are kept for 400 days", kept)
		first = kept
	}
	if err := r.compare(ctx, p, reconciler, analytics.Period{First: first, Last: last}); err != nil {
		return operator.Interrupted(ctx, err)
	}
	return r.reportTotals(p)
}

func (r *reconcile) compare(ctx context.Context, p operator.Process, reconciler *analyticsdynamo.Reconciler, days analytics.Period) error {
	p.Report("users and projects")
	err := r.compareSection(ctx, p, reconciler.Counts)
	reportedAt := time.Now()
	for day := days.First; day <= days.Last && err == nil; day++ {
		if time.Since(reportedAt) > operator.ProgressInterval {
			reportedAt = time.Now()
			p.Report("requests, model calls and pulls: %s, %d of %d days", day, day-days.First+1, days.Days())
		}
		err = r.compareSection(ctx, p, func(ctx context.Context) (analytics.Findings, error) { return reconciler.Day(ctx, day) })
	}
	return err
}

// compareSection runs one comparison and reports its findings. A failure does not stop the other comparisons.
func (r *reconcile) compareSection(
	ctx context.Context, p operator.Process, compare func(context.Context) (analytics.Findings, error),
) error {
	found, err := compare(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		p.Report("not compared: %s", operator.SingleLine(err))
		r.failures = append(r.failures, err)
	}
	return r.report(p, found)
}

const differenceFormat = "%-10s  %-8s  %-26s  %14v  %14v\n"

// report prints the findings.
func (r *reconcile) report(p operator.Process, found analytics.Findings) error {
	for _, gap := range found.Gaps {
		p.Report("%s of %s stay unchanged: %s", gap.Source, gap.Day, gap.Reason)
	}
	r.gaps += len(found.Gaps)
	for _, d := range found.Differences {
		if r.differences == 0 {
			if _, err := fmt.Fprintf(p.Stdout, differenceFormat, "day", "source", "counter", "stored", "recounted"); err != nil {
				return err
			}
		}
		r.differences++
		if _, err := fmt.Fprintf(p.Stdout, differenceFormat, d.Day, d.Source, d.Counter, d.Stored, d.Recounted); err != nil {
			return err
		}
	}
	return nil
}

func (r *reconcile) reportTotals(p operator.Process) error {
	what := "numbers differ"
	if r.fix {
		what = "numbers corrected"
	}
	if _, err := fmt.Fprintf(p.Stdout, "%d %s, %d days of the log cannot be counted again\n", r.differences, what, r.gaps); err != nil {
		return err
	}
	switch {
	case len(r.failures) > 0:
		return fmt.Errorf("%d comparisons failed; run the command again; the first failure: %w", len(r.failures), r.failures[0])
	case r.differences > 0 && !r.fix:
		return fmt.Errorf("%d numbers differ: `%s reconcile --fix` corrects them", r.differences, p.Program)
	case r.gaps > 0:
		return fmt.Errorf("%d days of the log cannot be counted again: "+
			"restore the missing objects in the bucket, then run the command again", r.gaps)
	}
	return nil
}
