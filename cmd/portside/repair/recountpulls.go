package repair

import (
	"context"
	"flag"
	"fmt"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/core/calendar"
	"portside/shared/pulls/pullsdynamo"
)

// recountPulls is the job of the command recount-pulls.
type recountPulls struct {
	on       *installation.Target
	from, to operator.DayFlag
	fix      bool
}

func recountPullsCommand() operator.Command {
	return operator.Command{
		Name: "recount-pulls", Summary: "compare the pulls by artifact and user with the pull log; --fix corrects them",
		Help: `Counts the pulls of each day by artifact and user again from the pull log, and compares
them and the rankings of the day, its week, month, quarter and year with the stored ones. Each
difference is printed with its day, stored and recounted pulls; for a ranking these are the
sums of its places.

With --fix the differences are corrected. Clients can pull meanwhile, but their pulls are
counted only after the day is finished. If the command is killed, run it again with the same
days: until then no pulls are counted. The command reads all counts for each day.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			r := &recountPulls{on: installation.NewTarget(flags)}
			flags.Var(&r.from, "from", "first `DAY`, such as 2026-11-21; default: today")
			flags.Var(&r.to, "to", "last `DAY`; default: the first day")
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

func (r *recountPulls) run(ctx context.Context, p operator.Process) error {
	now := p.Now()
	first := r.from.Or(calendar.DayOf(now))
	last := r.to.Or(first)
	if first > last {
		return operator.UsageError("--from must not be after --to")
	}
	if kept := installation.FirstKeptDay(now); first < kept {
		return operator.UsageError(fmt.Sprintf("--from must not be before %s, because the pull log is kept for 400 days", kept))
	}
	tables, err := r.on.OpenAnalytics(ctx, p)
	if err != nil {
		return err
	}
	compare := tables.Pulls.CompareCounts
	if r.fix {
		compare = tables.Pulls.Recount
	}
	differences := 0
	for day := first; day <= last; day++ {
		p.Report("pulls by artifact and user: %s, %d of %d days", day, day-first+1, last-first+1)
		found, err := compare(ctx, day)
		if err != nil {
			return operator.Interrupted(ctx, err)
		}
		differences += len(found)
		if err := printCorrections(p, day, found); err != nil {
			return err
		}
	}
	if differences > 0 && !r.fix {
		return fmt.Errorf("%d numbers differ: `%s recount-pulls --fix` corrects them", differences, p.Program)
	}
	return nil
}

func printCorrections(p operator.Process, day calendar.Day, found []pullsdynamo.Correction) error {
	for _, c := range found {
		if _, err := fmt.Fprintf(p.Stdout, "%-10s  %-50s  %14d  %14d\n", day, c.Counter, c.Stored, c.Recounted); err != nil {
			return err
		}
	}
	return nil
}
