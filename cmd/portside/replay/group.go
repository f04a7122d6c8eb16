package replay

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"

	"portside/cmd/portside/operator"
	"portside/shared/core/loglines"
)

// groupLines are the lines of a log group in a range of time, both ends included.
type groupLines struct {
	client   *cloudwatchlogs.Client
	group    string
	from, to time.Time
}

// replay counts the lines page by page. A page has up to 10,000 lines of several streams.
func (g groupLines) replay(ctx context.Context, p operator.Process, counter *lineCounter) error {
	pages := cloudwatchlogs.NewFilterLogEventsPaginator(g.client, &cloudwatchlogs.FilterLogEventsInput{
		LogGroupName: &g.group, StartTime: aws.Int64(g.from.UnixMilli()), EndTime: aws.Int64(g.to.UnixMilli()),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("read the log group %s: %w", g.group, err)
		}
		var counts lineOutcomes
		for _, batch := range g.batches(page.Events) {
			done, err := counter.count(ctx, batch)
			if err != nil {
				return err
			}
			counts = counts.plus(done)
		}
		if len(page.Events) == 0 {
			continue
		}
		last := time.UnixMilli(aws.ToInt64(page.Events[len(page.Events)-1].Timestamp)).UTC()
		if _, err := fmt.Fprintf(p.Stdout, "up to %s: %s\n", last.Format(time.RFC3339), counts); err != nil {
			return err
		}
	}
	return nil
}

// batches groups the lines of a page by stream and day of the log, because a batch may not span many
// days.
func (g groupLines) batches(lines []types.FilteredLogEvent) []loglines.Batch {
	type part struct {
		stream string
		day    int64
	}
	var order []part
	parts := map[part][]loglines.Event{}
	for _, line := range lines {
		logged := time.UnixMilli(aws.ToInt64(line.Timestamp))
		at := part{aws.ToString(line.LogStreamName), logged.Unix() / (24 * 60 * 60)}
		if !slices.Contains(order, at) {
			order = append(order, at)
		}
		parts[at] = append(parts[at], loglines.Event{ID: aws.ToString(line.EventId), LoggedAt: logged, Message: aws.ToString(line.Message)})
	}
	all := make([]loglines.Batch, len(order))
	for i, at := range order {
		all[i] = loglines.Batch{Group: g.group, Stream: at.stream, Events: parts[at]}
	}
	return all
}
