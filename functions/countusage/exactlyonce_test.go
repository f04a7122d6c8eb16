package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"pgregory.net/rapid"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/lambda/logevents"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

// drawnLine is a line of a random log together with its expected counts.
type drawnLine struct {
	group, stream string
	line          events.CloudwatchLogsLogEvent
	day           calendar.Day
	request       *analytics.Request
	models        analytics.ModelUsage
}

// drawLine draws a line of one of six streams, logged around midnight. Many lines have the same
// millisecond.
func drawLine(t *rapid.T, i int) drawnLine {
	logged := midnight.Add(time.Duration(rapid.IntRange(-40, 40).Draw(t, "logged")) * 250 * time.Millisecond)
	own := logged.Add(-time.Duration(rapid.SampledFrom([]int{0, 1, 400, 9000}).Draw(t, "took")) * time.Millisecond)
	k := drawnLine{group: from.Access, stream: fmt.Sprint(rapid.IntRange(0, 1).Draw(t, "stream")),
		day: calendar.DayOf(own)}
	id := fmt.Sprintf("%056d", i)
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		k.line, k.day = entry(id, logged, "half a li"), calendar.DayOf(logged)
	case 1, 2, 3:
		k.group = rapid.SampledFrom(from.Models).Draw(t, "function")
		k.models = analytics.ModelUsage{Calls: 1, InputTokens: int64(i), OutputTokens: 1, MicroUSD: 3}
		k.line = entry(id, logged, call(own, 200, k.models))
	default:
		status, latency := rapid.SampledFrom([]int{200, 404, 500}).
			Draw(t, "status"), int64(rapid.IntRange(0, 30_000).Draw(t, "latency"))
		epoch := fmt.Sprint(own.UnixMilli())
		switch rapid.IntRange(0, 2).Draw(t, "epoch") {
		case 0:
			own = own.Truncate(time.Second)
			epoch = fmt.Sprint(own.Unix())
		case 1:
			own, epoch = logged, "-"
		}
		k.request, k.day = &analytics.Request{At: own, Status: status, LatencyMillis: latency}, calendar.DayOf(own)
		k.line = entry(id, logged, accessAt(epoch, "GET ANY /v1/users", status, latency))
	}
	return k
}

// expectedSums counts a log in the simplest way.
func expectedSums(log []drawnLine) sums {
	s := sums{map[calendar.Day]*analytics.RequestStats{}, map[calendar.Day]*analytics.Usage{}}
	for _, k := range log {
		if k.models.Calls > 0 {
			if s.Usage[k.day] == nil {
				s.Usage[k.day] = &analytics.Usage{}
			}
			m := &s.Usage[k.day].Models
			m.Calls, m.InputTokens = m.Calls+1, m.InputTokens+k.models.InputTokens
			m.OutputTokens, m.MicroUSD = m.OutputTokens+1, m.MicroUSD+3
			continue
		}
		if s.Requests[k.day] == nil {
			s.Requests[k.day] = &analytics.RequestStats{Latency: analytics.Histogram{}}
		}
		if k.request == nil {
			s.Requests[k.day].Unread++
			continue
		}
		s.Requests[k.day].Add(*k.request)
	}
	return s
}

// deliveries returns random pieces of the log in any order and with any overlaps, each of one
// stream, and then each stream as a whole.
func deliveries(tb testing.TB, t *rapid.T, log []drawnLine) (pieces, whole []events.CloudwatchLogsEvent) {
	type streamKey struct{ group, stream string }
	streams := map[streamKey][]events.CloudwatchLogsLogEvent{}
	var order []streamKey
	for _, k := range log {
		at := streamKey{k.group, k.stream}
		if streams[at] == nil {
			order = append(order, at)
		}
		streams[at] = append(streams[at], k.line)
	}
	for range rapid.IntRange(1, 12).Draw(t, "deliveries") {
		at := rapid.SampledFrom(order).Draw(t, "stream")
		lines := rapid.SliceOfN(rapid.SampledFrom(streams[at]), 1, 2*len(streams[at])).Draw(t, "lines")
		pieces = append(pieces, delivery(tb, at.group, at.stream, lines...))
	}
	for _, at := range order {
		whole = append(whole, delivery(tb, at.group, at.stream, streams[at]...))
	}
	return pieces, whole
}

var errCrash = errors.New("crash")

// faults injects random crashes: a call fails before it takes effect, or its response is lost.
type faults struct {
	percent int
	mu      sync.Mutex
	random  *rand.Rand
}

func (f *faults) occurs() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.IntN(100) < f.percent
}

func (f *faults) database(string, int) error {
	if f.occurs() {
		return errCrash
	}
	if f.occurs() {
		return awstest.Lost(errCrash)
	}
	return nil
}

// crashingArchive is an archive that crashes before or after its work.
type crashingArchive struct {
	logs.Archive
	faults *faults
}

func (s crashingArchive) Put(ctx context.Context, name logs.SegmentName, data []byte) error {
	if s.faults.occurs() {
		return errCrash
	}
	if err := s.Archive.Put(ctx, name, data); err != nil || s.faults.occurs() {
		return errors.Join(err, errCrash)
	}
	return nil
}

func (s crashingArchive) Get(ctx context.Context, name logs.SegmentName) ([]byte, error) {
	if s.faults.occurs() {
		return nil, errCrash
	}
	return s.Archive.Get(ctx, name)
}

