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

// stack is the function with real engines.
type stack struct {
	*testing.T
	meter  analytics.Meter
	store  *analyticsdynamo.Store
	client *s3.Client
	bucket map[string]string
}

func newStack(t *testing.T) *stack {
	t.Helper()
	client, charts, media := awstest.S3(t), awstest.Bucket(t), awstest.Bucket(t)
	database := awstest.DynamoDB(t)
	store := analyticsdynamo.New(database, awstest.Table(t, database, "AnalyticsTable"))
	s := &stack{T: t, store: store, client: client, bucket: map[string]string{"charts": charts, "media": media}}
	s.meter = analytics.Meter{
		Charts: analyticss3.NewSize(client, charts), Media: analyticss3.NewSize(client, media), Gauge: store, Now: s.at(noon),
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
	return measure(s.meter)(s.Context(), json.RawMessage(text))
}

func (s *stack) expect(want *analytics.Storage) {
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

func TestWhatIsStoredIsMeasured(t *testing.T) {
	s := newStack(t)
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

	s.meter.Now = s.at(noon.Add(-time.Hour)) // a run that was held up
	s.put("charts", 100)
	if err := s.run("hourly"); err != nil {
		t.Fatal(err)
	}
	s.expect(&analytics.Storage{Charts: 5, Media: 7})
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

// broken is a bucket that cannot be reached.
type broken struct{}

func (broken) Bytes(context.Context) (int64, error) { return 0, errors.New("away") }

func TestHalfASumIsNotKept(t *testing.T) {
	s := newStack(t)
	s.meter.Media = broken{}
	if err := s.run("hourly"); err == nil {
		t.Error("a bucket that is away is no error")
	}
	s.expect(nil)
}

// slow is a bucket that is never done.
type slow struct{}

func (slow) Bytes(ctx context.Context) (int64, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func TestItEndsBeforeItsTimeDoes(t *testing.T) {
	s := newStack(t)
	s.meter.Charts = slow{}
	ctx, cancel := context.WithTimeout(t.Context(), reserve+50*time.Millisecond)
	defer cancel()
	if err := measure(s.meter)(ctx, nil); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		t.Errorf("got %v, with the function's own time: %v", err, ctx.Err())
	}
}
