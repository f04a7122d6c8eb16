package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/calendar"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
)

// analyticsTables are the stores of the dashboard's numbers and of the logs that they are counted
// from.
type analyticsTables struct {
	*tables
	analytics *analyticsdynamo.Store
	recorder  *analyticsdynamo.Recorder
	pulls     *pullsdynamo.Store
}

func (t *target) openAnalytics(ctx context.Context, p process) (*analyticsTables, error) {
	opened, err := t.open(ctx, p)
	if err != nil {
		return nil, err
	}
	settings := start.NewSettings(t.lookup(p))
	pullsTable := cmp.Or(opened.stack.Tables["PullsTable"], settings.Optional("PULLS_TABLE"))
	bucket := cmp.Or(opened.stack.Buckets["AnalyticsBucket"], settings.Optional("ANALYTICS_BUCKET"))
	if pullsTable == "" || bucket == "" {
		return nil, usageError("set PULLS_TABLE and ANALYTICS_BUCKET to the names of the table and the bucket, " +
			"or pass --local DATA for a local stack")
	}
	store := analyticsdynamo.New(opened.client, opened.names.analytics)
	archive := analyticss3.NewArchive(s3Client(opened.config, opened.stack.S3), bucket)
	return &analyticsTables{
		tables: opened, analytics: store, recorder: analyticsdynamo.NewRecorder(store, archive),
		pulls: pullsdynamo.New(opened.client, pullsTable, opened.names.analytics),
	}, nil
}

// s3Client returns a client for the S3 of a local stack. With an empty address it uses the SDK
// settings.
func s3Client(cfg aws.Config, address string) *s3.Client {
	return s3client.New(cfg, func(o *s3.Options) {
		if address != "" {
			o.BaseEndpoint = &address
		}
	})
}

// countPulls counts the pulls of a day in the pull log.
func (a *analyticsTables) countPulls(ctx context.Context, day calendar.Day) (analytics.Pulls, error) {
	counts, err := a.pulls.Count(ctx, day)
	if errors.Is(err, pullsdynamo.ErrPending) {
		err = analyticsdynamo.ErrChanging
	}
	return analytics.Pulls{Charts: counts[pulls.Chart], Images: counts[pulls.Image], Checks: counts[pullsdynamo.Checks]}, err
}

// firstKeptDay returns the first day for which the pull log and the counted log lines are still complete.
func firstKeptDay(now time.Time) calendar.Day {
	return calendar.DayOf(now.Add(-min(pulls.Retention, analytics.Retention))) + 1
}
