// Package replay has the operators' command replay-logs, which counts log lines that were not counted.
package replay

import (
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
)

// job is the job of the command replay-logs.
type job struct {
	on       *installation.Target
	group    string
	from, to timeFlag
}

// Commands returns the command.
func Commands() []operator.Command { return []operator.Command{command()} }

func command() operator.Command {
	return operator.Command{
		Name: "replay-logs", Summary: "count log lines again that were not counted, each exactly once",
		Help: `Without --group, counts the batches of log lines that CountUsageFunction and
RecordPullsFunction could not count. Lambda keeps them in the bucket FailedBatchesBucket after its
last attempt. The command deletes each batch that it has counted. It keeps and reports the
others, for example damaged ones, and continues.

With --group, --from and --to, counts the lines of a log group of CloudWatch Logs from a
range of time, for example after a subscription was missing.

A line counts once, however often it is delivered or replayed, so the command is safe at any
time while the service runs. It prints for each batch how many lines are new, how many were
counted before, and how many cannot be counted. After an interruption, run it again. The exit
code is 1 if batches are left.

The buckets, tables and log groups are those of FAILED_BATCHES_BUCKET, ANALYTICS_BUCKET,
ANALYTICS_TABLE, PULLS_TABLE, ACCESS_LOG_GROUP, MODEL_LOG_GROUPS and PULL_LOG_GROUPS (see the
outputs of the deployed stack), or those of the local stack, which keeps no other lines than
failed batches.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			r := &job{on: installation.NewTarget(flags)}
			flags.StringVar(&r.group, "group", "", "`NAME` of a log group; default: the failed batches")
			flags.Var(&r.from, "from", "with --group: the first `TIME`, such as 2026-11-21T08:00:00Z")
			flags.Var(&r.to, "to", "with --group: the last `TIME`; default: now")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				return r.run(ctx, p)
			}
		},
	}
}

// timeFlag is an optional time on the command line. It is zero if the flag is missing.
type timeFlag struct{ time.Time }

func (f *timeFlag) String() string {
	if f.IsZero() {
		return ""
	}
	return f.Format(time.RFC3339)
}

// Set implements flag.Value.
func (f *timeFlag) Set(text string) (err error) {
	f.Time, err = time.Parse(time.RFC3339, text)
	return err
}

// check returns an error if the flags do not fit together.
func (r *job) check() error {
	switch {
	case r.group == "" && (!r.from.IsZero() || !r.to.IsZero()):
		return operator.UsageError("--from and --to need --group")
	case r.group == "":
		return nil
	case r.on.Local != "":
		return operator.UsageError("the local stack keeps only failed batches; omit --group")
	case r.from.IsZero():
		return operator.UsageError("--group needs --from")
	case !r.from.Before(r.to.Time):
		return operator.UsageError("--from must be before --to")
	}
	return nil
}

func (r *job) run(ctx context.Context, p operator.Process) error {
	if r.group != "" && r.to.IsZero() {
		r.to.Time = p.Now()
	}
	if err := r.check(); err != nil {
		return err
	}
	tables, err := r.on.OpenAnalytics(ctx, p)
	if err != nil {
		return err
	}
	counter, err := newLineCounter(tables, p)
	if err != nil {
		return err
	}
	if r.group != "" {
		lines := groupLines{client: cloudwatchlogs.NewFromConfig(tables.Config), group: r.group, from: r.from.Time, to: r.to.Time}
		err = lines.replay(ctx, p, counter)
	} else {
		err = newFailedBatches(tables, counter.bucket).replay(ctx, p, counter)
	}
	if ctx.Err() != nil {
		return operator.Interrupted(ctx, err)
	}
	if _, printErr := fmt.Fprintf(p.Stdout, "in all: %s\n", counter.total); printErr != nil {
		return printErr
	}
	return err
}
