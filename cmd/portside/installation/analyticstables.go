package installation

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/cmd/portside/operator"
	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
)

// AnalyticsTables are the stores of the dashboard's numbers and of the logs that they are counted
// from.
type AnalyticsTables struct {
	*Tables
	Analytics *analyticsdynamo.Store
	Recorder  *analyticsdynamo.Recorder
	Pulls     *pullsdynamo.Store
}

// OpenAnalytics returns the stores of the dashboard, and those of Open.
func (t *Target) OpenAnalytics(ctx context.Context, p operator.Process) (*AnalyticsTables, error) {
	opened, err := t.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	settings := start.NewSettings(t.lookup(p))
	pullsTable := cmp.Or(opened.Stack.Tables["PullsTable"], settings.Optional("PULLS_TABLE"))
	bucket := cmp.Or(opened.Stack.Buckets["AnalyticsBucket"], settings.Optional("ANALYTICS_BUCKET"))
	if pullsTable == "" || bucket == "" {
		return nil, operator.UsageError("set PULLS_TABLE and ANALYTICS_BUCKET to the names of the table and the bucket, " +
			"or pass --local DATA for a local stack")
	}
	store := analyticsdynamo.New(opened.Client, opened.Names.Analytics)
	archive := analyticss3.NewArchive(S3Client(opened.Config, opened.Stack.S3), bucket)
	return &AnalyticsTables{
		Tables: opened, Analytics: store, Recorder: analyticsdynamo.NewRecorder(store, archive),
		Pulls: pullsdynamo.New(opened.Client, pullsTable, opened.Names.Analytics),
	}, nil
}

// S3Client returns a client for the S3 of a local stack. With an empty address it uses the SDK
// settings.
func S3Client(cfg aws.Config, address string) *s3.Client {
	return s3client.New(cfg, func(o *s3.Options) {
		if address != "" {
			o.BaseEndpoint = &address
		}
	})
}

// CountPulls counts the pulls of a day in the pull log.
func (a *AnalyticsTables) CountPulls(ctx context.Context, day calendar.Day) (analytics.Pulls, error) {
	counts, err := a.Pulls.Count(ctx, day)
	if errors.Is(err, pullsdynamo.ErrPending) {
		err = analyticsdynamo.ErrChanging
	}
	return analytics.Pulls{Charts: counts[pulls.Chart], Images: counts[pulls.Image], Checks: counts[pullsdynamo.Checks]}, err
}

// FirstKeptDay returns the first day for which the pull log and the counted log lines are still complete.
func FirstKeptDay(now time.Time) calendar.Day {
	return calendar.DayOf(now.Add(-min(pulls.Retention, logs.Retention))) + 1
}
