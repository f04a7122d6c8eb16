package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/calendar"
	"portside/shared/core/principal"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/transactions"
)

// The targets of the dashboard and of what it is made of.
const (
	countUsageFunction = "CountUsageFunction"
	dashboardCalls     = 4
	yearUnits          = 70
	dayUnits           = 10
	yearTarget         = 25 // ms
	batchUnits         = 6
	linesTarget        = 20_000 // a second
	errorTarget        = 1.6    // percent
	dashboards         = 300
	firstTimes         = 45 // a day fewer of the year each
	requestsADay       = 2_000
	batches            = 60
	batchLines         = 1_000
)

// ledger is the stack's table of analytics behind a meter.
type ledger struct {
	meter     *meter
	store     *analyticsdynamo.Store
	recorder  *analyticsdynamo.Recorder
	service   *analytics.Service
	write     func(context.Context, daycounts.Changes) error
	year      analytics.Period // the one before this
	latencies []float64        // of its requests
}

func newLedger(s *stack) *ledger {
	client, m := s.metered()
	table := s.Tables["AnalyticsTable"]
	store := analyticsdynamo.New(client, table)
	now := time.Now().UTC()
	first := time.Date(now.Year()-1, 1, 1, 0, 0, 0, 0, time.UTC)
	return &ledger{
		meter: m, store: store, recorder: analyticsdynamo.NewRecorder(store, analyticss3.NewArchive(s.s3(), s.Buckets["AnalyticsBucket"])),
		service: analytics.NewService(store, analytics.Gigabytes(100), time.Now),
		write: func(ctx context.Context, changes daycounts.Changes) error {
			return transactions.Write(ctx, client, daycounts.In(table).Writes(changes))
		},
		year: analytics.Period{Kind: analytics.LastYear, First: calendar.DayOf(first), Last: calendar.DayOf(first.AddDate(1, 0, 0)) - 1},
	}
}

// analytics measures the dashboard, and how the log is counted.
func (b *bench) analytics(ctx context.Context, s *stack) error {
	l := newLedger(s)
	b.say("filling a year of days with %d requests each", requestsADay)
	if err := l.fill(ctx); err != nil {
		return err
	}
	for _, measure := range []func(context.Context, *stack, *ledger) error{
		b.dashboardCosts, b.dashboardTimes, b.percentiles, b.batchCosts, b.ingest,
	} {
		if err := measure(ctx, s, l); err != nil {
			return err
		}
	}
	return nil
}

// fill lets every day of the last year have everything that a day can have.
func (l *ledger) fill(ctx context.Context) error {
	random := rand.New(rand.NewPCG(7, 8)) //nolint:gosec // the same year in every run
	for day := l.year.First; day <= l.year.Last; day++ {
		part := requestsOf(random, day, requestsADay)
		for _, line := range part.Lines {
			l.latencies = append(l.latencies, float64(line.Request.LatencyMillis))
		}
		call := analytics.ModelCall{At: day.Begin(), ModelUsage: analytics.ModelUsage{Calls: 1, InputTokens: 1e6, OutputTokens: 1e5, MicroUSD: 1e6}}
		models := part
		models.Log, models.Lines = analytics.ModelLog, []analytics.LogLine{{ID: "1", LoggedAt: call.At, Call: &call}}
		for _, p := range []analytics.Segment{part, models} {
			if _, err := l.recorder.Record(ctx, p); err != nil {
				return err
			}
		}
		if err := l.store.SaveStorage(ctx, day.Begin(), analytics.StorageBytes{Charts: 12e9, Media: 3e9}); err != nil {
			return err
		}
		if err := l.write(ctx, daycounts.Changes{day: everyCounter()}); err != nil {
			return err
		}
	}
	return nil
}