// deliver passes the events to concurrent workers. It ignores crashes, because a later delivery
// repeats the lines, as a retry by Lambda would.
func deliver(tb testing.TB, handler func(context.Context, events.CloudwatchLogsEvent) error, all []events.CloudwatchLogsEvent) {
	queue := make(chan events.CloudwatchLogsEvent)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for event := range queue {
				if err := handler(tb.Context(), event); err != nil && !errors.Is(err, errCrash) {
					tb.Error(err)
				}
			}
		})
	}
	for _, event := range all {
		queue <- event
	}
	close(queue)
	workers.Wait()
}

// The test delivers a random log in random pieces to workers that crash, then as a whole, and then
// as an object of Firehose. It compares the days with a simple count of the log, and with the sum of
// the counted segments.
func TestEachLineCountsOnce(t *testing.T) {
	testkit.CaptureLogs(t)
	rapid.Check(scale.ChecksOf(t, 40), func(r *rapid.T) {
		var log []drawnLine
		for i := range rapid.IntRange(1, 40).Draw(r, "size") {
			log = append(log, drawLine(r, i))
		}
		pieces, whole := deliveries(t, r, log)
		e, seed := newEngines(t), rapid.Uint64().Draw(r, "seed")
		injected := &faults{random: rand.New(rand.NewPCG(seed, 0))}
		injected.percent = rapid.SampledFrom([]int{0, 5, 20}).Draw(r, "crashes")
		store := analyticsdynamo.New(awstest.Faulty(e.client, injected.database), e.table)
		deliver(t, handle(ingest(counting(analyticsdynamo.NewRecorder(store, crashingArchive{e.archive, injected})))), pieces)
		deliver(t, handle(ingest(counting(e.recorder()))), whole)
		e.deliverObject(t, append(pieces, whole...))

		want := expectedSums(log)
		if got := e.sums(t); !reflect.DeepEqual(got, want) {
			r.Fatalf("counted %s\nwant %s", format(got), format(want))
		}
		e.expectTheSameRecounted(t)
	})
}

// deliverObject puts the messages of all deliveries into an object, as Firehose does, and sends its event.
func (e engines) deliverObject(tb testing.TB, all []events.CloudwatchLogsEvent) {
	tb.Helper()
	var object bytes.Buffer
	for _, event := range all {
		message, err := base64.StdEncoding.DecodeString(event.AWSLogs.Data) // a gzip member that ends with a new line
		if err != nil {
			tb.Fatal(err)
		}
		object.Write(message)
	}
	objects, key := logevents.S3{Client: awstest.S3(tb)}, "collected/lines.gz"
	_, err := objects.Client.PutObject(tb.Context(),
		&s3.PutObjectInput{Bucket: &e.bucket, Key: &key, Body: bytes.NewReader(object.Bytes())})
	if err != nil {
		tb.Fatal(err)
	}
	record := events.S3EventRecord{S3: events.S3Entity{Bucket: events.S3Bucket{Name: e.bucket},
		Object: events.S3Object{Key: key}}}
	handler := logevents.Handler(objects, ingest(counting(e.recorder())))
	if err := handler(tb.Context(), logevents.Event{Records: []events.S3EventRecord{record}}); err != nil {
		tb.Error(err)
	}
}

// expectTheSameRecounted compares the days with the sum of the counted segments.
func (e engines) expectTheSameRecounted(tb testing.TB) {
	tb.Helper()
	noPulls := func(context.Context, calendar.Day) (analytics.Pulls, error) { return analytics.Pulls{}, nil }
	reconciler := analyticsdynamo.Reconciler{Recorder: e.recorder(), Pulls: noPulls}
	today := calendar.DayOf(midnight)
	for day := today - 1; day <= today; day++ {
		if found, err := reconciler.Day(tb.Context(), day); err != nil || len(found.Differences)+len(found.Gaps) > 0 {
			tb.Errorf("%s: %+v, %v", day, found, err)
		}
	}
}

// format prints the numbers of all days.
func format(s sums) string {
	var out string
	for day, r := range s.Requests {
		out += fmt.Sprintf("%s %+v ", day, *r)
	}
	for day, u := range s.Usage {
		out += fmt.Sprintf("%s %+v ", day, u.Models)
	}
	return out
}

// The batches have a thousand lines, like the batches of a busy access log.
func BenchmarkIngest(b *testing.B) {
	const n = 1000
	e := newEngines(b)
	testkit.CaptureLogs(b)
	handler := handle(ingest(counting(e.recorder())))
	at, batch, begin := midnight, 0, cpuTime(b)
	for b.Loop() {
		b.StopTimer()
		lines := make([]events.CloudwatchLogsLogEvent, n)
		for i := range lines {
			at = at.Add(time.Millisecond)
			lines[i] = entry(fmt.Sprintf("%056d", batch*n+i), at, access(at, "GET ANY /v1/users/{proxy+}", 200, int64(i%700)))
		}
		event := delivery(b, from.Access, "s", lines...)
		batch++
		b.StartTimer()
		if err := handler(b.Context(), event); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "lines/s")
	b.ReportMetric(float64(n*b.N)/(cpuTime(b)-begin).Seconds(), "lines/CPU-s") // includes the generation of the lines
}

// cpuTime returns the processor time of this process, without the engines, which are other processes.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
