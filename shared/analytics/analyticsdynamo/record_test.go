package analyticsdynamo_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/calendar"
	"portside/shared/testkit/awstest"
)

var night = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// buckets are all that a request's latency can be in.
const buckets = 352

// busy is a part with so many requests of one day, at all its hours, and of all latencies as far as they suffice.
func busy(n int) analytics.Part {
	p := analytics.Part{Log: analytics.AccessLog, Day: calendar.DayOf(night), Stream: "0123456789abcdef"}
	for i := range n {
		first, _ := analytics.Bucket(i % buckets).Bounds()
		at := night.Add(time.Duration(i) * 24 * time.Hour / time.Duration(n))
		p.Lines = append(p.Lines, analytics.Line{
			ID: fmt.Sprintf("%056d", i), Logged: at.Truncate(time.Millisecond),
			Request: &analytics.Request{At: at, Status: 200 + i%2*300, Latency: first, Media: i%3 == 0},
		})
	}
	return p
}

// TestCostOfAPart is the same whatever the part has, and what the day had before it.
func TestCostOfAPart(t *testing.T) {
	const most = 6
	plain := awstest.DynamoDB(t)
	client, meter := awstest.Metered(plain)
	for _, n := range []int{1, 1000, 10_000} {
		table := awstest.Table(t, plain, "AnalyticsTable")
		r := analyticsdynamo.NewRecorder(analyticsdynamo.New(client, table), analyticss3.NewParts(awstest.S3(t), awstest.Bucket(t)))
		for batch := range 3 {
			p := busy(n)
			p.Stream = fmt.Sprint(batch)
			meter.Reset()
			if _, err := r.Record(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if meter.WriteUnits() > most || meter.ReadUnits() > 2 || meter.Calls() != 3 {
				t.Errorf("%d lines, batch %d: %v write units, %v read units, %d calls", n, batch, meter.WriteUnits(), meter.ReadUnits(), meter.Calls())
			}
		}
	}
}

// memory is an archive for what no fault of a real engine comes to.
type memory struct {
	analytics.Archive
	puts int
	then func()
}

func (m *memory) Put(ctx context.Context, name analytics.Name, lines []analytics.Line) error {
	m.puts++
	err := m.Archive.Put(ctx, name, lines)
	if m.then != nil {
		m.then()
	}
	return err
}

// TestOvertaken is a part that finds the day changed each time: it counts in the end, and is put into the archive once.
func TestOvertaken(t *testing.T) {
	client := awstest.DynamoDB(t)
	store := analyticsdynamo.New(client, awstest.Table(t, client, "AnalyticsTable"))
	archive := &memory{Archive: analyticss3.NewParts(awstest.S3(t), awstest.Bucket(t))}
	other, r := analyticsdynamo.NewRecorder(store, archive.Archive), analyticsdynamo.NewRecorder(store, archive)
	archive.then = func() {
		if _, err := other.Record(t.Context(), busy(7)); err != nil {
			t.Error(err)
		}
	}
	counted, err := r.Record(t.Context(), beside(busy(7)))
	if err != nil || len(counted.Lines) != 7 || archive.puts != 1 {
		t.Errorf("counted %d lines with %d puts, %v", len(counted.Lines), archive.puts, err)
	}
	counted, err = r.Record(t.Context(), beside(busy(7)))
	if err != nil || len(counted.Lines) != 0 || archive.puts != 1 {
		t.Errorf("then %d lines with %d puts, %v", len(counted.Lines), archive.puts, err)
	}
	days, err := store.Requests(t.Context(), calendar.DayOf(night), calendar.DayOf(night))
	if err != nil || days[calendar.DayOf(night)].Calls != 14 {
		t.Errorf("%+v, %v", days, err)
	}
}

// beside is the part in another stream.
func beside(p analytics.Part) analytics.Part {
	p.Stream = "fedcba9876543210"
	return p
}

// TestItsTimeEnds is a part that was overtaken and has no time left.
func TestItsTimeEnds(t *testing.T) {
	client := awstest.DynamoDB(t)
	store := analyticsdynamo.New(client, awstest.Table(t, client, "AnalyticsTable"))
	archive := &memory{Archive: analyticss3.NewParts(awstest.S3(t), awstest.Bucket(t))}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	archive.then = end
	if _, err := analyticsdynamo.NewRecorder(store, archive).Record(ctx, busy(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	counted, err := analyticsdynamo.NewRecorder(store, archive.Archive).Record(t.Context(), busy(1))
	if err != nil || len(counted.Lines) != 1 {
		t.Errorf("given again: %d lines, %v", len(counted.Lines), err)
	}
}

// TestLostParts are an error: to count without them could count twice.
func TestLostParts(t *testing.T) {
	client := awstest.DynamoDB(t)
	store := analyticsdynamo.New(client, awstest.Table(t, client, "AnalyticsTable"))
	first := analyticsdynamo.NewRecorder(store, analyticss3.NewParts(awstest.S3(t), awstest.Bucket(t)))
	if _, err := first.Record(t.Context(), busy(5)); err != nil {
		t.Fatal(err)
	}
	elsewhere := analyticsdynamo.NewRecorder(store, analyticss3.NewParts(awstest.S3(t), awstest.Bucket(t)))
	if _, err := elsewhere.Record(t.Context(), busy(6)); err == nil {
		t.Error("a part was counted without the one that it overlaps")
	}
}
