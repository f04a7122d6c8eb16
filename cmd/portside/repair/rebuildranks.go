package repair

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/core/audit"
	"portside/shared/customers"
	"portside/shared/dynamo/lists"
)

func rebuildCommand() operator.Command {
	return operator.Command{
		Name: "rebuild-ranks", Summary: "repair lists, counts, markers and the terms of searches",
		Help: `Compares the users with everything that is derived from them: email markers, lists,
counts, the terms of searches, the sequence of numbers, and the number of active admins. It
does the same for customers, with the markers of slugs and external IDs, for the resources of
customers, such as projects, and for the numbers of users and resources of each customer.
Differences are repaired. The service can stay in use meanwhile. If everything is correct,
the command changes nothing. The audit log has an event for each run. After an interruption,
run it again. The exit code is 1 if something is left that only a person can decide.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			on := installation.NewTarget(flags)
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				t, err := on.Open(ctx, p)
				if err != nil {
					return err
				}
				return rebuildRanks(ctx, p, t)
			}
		},
	}
}

// rebuildRanks rebuilds the lists of each kind of resource. It continues after a kind with disputes.
func rebuildRanks(ctx context.Context, p operator.Process, t *installation.Tables) error {
	rebuilt, err := t.Users.Rebuild(ctx, rebuildProgress(p, "users"))
	if err != nil {
		return operator.Interrupted(ctx, err)
	}
	failures := []error{
		reportRepairs(p, "users", rebuilt.Repairs, summaryLine{"number of active admins corrected", count(rebuilt.Admins)}),
	}
	for _, kind := range t.ResourceKinds() {
		repairs, err := kind.Rebuild(ctx, rebuildProgress(p, kind.Plural))
		if err != nil {
			return operator.Interrupted(ctx, err)
		}
		failures = append(failures, reportRepairs(p, kind.Plural, repairs))
	}
	failures = append(failures, recountCustomers(ctx, p, t))
	return errors.Join(append(failures, t.Record(ctx, audit.TableRebuilt))...)
}

// recountCustomers corrects the counts of each customer's lists. The entries of these lists are correct already.
func recountCustomers(ctx context.Context, p operator.Process, t *installation.Tables) error {
	kinds := append([]installation.ResourceKind{{Plural: "users", RebuildCustomer: t.Users.RebuildCustomer}}, t.ResourceKinds()...)
	kinds = slices.DeleteFunc(kinds, func(kind installation.ResourceKind) bool { return kind.RebuildCustomer == nil })
	corrected := make([]int, len(kinds))
	for query := (customers.Query{Limit: 100}); ; {
		page, err := t.Customers.List(ctx, query)
		if err != nil {
			return operator.Interrupted(ctx, err)
		}
		for _, customer := range page.Customers {
			for i, kind := range kinds {
				wasWrong, err := kind.RebuildCustomer(ctx, customer.ID)
				if err != nil {
					return operator.Interrupted(ctx, err)
				}
				corrected[i] += count(wasWrong)
			}
		}
		if query.After = page.Next; page.Next == "" {
			break
		}
	}
	for i, kind := range kinds {
		if _, err := fmt.Fprintf(p.Stdout, "%7d  numbers of %s of customers corrected\n", corrected[i], kind.Plural); err != nil {
			return err
		}
	}
	return nil
}

// summaryLine is a line of the summary.
type summaryLine struct {
	what   string
	number int
}

// reportRepairs prints the number of repairs of each kind. It returns an error if disputes remain.
func reportRepairs(p operator.Process, things string, repairs lists.Repairs, more ...summaryLine) error {
	lines := append([]summaryLine{
		{"items that belong to none of the " + things + " removed", repairs.Strays},
		{things + " repaired in lists and markers", repairs.Resources},
		{"counters of " + things + " corrected", repairs.Counters},
		{"sequence numbers of " + things + " corrected", count(repairs.Sequence)},
	}, more...)
	for _, line := range lines {
		if _, err := fmt.Fprintf(p.Stdout, "%7d  %s\n", line.number, line.what); err != nil {
			return err
		}
	}
	for _, d := range repairs.Disputes {
		p.Report("%s: %s %s", things, d.ID, d.Reason)
	}
	if len(repairs.Disputes) > 0 {
		return fmt.Errorf("%d %s stay unchanged: change or delete one of each pair through the API, then run the command again",
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

// rebuildProgress reports the beginning of every step, and the progress every few seconds.
func rebuildProgress(p operator.Process, things string) func(lists.Progress) {
	var step lists.Step
	var reportedAt time.Time
	return func(at lists.Progress) {
		if at.Step == step && time.Since(reportedAt) < operator.ProgressInterval {
			return
		}
		step, reportedAt = at.Step, time.Now()
		if at.Of > 0 {
			p.Report("%s, %s: %d of %d", things, at.Step, at.Done, at.Of)
			return
		}
		p.Report("%s, %s: %d", things, at.Step, at.Done)
	}
}
