package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
)

// replayLogs is the job of the command replay-logs.
type replayLogs struct {
	on       *target
	group    string
	from, to timeFlag
}

func replayCommand() command {
	return command{
		name: "replay-logs", summary: "count log lines again that were not counted, each exactly once",
		help: `Without --group, counts the batches of log lines that CountUsageFunction and
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
		prepare: func(flags *flag.FlagSet) action {
			r := &replayLogs{on: newTarget(flags)}
			flags.StringVar(&r.group, "group", "", "`NAME` of a log group; default: the failed batches")
			flags.Var(&r.from, "from", "with --group: the first `TIME`, such as 2026-11-21T08:00:00Z")
			flags.Var(&r.to, "to", "with --group: the last `TIME`; default: now")
			return func(ctx context.Context, p process, arguments []string) error {
				if err := rejectArguments(arguments); err != nil {
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
func (r *replayLogs) check() error {
	switch {
	case r.group == "" && (!r.from.IsZero() || !r.to.IsZero()):
		return usageError("--from and --to need --group")
	case r.group == "":
		return nil
	case r.on.local != "":
		return usageError("the local stack keeps only failed batches; omit --group")
	case r.from.IsZero():
		return usageError("--group needs --from")
	case !r.from.Before(r.to.Time):
		return usageError("--from must be before --to")
	}
	return nil
}

func (r *replayLogs) run(ctx context.Context, p process) error {
	if r.group != "" && r.to.IsZero() {
		r.to.Time = p.now()
	}
	if err := r.check(); err != nil {
		return err
	}
	tables, err := r.on.openAnalytics(ctx, p)
	if err != nil {
		return err
	}
	counter, err := newLineCounter(tables, p)
	if err != nil {
		return err
	}
	if r.group != "" {
		lines := groupLines{client: cloudwatchlogs.NewFromConfig(tables.config), group: r.group, from: r.from.Time, to: r.to.Time}
		err = lines.replay(ctx, p, counter)
	} else {
		err = newFailedBatches(tables, counter.bucket).replay(ctx, p, counter)
	}
	if ctx.Err() != nil {
		return interrupted(ctx, err)
	}
	if _, printErr := fmt.Fprintf(p.stdout, "in all: %s\n", counter.total); printErr != nil {
		return printErr
	}
	return err
}
