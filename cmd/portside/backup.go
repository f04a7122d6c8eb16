package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/cmd/portside/backup"
	"portside/shared/lambda/start"
)

// readOnce are the tables that grow all the time, so two rounds would not find the same items.
var readOnce = []string{"PullsTable", "AnalyticsTable", "AuditTable"}

// backupJob is the job of the command backup.
type backupJob struct {
	on      *target
	buckets bool
}

func backupCommand() command {
	return command{
		name: "backup", arguments: "DIR", summary: "copy all tables, and optionally the charts and log lines, into files",
		help: `Copies the users, customers, projects, credentials, pulls, metrics and audit events into the
folder DIR, with a manifest and checksums. The service can stay in use meanwhile. Users, customers, projects and
credentials are read until two rounds find the same items, so that the copies agree; the
command fails if they change during five rounds. Pulls, metrics and audit events are read
once, so metrics may differ slightly from their sources: run reconcile after a restore. The
sealed objects of the audit log are not in the backup.

The files contain names, email addresses, network addresses and hashes of credentials, but
no secrets in plain text. Only their owner may read them. After an interruption, run the
command again within 24 hours. Images, secrets in AWS Secrets Manager and uploaded media are
not in the backup.`,
		prepare: func(flags *flag.FlagSet) action {
			b := &backupJob{on: newTarget(flags)}
			flags.BoolVar(&b.buckets, "buckets", false, "also copy the current objects of CHARTS_BUCKET and ANALYTICS_BUCKET")
			return func(ctx context.Context, p process, arguments []string) error {
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
		return "", usageError("pass one folder")
	}
	return arguments[0], nil
}

func (b *backupJob) run(ctx context.Context, p process, dir string) error {
	opened, err := b.on.open(ctx, p)
	if err != nil {
		return err
	}
	data, err := b.on.allTables(p, opened)
	if err != nil {
		return err
	}
	job := &backup.Backup{Dir: dir, Now: p.now, Report: reporter(p)}
	for _, table := range data {
		if isRecord := !slices.Contains(readOnce, table.ID); isRecord {
			job.Records = append(job.Records, table)
		} else {
			job.Others = append(job.Others, table)
		}
	}
	if b.buckets {
		all, err := b.on.allBuckets(p, opened)
		if err != nil {
			return err
		}
		for _, bucket := range all {
			job.Others = append(job.Others, bucket)
		}
	}
	made, err := job.Run(ctx)
	if err != nil {
		return interrupted(ctx, err)
	}
	return printSets(p, made.Sets, "the backup in "+dir)
}

// allTables returns the tables of a backup.
func (t *target) allTables(p process, opened *tables) ([]backup.TableData, error) {
	settings := start.NewSettings(t.lookup(p))
	var all []backup.TableData
	for _, table := range dataTables {
		name := cmp.Or(opened.stack.Tables[table.id], settings.Optional(table.variable))
		if name == "" {
			return nil, usageError("set " + table.variable + " to the name of the table, or pass --local DATA for a local stack")
		}
		all = append(all, backup.TableData{Client: opened.client, ID: table.id, Table: name})
	}
	return all, nil
}

// allBuckets returns the buckets of a backup.
func (t *target) allBuckets(p process, opened *tables) ([]backup.BucketData, error) {
	settings := start.NewSettings(p.lookup)
	charts := cmp.Or(opened.stack.Buckets["ChartsBucket"], settings.Optional("CHARTS_BUCKET"))
	lines := cmp.Or(opened.stack.Buckets["AnalyticsBucket"], settings.Optional("ANALYTICS_BUCKET"))
	if charts == "" || lines == "" {
		return nil, usageError("set CHARTS_BUCKET and ANALYTICS_BUCKET to the names of the buckets, or pass --local DATA for a local stack")
	}
	client := s3Client(opened.config, opened.stack.S3)
	return []backup.BucketData{
		// The index is restored first: then the function that indexes uploads finds every chart listed.
		{Client: client, ID: "ChartsBucket", Bucket: charts, Prefixes: []string{"index.yaml", "archives/", "charts/", "rejected/"}},
		{Client: client, ID: "AnalyticsBucket", Bucket: lines, Prefixes: []string{""}},
	}, nil
}

// reporter returns a function that reports progress every few seconds.
func reporter(p process) func(string, int64) {
	reportedAt := time.Now()
	return func(set string, entries int64) {
		if time.Since(reportedAt) > progressInterval {
			reportedAt = time.Now()
			p.report("%s: %d", set, entries)
		}
	}
}

// printSets prints the number of entries of each set.
func printSets(p process, sets []*backup.Set, where string) error {
	var b strings.Builder
	for _, set := range sets {
		what := "items"
		if set.Kind == backup.Bucket {
			what = "objects"
		}
		fmt.Fprintf(&b, "%10d  %s of %s\n", set.Entries(), what, set.Name)
	}
	p.report("complete: %s", where)
	_, err := p.stdout.Write([]byte(b.String()))
	return err
}
