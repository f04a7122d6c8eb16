package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"pgregory.net/rapid"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
)

// known is a line of a random log with what it must count as.
type known struct {
	group, stream string
	line          events.CloudwatchLogsLogEvent
	day           analytics.Day
	request       *analytics.Request
	models        analytics.Models
}

// drawLine makes a line of one of six streams, around midnight; many are of the same millisecond.
func drawLine(t *rapid.T, i int) known {
	logged := midnight.Add(time.Duration(rapid.IntRange(-40, 40).Draw(t, "logged")) * 250 * time.Millisecond)
	own := logged.Add(-time.Duration(rapid.SampledFrom([]int{0, 1, 400, 9000}).Draw(t, "took")) * time.Millisecond)
	k := known{group: from.access, stream: fmt.Sprint(rapid.IntRange(0, 1).Draw(t, "stream")), day: analytics.DayOf(own)}
	id := fmt.Sprintf("%056d", i)
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		k.line, k.day = entry(id, logged, "half a li"), analytics.DayOf(logged)
	case 1, 2, 3:
		k.group = rapid.SampledFrom(from.models).Draw(t, "function")
		k.models = analytics.Models{Calls: 1, InputTokens: int64(i), OutputTokens: 1, MicroUSD: 3}
		k.line = entry(id, logged, call(own, 200, k.models))
	default:
		status, latency := rapid.SampledFrom([]int{200, 404, 500}).Draw(t, "status"), int64(rapid.IntRange(0, 30_000).Draw(t, "latency"))
		k.request = &analytics.Request{At: own, Status: status, Latency: latency}
		k.line = entry(id, logged, access(own, "GET ANY /v1/users", status, latency))
	}
	return k
}

// naive counts a log by walking over it.
func naive(log []known) sums {
	s := sums{map[analytics.Day]*analytics.Requests{}, map[analytics.Day]*analytics.Usage{}}
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
			s.Requests[k.day] = &analytics.Requests{Latency: analytics.Histogram{}}
		}
		if k.request == nil {
			s.Requests[k.day].Unread++
			continue
		}
		s.Requests[k.day].Add(*k.request)
	}
	return s
}

// deliveries are random pieces of the log, each of one stream, in any order and with any overlaps, and in the end each stream once.
func deliveries(tb testing.TB, t *rapid.T, log []known) (pieces, whole []events.CloudwatchLogsEvent) {
	type place struct{ group, stream string }
	streams := map[place][]events.CloudwatchLogsLogEvent{}
	var order []place
	for _, k := range log {
		at := place{k.group, k.stream}
		if streams[at] == nil {
			order = append(order, at)
		}
		streams[at] = append(streams[at], k.line)
	}
	for range rapid.IntRange(1, 12).Draw(t, "deliveries") {
		at := rapid.SampledFrom(order).Draw(t, "of")
		lines := rapid.SliceOfN(rapid.SampledFrom(streams[at]), 1, 2*len(streams[at])).Draw(t, "lines")
		pieces = append(pieces, delivery(tb, at.group, at.stream, lines...))
	}
	for _, at := range order {
		whole = append(whole, delivery(tb, at.group, at.stream, streams[at]...))
	}
	return pieces, whole
}

var errCrash = errors.New("crash")

// unlucky says of each call whether it takes place, and whether its answer arrives. 0 is never unlucky.
type unlucky struct {
	percent int
	mu      sync.Mutex
	random  *rand.Rand
}

func (u *unlucky) strikes() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.random.IntN(100) < u.percent
}

func (u *unlucky) database(string, int) error {
	if u.strikes() {
		return errCrash
	}
	if u.strikes() {
		return awstest.Lost(errCrash)
	}
	return nil
}

// shaky is an archive that crashes before or behind what it does.
type shaky struct {
	analytics.Archive
	luck *unlucky
}

func (s shaky) Put(ctx context.Context, name analytics.Name, lines []analytics.Line) error {
	if s.luck.strikes() {
		return errCrash
	}
	if err := s.Archive.Put(ctx, name, lines); err != nil || s.luck.strikes() {
		return errors.Join(err, errCrash)
	}
	return nil
}

