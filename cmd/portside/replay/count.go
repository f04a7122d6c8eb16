package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/analytics/logs"
	"portside/shared/core/loglines"
	"portside/shared/lambda/start"
	"portside/shared/pulls"
)

// lineCounter counts batches of log lines with the code of the functions. The log group of a batch
// determines which function it belongs to.
type lineCounter struct {
	usage      logs.Ingester
	pulls      pulls.Recorder
	pullGroups []string
	bucket     string // of failed batches
	total      lineOutcomes
}

// lineOutcomes says what became of log lines.
type lineOutcomes struct{ lines, recorded, known, uncountable int }

func (c lineOutcomes) String() string {
	return fmt.Sprintf("%d lines, %d new, %d counted before, %d that cannot be counted", c.lines, c.recorded, c.known, c.uncountable)
}

func (c lineOutcomes) plus(o lineOutcomes) lineOutcomes {
	return lineOutcomes{c.lines + o.lines, c.recorded + o.recorded, c.known + o.known, c.uncountable + o.uncountable}
}

func newLineCounter(tables *installation.AnalyticsTables, p operator.Process) (*lineCounter, error) {
	settings := start.NewSettings(p.Lookup)
	named := func(output, variable string) string {
		return cmp.Or(tables.Stack.Outputs[output], settings.Optional(variable))
	}
	access, models := named("AccessLogGroup", "ACCESS_LOG_GROUP"), named("ModelLogGroups", "MODEL_LOG_GROUPS")
	pullGroups, bucket := named("PullLogGroups", "PULL_LOG_GROUPS"), named("FailedBatchesBucket", "FAILED_BATCHES_BUCKET")
	if access == "" || models == "" || pullGroups == "" || bucket == "" {
		return nil, operator.UsageError("set FAILED_BATCHES_BUCKET, ACCESS_LOG_GROUP, MODEL_LOG_GROUPS and PULL_LOG_GROUPS " +
			"to the outputs of the stack, or pass --local DATA for a local stack")
	}
	return &lineCounter{
		usage: logs.Ingester{
			Groups:   logs.Groups{Access: access, Models: strings.Split(models, ",")},
			Recorder: tables.Recorder, Now: p.Now,
		},
		pulls: tables.Pulls, pullGroups: strings.Split(pullGroups, ","), bucket: bucket,
	}, nil
}

// count counts a batch, and adds the counts to the total even if a part of the batch fails.
func (c *lineCounter) count(ctx context.Context, batch loglines.Batch) (lineOutcomes, error) {
	counts, err := c.ingest(ctx, batch)
	c.total = c.total.plus(counts)
	return counts, err
}

func (c *lineCounter) ingest(ctx context.Context, batch loglines.Batch) (lineOutcomes, error) {
	if slices.Contains(c.pullGroups, batch.Group) {
		done, err := pulls.Ingest(ctx, c.pulls, batch)
		return lineOutcomes{done.Lines, done.Recorded, done.Known, done.Broken}, err
	}
	done, err := c.usage.Ingest(ctx, batch)
	return lineOutcomes{done.Lines, done.Recorded - done.Unread, done.Known, done.Unread + done.Lost}, err
}
