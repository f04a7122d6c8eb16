package analyticscloudwatch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"portside/shared/analytics"
)

var noon = time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)

// points are the daily sizes of a bucket. CloudWatch has no local engine, so they answer as it documents: the points in
// the requested time, in no order.
type points map[time.Time]float64

var errUnavailable = errors.New("CloudWatch is unavailable")

func (p points) GetMetricStatistics(
	_ context.Context, in *cloudwatch.GetMetricStatisticsInput, _ ...func(*cloudwatch.Options),
) (*cloudwatch.GetMetricStatisticsOutput, error) {
	if p == nil {
		return nil, errUnavailable
	}
	out := &cloudwatch.GetMetricStatisticsOutput{}
	for at, size := range p {
		if !at.Before(*in.StartTime) && at.Before(*in.EndTime) {
			out.Datapoints = append(out.Datapoints, types.Datapoint{Timestamp: &at, Average: aws.Float64(size)})
		}
	}
	return out, nil
}

// listed is a bucket that is listed in two parts.
type listed struct{}

func (listed) Part(_ context.Context, after string) (analytics.BucketPart, error) {
	if after == "" {
		return analytics.BucketPart{Bytes: 1, Last: "a"}, nil
	}
	return analytics.BucketPart{Bytes: 2}, nil
}

func TestTheLatestMetricIsTheSize(t *testing.T) {
	day := func(n int) time.Time { return noon.Truncate(24*time.Hour).AddDate(0, 0, -n) }
	for name, c := range map[string]struct {
		metric points
		after  string
		want   analytics.BucketPart
	}{
		"one day":           {points{day(1): 5e12}, "", analytics.BucketPart{Bytes: 5e12}},
		"three days":        {points{day(2): 5, day(1): 7, day(0): 6}, "", analytics.BucketPart{Bytes: 6}},
		"empty":             {points{day(1): 0}, "", analytics.BucketPart{}},
		"no metric":         {points{}, "", analytics.BucketPart{Bytes: 1, Last: "a"}},
		"too old":           {points{day(4): 5}, "", analytics.BucketPart{Bytes: 1, Last: "a"}},
		"a listing goes on": {points{day(1): 5}, "a", analytics.BucketPart{Bytes: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			sizer := BucketSizer{client: c.metric, bucket: "charts", listed: listed{}, now: func() time.Time { return noon }}
			if got, err := sizer.Part(t.Context(), c.after); err != nil || got != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
	broken := BucketSizer{client: points(nil), listed: listed{}, now: func() time.Time { return noon }}
	if _, err := broken.Part(t.Context(), ""); !errors.Is(err, errUnavailable) {
		t.Errorf("an error of CloudWatch: %v", err)
	}
}
