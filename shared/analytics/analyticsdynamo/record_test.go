package analyticsdynamo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/testkit/awstest"
)

var night = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// latencyBuckets is how many buckets the latencies of requests can be in.
const latencyBuckets = 352

// busyDay returns a segment with n requests of one day. They are spread over all hours, and over
// all latency buckets as far as n allows.
func busyDay(n int) logs.Segment {
	s := logs.Segment{Log: logs.AccessLog, Day: calendar.DayOf(night), Stream: "0123456789abcdef"}
	for i := range n {
		first, _ := analytics.Bucket(i % latencyBuckets).Bounds()
		at := night.Add(time.Duration(i) * 24 * time.Hour / time.Duration(n))
		s.Lines = append(s.Lines, logs.Line{
			ID: fmt.Sprintf("%056d", i), LoggedAt: at.Truncate(time.Millisecond),
			Request: &analytics.Request{At: at, Status: 200 + i%2*300, LatencyMillis: first, IsMediaCall: i%3 == 0},
		})
	}
	return s
}

// The cost does not depend on the size of the segment or on what the day already has. Only large segments need a call
// of S3.
func TestRecordCost(t *testing.T) {
	plain := awstest.DynamoDB(t)
	client, meter := awstest.Metered(plain)
	for _, c := range []struct {
		lines, puts int
		maxUnits    float64
	}{{1, 0, 4}, {10, 0, 4}, {20, 0, 4}, {100, 1, 6}, {1000, 1, 6}, {10_000, 1, 6}} {
		t.Run(fmt.Sprintf("%d lines", c.lines), func(t *testing.T) {
			archive := &hookedArchive{Archive: analyticss3.NewArchive(awstest.S3(t), awstest.Bucket(t))}
			r := analyticsdynamo.NewRecorder(analyticsdynamo.New(client, awstest.Table(t, plain, "AnalyticsTable")), archive)
			for batch := range 3 {
				s := busyDay(c.lines)
				s.Stream = fmt.Sprintf("%016x", batch)
				meter.Reset()
				archive.puts = 0
				if _, err := r.Record(t.Context(), s); err != nil {
					t.Fatal(err)
				}
				if meter.WriteUnits() > c.maxUnits || meter.ReadUnits() > 2 || meter.Calls() != 3 || archive.puts != c.puts {
					t.Errorf("batch %d: %v write units, %v read units, %d calls, %d puts",
						batch, meter.WriteUnits(), meter.ReadUnits(), meter.Calls(), archive.puts)
				}
			}
		})
	}
}

// Markers are most items of the table, and the only ones that DynamoDB may delete.
func TestOnlyMarkersAreDeleted(t *testing.T) {
	client := awstest.DynamoDB(t)
	table := awstest.Table(t, client, "AnalyticsTable")
	r := analyticsdynamo.NewRecorder(analyticsdynamo.New(client, table), analyticss3.NewArchive(awstest.S3(t), awstest.Bucket(t)))
	calls := logs.Segment{Log: logs.ModelLog, Day: calendar.DayOf(night), Stream: "0123456789abcdef", Lines: []logs.Line{
		{ID: "1", LoggedAt: night, Call: &logs.ModelCall{At: night, ModelUsage: analytics.ModelUsage{Calls: 1}}},
	}}
	for _, segment := range []logs.Segment{busyDay(1), calls} {
		if _, err := r.Record(t.Context(), segment); err != nil {
			t.Fatal(err)
		}
	}
	all, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"requests": "", "usage": "",
		"batches#requests#2026-11-22": "1830038400", "batches#models#2026-11-22": "1830038400", // 2027-12-29
	}
	got := map[string]string{}
	for _, item := range all.Items {
		pk, _ := item["pk"].(*types.AttributeValueMemberS)
		purgeAt, ends := item["purgeAt"].(*types.AttributeValueMemberN)
		got[pk.Value] = ""
		if ends {
			got[pk.Value] = purgeAt.Value
		}
	}
	if !maps.Equal(want, got) {
		t.Errorf("the items end at %v, want %v", got, want)
	}
}