// everyCounter is a day on which something happened of everything that is counted.
func everyCounter() daycounts.Change {
	change := daycounts.Change{
		"users": 8, "users:active": 5, "users:pending": 1, "users:inactive": 1, "users:suspended": 1,
		"projects": 5, "created": 5, "archived": 1,
	}
	for _, role := range principal.Roles() {
		change["role:"+string(role)] = 2
	}
	for _, status := range analytics.ProjectStatuses() {
		change["project:"+status] = 1
	}
	return change
}

// requestsOf is a part of the log, the whole day long, with latencies around 20 ms and a long tail.
func requestsOf(random *rand.Rand, day calendar.Day, n int) analytics.Segment {
	part := analytics.Segment{Log: analytics.AccessLog, Day: day, Stream: "00000000000bench", Lines: make([]analytics.LogLine, n)}
	for i := range part.Lines {
		at := day.Begin().Add(24 * time.Hour * time.Duration(i) / time.Duration(n)).Truncate(time.Millisecond)
		status := 200
		if random.IntN(500) == 0 {
			status = 503
		}
		latency := min(int64(20*math.Exp(1.4*random.NormFloat64())), 29_000)
		part.Lines[i] = analytics.LogLine{
			ID: fmt.Sprintf("%056d", i), LoggedAt: at, Request: &analytics.Request{At: at, Status: status, LatencyMillis: latency},
		}
	}
	return part
}

func (b *bench) dashboardCosts(ctx context.Context, _ *stack, l *ledger) error {
	for _, of := range []struct {
		what    string
		asked   analytics.PeriodQuery
		compare bool
		units   float64
	}{
		{"dashboard over a year", analytics.PeriodQuery{Kind: analytics.LastYear}, false, yearUnits},
		{"dashboard over a day", analytics.PeriodQuery{Kind: analytics.Today}, false, dayUnits},
		{"dashboard over a day of last year", analytics.PeriodQuery{Kind: analytics.Custom, From: &l.year.Last, To: &l.year.Last}, false, yearUnits},
	} {
		l.meter.take()
		if _, err := l.service.Dashboard(ctx, of.asked, of.compare); err != nil {
			return err
		}
		cost := l.meter.take()
		b.table.most(of.what, float64(cost.calls), dashboardCalls, "calls")
		b.table.most(of.what, cost.reads, of.units, "read units")
	}
	return nil
}

// dashboardTimes asks for the same period again and again, as a page that is open does, and for periods that nobody asked
// for before, none of whose days is remembered.
func (b *bench) dashboardTimes(ctx context.Context, s *stack, l *ledger) error {
	b.say("asking for %d dashboards", 2*dashboards+firstTimes)
	same := func(period string) func(int) string { return func(int) string { return "period=" + period } }
	another := func(i int) string {
		return fmt.Sprintf("period=custom&startDate=%s&endDate=%s", l.year.First, l.year.Last-calendar.Day(i))
	}
	for _, of := range []struct {
		what   string
		times  int
		period func(int) string
	}{{"a year", dashboards, same("last_year")}, {"a day", dashboards, same("today")}, {"a year that none asked for", firstTimes, another}} {
		times, err := s.timeGets(ctx, of.times, func(i int) string { return "/v1/analytics/dashboard?" + of.period(i) })
		if err != nil {
			return err
		}
		warm := times[of.times/3:]
		what := "dashboard over " + of.what + " through the gateway, "
		b.table.most(what+"median of "+number(float64(len(warm))), quantile(warm, 0.5), yearTarget, "ms")
		b.table.note(what+"99th percentile", "%s ms", number(quantile(warm, 0.99)))
	}
	return nil
}

