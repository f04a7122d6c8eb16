package main

import (
	"cmp"
	"context"
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

// records are what the dashboard's numbers are counted from, and where they are kept.
type records struct {
	*tables
	analytics *analyticsdynamo.Store
	recorder  *analyticsdynamo.Recorder
	pulls     *pullsdynamo.Store
}

func (t *target) openRecords(ctx context.Context, p process) (*records, error) {
	opened, err := t.open(ctx, p)
	if err != nil {
		return nil, err
	}
	settings := start.NewSettings(p.lookup)
	pullsTable := cmp.Or(opened.stack.Tables["PullsTable"], settings.Optional("PULLS_TABLE"))
	bucket := cmp.Or(opened.stack.Buckets["AnalyticsBucket"], settings.Optional("ANALYTICS_BUCKET"))
	if pullsTable == "" || bucket == "" {
		return nil, usageError("set PULLS_TABLE to the table's name and ANALYTICS_BUCKET to the bucket's, or give --local DATA for a local stack")
	}
	store := analyticsdynamo.New(opened.client, opened.names.analytics)
	archive := analyticss3.NewArchive(s3Client(opened.config, opened.stack.S3), bucket)
	return &records{
		tables: opened, analytics: store, recorder: analyticsdynamo.NewRecorder(store, archive),
		pulls: pullsdynamo.New(opened.client, pullsTable, opened.names.analytics),
	}, nil
}

// s3Client reaches the S3 of a local stack at an address, and otherwise the one of the settings.
func s3Client(cfg aws.Config, address string) *s3.Client {
	return s3client.New(cfg, func(o *s3.Options) {
		if address != "" {
			o.BaseEndpoint = &address
		}
	})
}

// countPulls counts the pulls of a day again.
func (r *records) countPulls(ctx context.Context, day calendar.Day) (analytics.Pulls, error) {
	counts, err := r.pulls.Count(ctx, day)
	return analytics.Pulls{Charts: counts[pulls.Chart], Images: counts[pulls.Image]}, err
}

// firstDayOfPulls is the first day of which the log still has all pulls.
func firstDayOfPulls(now time.Time) calendar.Day {
	return calendar.DayOf(now.Add(-pulls.Retention)) + 1
}
