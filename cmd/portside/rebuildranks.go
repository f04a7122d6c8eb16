package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"portside/shared/dynamo/lists"
)

func rebuildCommand() command {
	return command{
		name: "rebuild-ranks", summary: "repair lists, counts and e-mail markers from the users and projects themselves",
		help: `Compares everything that is derived from the users with the users: e-mail markers,
lists, counts, the sequence of numbers, the number of active admins; and the same of the
projects. What is wrong is mended. The service may go on meanwhile. A run on sound tables
changes nothing; one that was stopped is simply run again. Exit code 1 if something is
left that only a person can decide.`,
		prepare: func(flags *flag.FlagSet) action {
			on := newTarget(flags)
			return func(ctx context.Context, p process, arguments []string) error {
				if err := noArguments(arguments); err != nil {
					return err
				}
				t, err := on.open(ctx, p)
				if err != nil {
					return err
				}
				return rebuildRanks(ctx, p, t)
			}
		},
	}
}

// rebuildRanks goes on with the projects where users are in dispute: neither depends on the other.
func rebuildRanks(ctx context.Context, p process, t *tables) error {
	of, err := t.users.Rebuild(ctx, rebuildProgress(p, "users"))
	if err != nil {
		return interrupted(ctx, err)
	}
	users := tellRepairs(p, "users", of.Repairs, repair{"number of active admins corrected", count(of.Admins)})
	repairs, err := t.projects.Rebuild(ctx, rebuildProgress(p, "projects"))
	if err != nil {
		return cmp.Or(interrupted(ctx, err), users)
	}
	return errors.Join(users, tellRepairs(p, "projects", repairs))
}

func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("stopped; run it again to finish")
	}
	return err
}

// repair is a line of the summary.
type repair struct {
	what   string
	number int
}

// tellRepairs prints what was mended. The error says that something is left.
func tellRepairs(p process, things string, repairs lists.Repairs, more ...repair) error {
	lines := append([]repair{
		{"items without one of the " + things + " removed", repairs.Strays},
		{things + " put right in lists and markers", repairs.Things},
		{"counters of " + things + " corrected", repairs.Counters},
		{"sequence of the numbers of " + things + " corrected", count(repairs.Sequence)},
	}, more...)
	for _, line := range lines {
		if _, err := fmt.Fprintf(p.stdout, "%7d  %s\n", line.number, line.what); err != nil {
			return err
		}
	}
	for _, d := range repairs.Disputes {
		p.say("%s: %s %s", things, d.ID, d.Reason)
	}
	if len(repairs.Disputes) > 0 {
		return fmt.Errorf("%d %s are left as they are: change or delete one of each pair through the API, then run it again",
			len(repairs.Disputes), things)
	}
	return nil
}

func count(done bool) int {
	if done {
		return 1
	}
	return 0
}

// rebuildProgress tells the beginning of every step, and how far it is every few seconds.
func rebuildProgress(p process, things string) func(lists.Progress) {
	var step lists.Step
	var told time.Time
	return func(at lists.Progress) {
		if at.Step == step && time.Since(told) < tellEvery {
			return
		}
		step, told = at.Step, time.Now()
		if at.Of > 0 {
			p.say("%s, %s: %d of %d", things, at.Step, at.Done, at.Of)
			return
		}
		p.say("%s, %s: %d", things, at.Step, at.Done)
	}
}