// hookedArchive counts the puts and calls afterPut after each. It lets a test interfere between
// archiving and counting.
type hookedArchive struct {
	logs.Archive
	puts     int
	afterPut func()
}

func (a *hookedArchive) Put(ctx context.Context, name logs.SegmentName, data []byte) error {
	a.puts++
	err := a.Archive.Put(ctx, name, data)
	if a.afterPut != nil {
		a.afterPut()
	}
	return err
}

// Another writer changes the day between archiving and counting, so the Recorder has to retry.
func TestRecordRetriesAfterConcurrentWrite(t *testing.T) {
	client := awstest.DynamoDB(t)
	store := analyticsdynamo.New(client, awstest.Table(t, client, "AnalyticsTable"))
	archive := &hookedArchive{Archive: analyticss3.NewArchive(awstest.S3(t), awstest.Bucket(t))}
	other, r := analyticsdynamo.NewRecorder(store, archive.Archive), analyticsdynamo.NewRecorder(store, archive)
	archive.afterPut = func() {
		if _, err := other.Record(t.Context(), busyDay(70)); err != nil {
			t.Error(err)
		}
	}
	counted, err := r.Record(t.Context(), otherStream(busyDay(70)))
	if err != nil || len(counted.Lines) != 70 || archive.puts != 1 {
		t.Errorf("counted %d lines with %d puts, %v", len(counted.Lines), archive.puts, err)
	}
	counted, err = r.Record(t.Context(), otherStream(busyDay(70)))
	if err != nil || len(counted.Lines) != 0 || archive.puts != 1 {
		t.Errorf("second call: counted %d lines with %d puts, %v", len(counted.Lines), archive.puts, err)
	}
	days, err := store.Requests(t.Context(), calendar.DayOf(night), calendar.DayOf(night))
	if err != nil || days[calendar.DayOf(night)].Calls != 140 {
		t.Errorf("%+v, %v", days, err)
	}
}

// otherStream returns the segment as if another log stream had it.
func otherStream(s logs.Segment) logs.Segment {
	s.Stream = "fedcba9876543210"
	return s
}

// The context is canceled between archiving and counting. A second call counts the lines.
func TestRecordStopsWhenContextIsCanceled(t *testing.T) {
	client := awstest.DynamoDB(t)
	store := analyticsdynamo.New(client, awstest.Table(t, client, "AnalyticsTable"))
	archive := &hookedArchive{Archive: analyticss3.NewArchive(awstest.S3(t), awstest.Bucket(t))}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	archive.afterPut = cancel
	if _, err := analyticsdynamo.NewRecorder(store, archive).Record(ctx, busyDay(70)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	counted, err := analyticsdynamo.NewRecorder(store, archive.Archive).Record(t.Context(), busyDay(70))
	if err != nil || len(counted.Lines) != 70 {
		t.Errorf("second call: counted %d lines, %v", len(counted.Lines), err)
	}
}

// Without the archived lines of an overlapping segment, the Recorder could count lines twice.
func TestRecordRejectsMissingOverlappingSegment(t *testing.T) {
	client := awstest.DynamoDB(t)
	store := analyticsdynamo.New(client, awstest.Table(t, client, "AnalyticsTable"))
	first := analyticsdynamo.NewRecorder(store, analyticss3.NewArchive(awstest.S3(t), awstest.Bucket(t)))
	if _, err := first.Record(t.Context(), busyDay(70)); err != nil {
		t.Fatal(err)
	}
	elsewhere := analyticsdynamo.NewRecorder(store, analyticss3.NewArchive(awstest.S3(t), awstest.Bucket(t)))
	if _, err := elsewhere.Record(t.Context(), busyDay(71)); err == nil {
		t.Error("a segment was counted although the segment that it overlaps is missing from the archive")
	}
}
