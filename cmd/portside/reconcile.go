package main

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"time"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/daycounts"
)

// reconciliation is the job of reconcile.
type reconciliation struct {
	on       *target
	from, to dayFlag
	mend     bool

	differences, gaps int
	failures          []error // of what was not compared
}

func reconcileCommand() command {
	return command{
		name: "reconcile", summary: "compare the dashboard's numbers with what they count, and put them right",
		help: `Counts again what the dashboard is made of: users and projects from their histories, which
deleted ones leave behind, and always of all days; requests and calls of models from the
lines of the log that are kept in the bucket; pulls from their log. How much is stored can
only be measured again. Differences are printed: day, what, counter, stored, recomputed.
With --fix they are put right, and lines of the log that were kept and never counted are
counted. The service may go on meanwhile: nothing is compared or written that somebody else
has changed since it was read. What is left as it is because it cannot be counted again,
such as days of which segments of the log are missing in the bucket, is told. What cannot be
compared, because it fails or changes too fast, is told too, and the rest goes on. A run
that was stopped is simply run again. Exit code 1 if there are differences left, or such
days, or what was not compared. The bucket is that of ANALYTICS_BUCKET, the log of pulls
that of PULLS_TABLE, or both are those of the local stack.`,
		prepare: func(flags *flag.FlagSet) action {
			r := &reconciliation{on: newTarget(flags)}
			flags.Var(&r.from, "from", "first `DAY` of requests, calls and pulls, such as 2026-11-21; 400 days ago if left out")
			flags.Var(&r.to, "to", "last `DAY`; today if left out")
			flags.BoolVar(&r.mend, "fix", false, "put right what differs")
			return func(ctx context.Context, p process, arguments []string) error {
				if err := noArguments(arguments); err != nil {
					return err
				}
				return r.run(ctx, p)
			}
		},
	}
}

// dayFlag is a day of the command line; nil: none.
type dayFlag struct{ day *calendar.Day }

func (f *dayFlag) String() string {
	if f.day == nil {
		return ""
	}
	return f.day.String()
}

// Set implements flag.Value.
func (f *dayFlag) Set(text string) error {
	day, err := calendar.ParseDay(text)
	f.day = &day
	return err
}

func (f *dayFlag) or(day calendar.Day) calendar.Day {
	if f.day == nil {
		return day
	}
	return *f.day
}

func (r *reconciliation) run(ctx context.Context, p process) error {
	now := p.now()
	first, last := r.from.or(firstDayOfPulls(now)), r.to.or(calendar.DayOf(now))
	if first > last {
		return usageError("--from must not be after --to")
	}
	of, err := r.on.openRecords(ctx, p)
	if err != nil {
		return err
	}
	again := &analyticsdynamo.Reconciler{
		Recorder: of.recorder, Pulls: of.countPulls, PullsFrom: firstDayOfPulls(now), Repair: r.mend,
		Histories: []func(context.Context) iter.Seq2[daycounts.History, error]{of.users.Histories, of.projects.Histories},
	}
	if first < again.PullsFrom {
		p.say("pulls before %s are not compared: their log is kept for 400 days", again.PullsFrom)
	}
	if err := r.compare(ctx, p, again, analytics.Period{First: first, Last: last}); err != nil {
		return interrupted(ctx, err)
	}
	return r.conclude(p)
}

func (r *reconciliation) compare(ctx context.Context, p process, again *analyticsdynamo.Reconciler, days analytics.Period) error {
	p.say("users and projects")
	err := r.section(ctx, p, again.Counts)
	told := time.Now()
	for day := days.First; day <= days.Last && err == nil; day++ {
		if time.Since(told) > tellEvery {
			told = time.Now()
			p.say("requests, calls of models and pulls: %s, %d of %d days", day, day-days.First, days.Days())
		}
		err = r.section(ctx, p, func(ctx context.Context) (analytics.Findings, error) { return again.Day(ctx, day) })
	}
	return err
}

// section compares something and tells what is found. Its failure is told as well, and is no reason to leave out what comes after it.
func (r *reconciliation) section(
	ctx context.Context, p process, compare func(context.Context) (analytics.Findings, error),
) error {
	found, err := compare(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		p.say("not compared: %s", oneLine(err))
		r.failures = append(r.failures, err)
	}
	return r.tell(p, found)
}

const lineOfDifference = "%-10s  %-8s  %-26s  %14v  %14v\n"

// tell prints what was found.
func (r *reconciliation) tell(p process, found analytics.Findings) error {
	for _, gap := range found.Gaps {
		p.say("%s of %s are left as they are: %s", gap.Source, gap.Day, gap.Reason)
	}
	r.gaps += len(found.Gaps)
	for _, d := range found.Differences {
		if r.differences == 0 {
			if _, err := fmt.Fprintf(p.stdout, lineOfDifference, "day", "of", "counter", "stored", "recomputed"); err != nil {
				return err
			}
		}
		r.differences++
		if _, err := fmt.Fprintf(p.stdout, lineOfDifference, d.Day, d.Source, d.Counter, d.Stored, d.Recounted); err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciliation) conclude(p process) error {
	done := "numbers that differ"
	if r.mend {
		done = "numbers put right"
	}
	if _, err := fmt.Fprintf(p.stdout, "%d %s, %d days of the log that cannot be counted again\n", r.differences, done, r.gaps); err != nil {
		return err
	}
	switch {
	case len(r.failures) > 0:
		return fmt.Errorf("not everything could be compared: run it again; it failed %d times, first so: %w", len(r.failures), r.failures[0])
	case r.differences > 0 && !r.mend:
		return fmt.Errorf("%d numbers differ: `%s reconcile --fix` puts them right", r.differences, p.program)
	case r.gaps > 0:
		return fmt.Errorf("%d days of the log cannot be counted again: restore what is missing in the bucket, then run it again", r.gaps)
	}
	return nil
}
