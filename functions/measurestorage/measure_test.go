package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/calendar"
	"portside/shared/testkit/awstest"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// stack is the function on real engines.
type stack struct {
	*testing.T
	measurer analytics.StorageMeasurer
	store    *analyticsdynamo.Store
	client   *s3.Client
	bucket   map[string]string
}

func newStack(t *testing.T) *stack {
	t.Helper()
	client, charts, media := awstest.S3(t), awstest.Bucket(t), awstest.Bucket(t)
	database := awstest.DynamoDB(t)
	store := analyticsdynamo.New(database, awstest.Table(t, database, "AnalyticsTable"))
	s := &stack{T: t, store: store, client: client, bucket: map[string]string{"charts": charts, "media": media}}
	s.measurer = analytics.StorageMeasurer{
		Charts: analyticss3.NewBucketSizer(client, charts), Media: analyticss3.NewBucketSizer(client, media), Store: store, Now: s.at(noon),
	}
	return s
}

func (s *stack) at(now time.Time) func() time.Time { return func() time.Time { return now } }

func (s *stack) run(event string) error {
	s.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "events", "measurestorage", event+".json"))
	if err != nil {
		s.Fatal(err)
	}
	return measure(s.measurer)(s.Context(), json.RawMessage(text))
}

func (s *stack) expect(want *analytics.StorageBytes) {
	s.Helper()
	day := calendar.DayOf(noon)
	days, err := s.store.Usage(s.Context(), day, day)
	if err != nil {
		s.Fatal(err)
	}
	var got *analytics.StorageBytes
	if found := days[day]; found != nil {
		got = found.Storage
	}
	if (got == nil) != (want == nil) || got != nil && *got != *want {
		s.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMeasureStoresBucketSizes(t *testing.T) {
	s := newStack(t)
	s.expect(nil)
	if err := s.run("hourly"); err != nil {
		t.Fatal(err)
	}
	s.expect(&analytics.StorageBytes{})
	s.put("charts", 5)
	s.put("media", 7)
	if err := s.run("by-hand"); err != nil {
		t.Fatal(err)
	}
	s.expect(&analytics.StorageBytes{Charts: 5, Media: 7})

	s.measurer.Now = s.at(noon.Add(-time.Hour)) // a delayed run must not replace a later measurement
	s.put("charts", 100)
	if err := s.run("hourly"); err != nil {
		t.Fatal(err)
	}
	s.expect(&analytics.StorageBytes{Charts: 5, Media: 7})
}

func (s *stack) put(bucket string, size int) {
	s.Helper()
	name, key := s.bucket[bucket], strconv.Itoa(size)
	_, err := s.client.PutObject(s.Context(), &s3.PutObjectInput{
		Bucket: &name, Key: &key, Body: strings.NewReader(strings.Repeat("x", size)),
	})
	if err != nil {
		s.Fatal(err)
	}
}

// brokenBucket cannot be measured.
type brokenBucket struct{}

func (brokenBucket) TotalBytes(context.Context) (int64, error) {
	return 0, errors.New("bucket is unavailable")
}

func TestMeasureStoresNothingAfterFailure(t *testing.T) {
	s := newStack(t)
	s.measurer.Media = brokenBucket{}
	if err := s.run("hourly"); err == nil {
		t.Error("measure returned no error although a bucket is unavailable")
	}
	s.expect(nil)
}

// slowBucket never returns a size before its context ends.
type slowBucket struct{}

func (slowBucket) TotalBytes(ctx context.Context) (int64, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func TestMeasureReturnsBeforeDeadline(t *testing.T) {
	s := newStack(t)
	s.measurer.Charts = slowBucket{}
	ctx, cancel := context.WithTimeout(t.Context(), logReserve+50*time.Millisecond)
	defer cancel()
	if err := measure(s.measurer)(ctx, nil); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		t.Errorf("got %v, and the function's context has the error %v", err, ctx.Err())
	}
}