func (s shaky) Get(ctx context.Context, name analytics.Name) ([]analytics.Line, error) {
	if s.luck.strikes() {
		return nil, errCrash
	}
	return s.Archive.Get(ctx, name)
}

// deliver gives the events to workers at the same time. Lambda would try again what fails; here what comes later does.
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

// TestEachLineCountsOnce delivers a random log in random pieces to workers that crash, and compares the days with what a walk over the
// log counts. What is left in the archive adds up to the same.
func TestEachLineCountsOnce(t *testing.T) {
	testkit.CaptureLogs(t)
	rapid.Check(t, func(r *rapid.T) {
		var log []known
		for i := range rapid.IntRange(1, 40).Draw(r, "size") {
			log = append(log, drawLine(r, i))
		}
		pieces, whole := deliveries(t, r, log)
		e, seed := newEngines(t), rapid.Uint64().Draw(r, "seed")
		luck := &unlucky{random: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // to be repeated
		luck.percent = rapid.SampledFrom([]int{0, 5, 20}).Draw(r, "crashes")
		store := analyticsdynamo.New(awstest.Faulty(e.client, luck.database), e.table)
		deliver(t, ingest(from, analyticsdynamo.NewRecorder(store, shaky{e.archive, luck}), later), pieces)
		deliver(t, ingest(from, e.recorder(), later), whole)

		want := naive(log)
		if got := e.sums(t); !reflect.DeepEqual(got, want) {
			r.Fatalf("counted %s\nwant %s", text(got), text(want))
		}
		if got := e.recounted(t); !reflect.DeepEqual(got, want) {
			r.Fatalf("the archive has %s\nwant %s", text(got), text(want))
		}
	})
}

// recounted adds up what the archive has of the days.
func (e engines) recounted(tb testing.TB) sums {
	tb.Helper()
	s := sums{map[analytics.Day]*analytics.Requests{}, map[analytics.Day]*analytics.Usage{}}
	today := analytics.DayOf(midnight)
	for day := today - 1; day <= today; day++ {
		r, u := &analytics.Requests{Latency: analytics.Histogram{}}, &analytics.Usage{}
		err := errors.Join(
			e.recorder().Counted(tb.Context(), analytics.AccessLog, day, func(p analytics.Part) error {
				r.Merge(p.Requests())
				s.Requests[day] = r
				return nil
			}),
			e.recorder().Counted(tb.Context(), analytics.ModelLog, day, func(p analytics.Part) error {
				m := p.Models()
				u.Models.Calls, u.Models.InputTokens = u.Models.Calls+m.Calls, u.Models.InputTokens+m.InputTokens
				u.Models.OutputTokens, u.Models.MicroUSD = u.Models.OutputTokens+m.OutputTokens, u.Models.MicroUSD+m.MicroUSD
				s.Usage[day] = u
				return nil
			}),
		)
		if err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

func text(s sums) string {
	var out string
	for day, r := range s.Requests {
		out += fmt.Sprintf("%s %+v ", day, *r)
	}
	for day, u := range s.Usage {
		out += fmt.Sprintf("%s %+v ", day, u.Models)
	}
	return out
}

// BenchmarkIngest takes batches of a thousand lines, as a busy access log brings them.
func BenchmarkIngest(b *testing.B) {
	const n = 1000
	e := newEngines(b)
	testkit.CaptureLogs(b)
	handler := ingest(from, e.recorder(), later)
	at, batch := midnight, 0
	for b.Loop() {
		b.StopTimer()
		lines := make([]events.CloudwatchLogsLogEvent, n)
		for i := range lines {
			at = at.Add(time.Millisecond)
			lines[i] = entry(fmt.Sprintf("%056d", batch*n+i), at, access(at, "GET ANY /v1/users/{proxy+}", 200, int64(i%700)))
		}
		event := delivery(b, from.access, "s", lines...)
		batch++
		b.StartTimer()
		if err := handler(b.Context(), event); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "lines/s")
}
