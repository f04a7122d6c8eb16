package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/calendar"
	"portside/shared/core/walk"
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
		Charts: analyticss3.NewBucketSizer(client, charts), Media: analyticss3.NewBucketSizer(client, media),
		Walk: store.StorageWalk(), Store: store, Now: s.at(noon),
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

// parts is a bucket with a known size of each part. The keys are the numbers of the parts. It fails at one of them, if
// that is not 0.
type parts struct {
	sizes  []int64
	broken int
	reads  *int
	before func(part int)
}

func newParts(sizes ...int64) parts {
	return parts{sizes: sizes, reads: new(int), before: func(int) {}}
}

func (p parts) Part(_ context.Context, after string) (analytics.BucketPart, error) {
	i, _ := strconv.Atoi(after)
	p.before(i + 1)
	if i+1 == p.broken {
		return analytics.BucketPart{}, errors.New("bucket is unavailable")
	}
	*p.reads++
	if i+1 == len(p.sizes) {
		return analytics.BucketPart{Bytes: p.sizes[i]}, nil
	}
	return analytics.BucketPart{Bytes: p.sizes[i], Last: strconv.Itoa(i + 1)}, nil
}

// TestMeasureContinuesAfterAFailure lets the media bucket fail at each part in turn. The next run reads only the other
// parts.
func TestMeasureContinuesAfterAFailure(t *testing.T) {
	for broken := 1; broken <= 3; broken++ {
		s := newStack(t)
		charts, media := newParts(1, 2), newParts(10, 20, 30)
		media.broken = broken
		s.measurer.Charts, s.measurer.Media = charts, media
		if err := s.run("hourly"); err == nil {
			t.Error("measure returned no error although a bucket is unavailable")
		}
		s.expect(nil)
		media.broken = 0
		s.measurer.Media = media
		if err := s.run("hourly"); err != nil {
			t.Fatal(err)
		}
		s.expect(&analytics.StorageBytes{Charts: 3, Media: 60})
		if *charts.reads != 2 || *media.reads != 3 {
			t.Errorf("failed at part %d: %d and %d reads, want 2 and 3", broken, *charts.reads, *media.reads)
		}
	}
}

// shortening is a context whose deadline comes close when the test says so. It does not end.
type shortening struct {
	context.Context
	short   context.Context
	isShort atomic.Bool
}

func (c *shortening) Deadline() (time.Time, bool) {
	if c.isShort.Load() {
		return c.short.Deadline()
	}
	return c.Context.Deadline()
}

// measureParts runs until the time for this many parts of the chart bucket is over.
func (s *stack) measureParts(charts parts, n int) analytics.StorageRun {
	s.Helper()
	short, cancel := context.WithTimeout(s.Context(), 10*time.Second)
	defer cancel()
	ctx, left := &shortening{Context: s.Context(), short: short}, n
	charts.before = func(int) {
		left--
		ctx.isShort.Store(left == 0)
	}
	s.measurer.Charts = charts
	run, err := s.measurer.Measure(ctx)
	if err != nil {
		s.Fatal(err)
	}
	return run
}

// TestMeasureContinuesInTheNextRun cuts each run after one or more parts. The small bucket is complete first.
func TestMeasureContinuesInTheNextRun(t *testing.T) {
	sizes := []int64{1, 2, 4, 8, 16, 32, 64}
	for perRun := 1; perRun <= len(sizes); perRun++ {
		s := newStack(t)
		charts, media := newParts(sizes...), newParts(1000)
		s.measurer.Media = media
		runs := (len(sizes) + perRun - 1) / perRun
		for i := range runs {
			s.expect(nil)
			s.measurer.Now = s.at(noon.Add(time.Duration(i) * time.Minute))
			run := s.measureParts(charts, perRun)
			if isLast := i+1 == runs; run.IsComplete != isLast || !isLast && run.Age != time.Duration(i)*time.Minute {
				t.Errorf("run %d of %d: %+v", i+1, runs, run)
			}
		}
		s.expect(&analytics.StorageBytes{Charts: 127, Media: 1000})
		if *charts.reads != len(sizes) || *media.reads != 1 {
			t.Errorf("%d parts a run: %d and %d reads", perRun, *charts.reads, *media.reads)
		}
		if run := s.measureParts(charts, len(sizes)); !run.IsComplete || *charts.reads != 2*len(sizes) || run.Age != 0 {
			t.Errorf("a new measurement: %+v after %d reads", run, *charts.reads)
		}
	}
}

// TestConcurrentMeasurementsAreOne starts a second run during the first one. After the lease, a third run takes over,
// and the first stops.
func TestConcurrentMeasurementsAreOne(t *testing.T) {
	s := newStack(t)
	now := noon
	s.measurer.Now = func() time.Time { return now }
	charts := newParts(1, 2, 4)
	s.measurer.Media = newParts(1000)
	charts.before = func(part int) {
		if part != 2 {
			return
		}
		second := s.measurer
		if run, err := second.Measure(t.Context()); err != nil || !run.Skipped {
			t.Errorf("a second run: %+v, %v; want it skipped", run, err)
		}
		now = now.Add(analytics.StorageLease)
		second.Charts = newParts(1, 2, 4)
		if run, err := second.Measure(t.Context()); err != nil || !run.IsComplete {
			t.Errorf("a run after the lease: %+v, %v", run, err)
		}
	}
	s.measurer.Charts = charts
	if run, err := s.measurer.Measure(t.Context()); !errors.Is(err, walk.ErrLocked) || run.IsComplete {
		t.Errorf("the first run: %+v, %v; want that it lost the lease", run, err)
	}
	s.expect(&analytics.StorageBytes{Charts: 7, Media: 1000})
}

// TestMeasureReturnsBeforeDeadline gives a run less time than a part may take.
func TestMeasureReturnsBeforeDeadline(t *testing.T) {
	s := newStack(t)
	charts := newParts(1)
	s.measurer.Charts = charts
	ctx := awstest.Hurried(t.Context(), 10*time.Second)
	if run, err := s.measurer.Measure(ctx); err != nil || run.IsComplete || *charts.reads != 0 {
		t.Errorf("got %+v, %v after %d reads", run, err, *charts.reads)
	}
}