// percentiles compares those of the year, from its days added together, with those of all its requests.
func (b *bench) percentiles(ctx context.Context, _ *stack, l *ledger) error {
	d, err := l.service.Dashboard(ctx, analytics.PeriodQuery{Kind: analytics.LastYear}, false)
	if err != nil {
		return err
	}
	if calls := d.Metrics.Calls; calls != int64(len(l.latencies)) {
		return fmt.Errorf("the dashboard has %d requests of the year, there were %d", calls, len(l.latencies))
	}
	slices.Sort(l.latencies)
	what := number(float64(len(l.latencies))) + " requests of a year: error of the "
	for _, of := range []struct {
		what      string
		share     float64
		displayed float64
	}{{"95th percentile", 0.95, d.Metrics.Performance.P95}, {"99th percentile", 0.99, d.Metrics.Performance.P99}} {
		exact := quantile(l.latencies, of.share)
		b.table.most(what+of.what, 100*math.Abs(of.displayed-exact)/exact, errorTarget, "%")
	}
	return nil
}

// batchCosts counts batches of different sizes on a day that uses almost all buckets.
func (b *bench) batchCosts(ctx context.Context, _ *stack, l *ledger) error {
	random := rand.New(rand.NewPCG(9, 10)) //nolint:gosec // the same batches in every run
	day := l.year.First - 400
	for _, n := range []int{10_000, 1_000, 1} {
		l.meter.take()
		part := requestsOf(random, day, n)
		for i := range part.Lines {
			part.Lines[i].ID = fmt.Sprint(n, "-", i)
			part.Lines[i].Request.LatencyMillis = min(int64(math.Exp(10.4*random.Float64())), 32_000)
		}
		if _, err := l.recorder.Record(ctx, part); err != nil {
			return err
		}
		b.table.most("count "+number(float64(n))+" lines of the log", l.meter.take().writes, batchUnits, "write units")
	}
	return nil
}

// ingest gives batches to the function itself, which has one core.
func (b *bench) ingest(ctx context.Context, s *stack, l *ledger) error {
	b.say("counting %d batches of %d lines", batches, batchLines)
	box, err := b.openSandbox(s, subject{countUsageFunction, "countusage function", []string{
		"ANALYTICS_TABLE=" + s.Tables["AnalyticsTable"], "ANALYTICS_BUCKET=" + s.Buckets["AnalyticsBucket"],
		"ACCESS_LOG_GROUP=bench", "MODEL_LOG_GROUPS=none", "GOMAXPROCS=1",
	}})
	if err != nil {
		return err
	}
	defer box.stop()
	begin, took := (l.year.First - 401).Begin(), time.Duration(0)
	for i := range batches + warmUps {
		event, err := delivery(begin.Add(time.Duration(i) * time.Minute))
		if err != nil {
			return err
		}
		a, err := box.hand(ctx, event)
		if err != nil || string(a.body) != "null" {
			return fmt.Errorf("a batch was answered %s: %w", a.body, err)
		}
		if i >= warmUps {
			took += a.took
		}
	}
	rate := batches * batchLines / took.Seconds()
	b.table.least("lines of the log, counted by one core in batches of "+number(batchLines), rate, linesTarget, "lines/s")
	return nil
}

// delivery is an event of a minute's lines as CloudWatch Logs sends it.
func delivery(begin time.Time) ([]byte, error) {
	data := events.CloudwatchLogsData{MessageType: "DATA_MESSAGE", Owner: "123456789012", LogGroup: "bench", LogStream: "bench"}
	for i := range batchLines {
		at := begin.Add(time.Duration(i) * time.Minute / batchLines).UnixMilli()
		data.LogEvents = append(data.LogEvents, events.CloudwatchLogsLogEvent{
			ID: fmt.Sprintf("%042d%014d", at, i), Timestamp: at,
			Message: fmt.Sprintf(`{"requestId":"WSg1ihmdliAEJXA=","time":"%d","ip":"203.0.113.9","method":"GET",`+
				`"route":"ANY /v1/users/{proxy+}","status":"200","latencyMs":"%d","responseBytes":"512"}`, at, i%700),
		})
	}
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	if err := json.NewEncoder(packer).Encode(data); err != nil {
		return nil, err
	}
	if err := packer.Close(); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"awslogs": map[string]any{"data": packed.Bytes()}})
}
