package main

import (
	"context"
	"flag"
	"fmt"

	"portside/shared/core/calendar"
	"portside/shared/pulls/pullsdynamo"
)

// recountPulls is the job of the command recount-pulls.
type recountPulls struct {
	on       *target
	from, to dayFlag
	fix      bool
}

func recountPullsCommand() command {
	return command{
		name: "recount-pulls", summary: "compare the pulls by artifact and user with the pull log; --fix corrects them",
		help: `Counts the pulls of each day by artifact and user again from the pull log, and compares
them and the rankings of the day, its week, month, quarter and year with the stored ones. Each
difference is printed with its day, stored and recounted pulls; for a ranking these are the
sums of its places.

With --fix the differences are corrected. Clients can pull meanwhile, but their pulls are
counted only after the day is finished. If the command is killed, run it again with the same
days: until then no pulls are counted. The command reads all counts for each day.`,
		prepare: func(flags *flag.FlagSet) action {
			r := &recountPulls{on: newTarget(flags)}
			flags.Var(&r.from, "from", "first `DAY`, such as 2026-11-21; default: today")
			flags.Var(&r.to, "to", "last `DAY`; default: the first day")
			flags.BoolVar(&r.fix, "fix", false, "correct the differences")
			return func(ctx context.Context, p process, arguments []string) error {
				if err := rejectArguments(arguments); err != nil {
					return err
				}
				return r.run(ctx, p)
			}
		},
	}
}

func (r *recountPulls) run(ctx context.Context, p process) error {
	now := p.now()
	first := r.from.or(calendar.DayOf(now))
	last := r.to.or(first)
	if first > last {
		return usageError("--from must not be after --to")
	}
	if first < firstKeptDay(now) {
		return usageError(fmt.Sprintf("--from must not be before %s, because the pull log is kept for 400 days", firstKeptDay(now)))
	}
	tables, err := r.on.openAnalytics(ctx, p)
	if err != nil {
		return err
	}
	compare := tables.pulls.CompareCounts
	if r.fix {
		compare = tables.pulls.Recount
	}
	differences := 0
	for day := first; day <= last; day++ {
		p.report("pulls by artifact and user: %s, %d of %d days", day, day-first+1, last-first+1)
		found, err := compare(ctx, day)
		if err != nil {
			return interrupted(ctx, err)
		}
		differences += len(found)
		if err := printCorrections(p, day, found); err != nil {
			return err
		}
	}
	if differences > 0 && !r.fix {
		return fmt.Errorf("%d numbers differ: `%s recount-pulls --fix` corrects them", differences, p.program)
	}
	return nil
}

func printCorrections(p process, day calendar.Day, found []pullsdynamo.Correction) error {
	for _, c := range found {
		if _, err := fmt.Fprintf(p.stdout, "%-10s  %-50s  %14d  %14d\n", day, c.Counter, c.Stored, c.Recounted); err != nil {
			return err
		}
	}
	return nil
}
