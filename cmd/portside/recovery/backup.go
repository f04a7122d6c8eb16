package recovery

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/cmd/portside/backup"
	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
)

// readOnce are the tables that grow all the time: two rounds would never find the same items.
var readOnce = []string{"PullsTable", "AnalyticsTable", "AuditTable"}

// backupJob is the job of the command backup.
type backupJob struct {
	on      *installation.Target
	buckets bool
}

func backupCommand() operator.Command {
	return operator.Command{
		Name: "backup", Arguments: "DIR", Summary: "copy all tables, and optionally the charts and log lines, into files",
		Help: `Copies the users, customers, projects, credentials, pulls, metrics and audit events into the
folder DIR, with a manifest and checksums. The service can stay in use meanwhile. Users,
customers, projects and credentials are read until two rounds find the same items, so that
the copies agree; the command fails if they change during five rounds. Pulls, metrics and
audit events are read once, so metrics may differ slightly from their sources: run reconcile
after a restore. The sealed objects of the audit log are not in the backup.

The files contain names, email addresses, network addresses and hashes of credentials, but
no secrets in plain text. Only their owner may read them. After an interruption, run the
command again within 24 hours. Images, secrets in AWS Secrets Manager and uploaded media are
not in the backup.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			b := &backupJob{on: installation.NewTarget(flags)}
			flags.BoolVar(&b.buckets, "buckets", false, "also copy the current objects of CHARTS_BUCKET and ANALYTICS_BUCKET")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				dir, err := oneFolder(arguments)
				if err != nil {
					return err
				}
				return b.run(ctx, p, dir)
			}
		},
	}
}

// oneFolder returns the only argument of a command.
func oneFolder(arguments []string) (string, error) {
	if len(arguments) != 1 || arguments[0] == "" {
		return "", operator.UsageError("pass one folder")
	}
	return arguments[0], nil
}

func (b *backupJob) run(ctx context.Context, p operator.Process, dir string) error {
	opened, err := b.on.Open(ctx, p)
	if err != nil {
		return err
	}
	data, err := b.on.AllTables(p, opened)
	if err != nil {
		return err
	}
	job := &backup.Backup{Dir: dir, Now: p.Now, Report: reporter(p)}
	for _, table := range data {
		if isRecord := !slices.Contains(readOnce, table.ID); isRecord {
			job.Records = append(job.Records, table)
		} else {
			job.Others = append(job.Others, table)
		}
	}
	if b.buckets {
		all, err := b.on.AllBuckets(p, opened)
		if err != nil {
			return err
		}
		for _, bucket := range all {
			job.Others = append(job.Others, bucket)
		}
	}
	made, err := job.Run(ctx)
	if err != nil {
		return operator.Interrupted(ctx, err)
	}
	return printSets(p, made.Sets, "the backup in "+dir)
}

// reporter returns a function that reports progress every few seconds.
func reporter(p operator.Process) func(string, int64) {
	reportedAt := time.Now()
	return func(set string, entries int64) {
		if time.Since(reportedAt) > operator.ProgressInterval {
			reportedAt = time.Now()
			p.Report("%s: %d", set, entries)
		}
	}
}

// printSets prints the number of entries of each set.
func printSets(p operator.Process, sets []*backup.Set, where string) error {
	var b strings.Builder
	for _, set := range sets {
		what := "items"
		if set.Kind == backup.Bucket {
			what = "objects"
		}
		fmt.Fprintf(&b, "%10d  %s of %s\n", set.Entries(), what, set.Name)
	}
	p.Report("complete: %s", where)
	_, err := p.Stdout.Write([]byte(b.String()))
	return err
}
