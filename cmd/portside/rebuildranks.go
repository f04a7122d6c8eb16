package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"portside/shared/users/usersdynamo"
)

func rebuildCommand() command {
	return command{
		name: "rebuild-ranks", summary: "repair lists, counts and e-mail markers from the users themselves",
		help: `Compares everything that is derived from the users with the users: e-mail markers,
lists, counts, the sequence of numbers, the number of active admins. What is wrong is
mended. The service may go on meanwhile. A run on a sound table changes nothing; one that
was stopped is simply run again. Exit code 1 if something is left that only a person can
decide.`,
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
				return rebuildRanks(ctx, p, t.users)
			}
		},
	}
}

func rebuildRanks(ctx context.Context, p process, store *usersdynamo.Store) error {
	repairs, err := store.Rebuild(ctx, rebuildProgress(p))
	if ctx.Err() != nil {
		return fmt.Errorf("stopped; run it again to finish")
	}
	if err != nil {
		return err
	}
	for _, line := range []struct {
		what   string
		number int
	}{
		{"list items and e-mail markers without a user removed", repairs.Strays},
		{"users put right in lists and e-mail markers", repairs.Users},
		{"counters corrected", repairs.Counters},
		{"sequence of numbers corrected", count(repairs.Sequence)},
		{"number of active admins corrected", count(repairs.Admins)},
	} {
		if _, err := fmt.Fprintf(p.stdout, "%7d  %s\n", line.number, line.what); err != nil {
			return err
		}
	}
	for _, d := range repairs.Disputes {
		p.say("user %s %s", d.UserID, d.Reason)
	}
	if len(repairs.Disputes) > 0 {
		return fmt.Errorf("%d users are left as they are: change or delete one of each pair through the API, then run it again",
			len(repairs.Disputes))
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
func rebuildProgress(p process) func(usersdynamo.Progress) {
	var step usersdynamo.Step
	var told time.Time
	return func(at usersdynamo.Progress) {
		if at.Step == step && time.Since(told) < tellEvery {
			return
		}
		step, told = at.Step, time.Now()
		if at.Of > 0 {
			p.say("%s: %d of %d", at.Step, at.Done, at.Of)
			return
		}
		p.say("%s: %d", at.Step, at.Done)
	}
}
