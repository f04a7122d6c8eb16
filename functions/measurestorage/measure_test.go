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
	"portside/shared/testkit/awstest"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// fixture is the function with real engines.
type fixture struct {
	*testing.T
	meter  analytics.Meter
	store  *analyticsdynamo.Store
	client *s3.Client
	bucket map[string]string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	client, charts, media := awstest.S3(t), awstest.Bucket(t), awstest.Bucket(t)
	database := awstest.DynamoDB(t)
	store := analyticsdynamo.New(database, awstest.Table(t, database, "AnalyticsTable"))
	s := &fixture{T: t, store: store, client: client, bucket: map[string]string{"charts": charts, "media": media}}
	s.meter = analytics.Meter{
		Charts: analyticss3.NewSize(client, charts), Media: analyticss3.NewSize(client, media), Gauge: store, Now: s.at(noon),
	}
	return s
}

func (s *fixture) at(now time.Time) func() time.Time { return func() time.Time { return now } }

func (s *fixture) run(event string) error {
	s.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "events", "measurestorage", event+".json"))
	if err != nil {
		s.Fatal(err)
	}
	return measure(s.meter)(s.Context(), json.RawMessage(text))
}

func (s *fixture) expect(want *analytics.Storage) {
	s.Helper()
	day := analytics.DayOf(noon)
	days, err := s.store.Usage(s.Context(), day, day)
	if err != nil {
		s.Fatal(err)
	}
	var got *analytics.Storage
	if found := days[day]; found != nil {
		got = found.Storage
	}
	if (got == nil) != (want == nil) || got != nil && *got != *want {
		s.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMeasureStoresSizes(t *testing.T) {
	s := newFixture(t)
	s.expect(nil)
	if err := s.run("hourly"); err != nil {
		t.Fatal(err)
	}
	s.expect(&analytics.Storage{})
	s.put("charts", 5)
	s.put("media", 7)
	if err := s.run("by-hand"); err != nil {
		t.Fatal(err)
	}
	s.expect(&analytics.Storage{Charts: 5, Media: 7})

	s.meter.Now = s.at(noon.Add(-time.Hour)) // a delayed run
	s.put("charts", 100)
	if err := s.run("hourly"); err != nil {
		t.Fatal(err)
	}
	s.expect(&analytics.Storage{Charts: 5, Media: 7})
}

func (s *fixture) put(bucket string, size int) {
	s.Helper()
	name, key := s.bucket[bucket], strconv.Itoa(size)
	_, err := s.client.PutObject(s.Context(), &s3.PutObjectInput{
		Bucket: &name, Key: &key, Body: strings.NewReader(strings.Repeat("x", size)),
	})
	if err != nil {
		s.Fatal(err)
	}
}

// failingBucket is a bucket that cannot be reached.
type failingBucket struct{}

func (failingBucket) Bytes(context.Context) (int64, error) { return 0, errors.New("away") }

func TestFailedMeasurementIsNotStored(t *testing.T) {
	s := newFixture(t)
	s.meter.Media = failingBucket{}
	if err := s.run("hourly"); err == nil {
		t.Error("no error for a bucket that cannot be reached")
	}
	s.expect(nil)
}

// slowBucket is a bucket whose measurement never ends.
type slowBucket struct{}

func (slowBucket) Bytes(ctx context.Context) (int64, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func TestMeasureStopsBeforeTheDeadline(t *testing.T) {
	s := newFixture(t)
	s.meter.Charts = slowBucket{}
	ctx, cancel := context.WithTimeout(t.Context(), reportMargin+50*time.Millisecond)
	defer cancel()
	if err := measure(s.meter)(ctx, nil); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		t.Errorf("got %v; the context of the function: %v", err, ctx.Err())
	}
}
