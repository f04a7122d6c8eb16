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

	"portside/cmd/bench/figures"
	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/core/principal"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/transactions"
)

// Targets of the dashboard and of counting.
const (
	countUsageFunction = "CountUsageFunction"
	dashboardCalls     = 4
	yearUnits          = 70
	dayUnits           = 10
	dashboardRatio     = 8 // times a bare GetItem, from the cache
	yearRatio          = 3 // times reading only the requests of the year
	batchUnits         = 6
	linesRatio         = 5.4 // times decoding the lines with encoding/json
	errorTarget        = 1.6 // percent
	dashboards         = 300
	firstTimes         = 45 // a day fewer of the year each
	requestsADay       = 2_000
	batches            = 60
	batchLines         = 1_000
)

// dashboardFixture is the stack's analytics table with a meter.
type dashboardFixture struct {
	meter     *meter
	store     *analyticsdynamo.Store
	recorder  *analyticsdynamo.Recorder
	service   *analytics.Service
	write     func(context.Context, daycounts.Changes) error
	year      analytics.Period // last year
	latencies []float64        // of the year's requests
}

func newDashboardFixture(s *stack) *dashboardFixture {
	client, m := s.meteredClient()
	table := s.Tables["AnalyticsTable"]
	store := analyticsdynamo.New(client, table)
	now := time.Now().UTC()
	first := time.Date(now.Year()-1, 1, 1, 0, 0, 0, 0, time.UTC)
	return &dashboardFixture{
		meter: m, store: store, recorder: analyticsdynamo.NewRecorder(store, analyticss3.NewArchive(s.s3(), s.Buckets["AnalyticsBucket"])),
		service: analytics.NewService(store, analytics.Gigabytes(100), time.Now),
		write: func(ctx context.Context, changes daycounts.Changes) error {
			return transactions.Write(ctx, client, daycounts.In(table).Writes(changes))
		},
		year: analytics.Period{Kind: analytics.LastYear, First: calendar.DayOf(first), Last: calendar.DayOf(first.AddDate(1, 0, 0)) - 1},
	}
}

// analytics measures the dashboard and the counting of log lines.
func (b *bench) analytics(ctx context.Context, s *stack) error {
	l := newDashboardFixture(s)
	b.logProgress("filling a year of days with %d requests each", requestsADay)
	if err := l.fill(ctx); err != nil {
		return err
	}
	for _, measure := range []func(context.Context, *stack, *dashboardFixture) error{
		b.dashboardCosts, b.dashboardTimes, b.percentiles, b.batchCosts, b.ingest,
	} {
		if err := measure(ctx, s, l); err != nil {
			return err
		}
	}
	return nil
}

// fill writes every kind of number for every day of last year.
func (l *dashboardFixture) fill(ctx context.Context) error {
	random := rand.New(rand.NewPCG(7, 8)) //nolint:gosec // the same year in every run
	for day := l.year.First; day <= l.year.Last; day++ {
		segment := requestsOf(random, day, requestsADay)
		for _, line := range segment.Lines {
			l.latencies = append(l.latencies, float64(line.Request.LatencyMillis))
		}
		call := logs.ModelCall{At: day.Begin(), ModelUsage: analytics.ModelUsage{
			Calls: 1, InputTokens: 1e6, OutputTokens: 1e5, MicroUSD: 1e6,
		}}
		models := segment
		models.Log, models.Lines = logs.ModelLog, []logs.Line{{ID: "1", LoggedAt: call.At, Call: &call}}
		for _, p := range []logs.Segment{segment, models} {
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

// everyCounter returns a change of every counter.
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

// requestsOf returns a segment of the log over a whole day, with latencies around 20 ms and a long
// tail.
func requestsOf(random *rand.Rand, day calendar.Day, n int) logs.Segment {
	segment := logs.Segment{Log: logs.AccessLog, Day: day, Stream: "00000000000bench", Lines: make([]logs.Line, n)}
	for i := range segment.Lines {
		at := day.Begin().Add(24 * time.Hour * time.Duration(i) / time.Duration(n)).Truncate(time.Millisecond)
		status := 200
		if random.IntN(500) == 0 {
			status = 503
		}
		latency := min(int64(20*math.Exp(1.4*random.NormFloat64())), 29_000)
		segment.Lines[i] = logs.Line{
			ID: fmt.Sprintf("%056d", i), LoggedAt: at, Request: &analytics.Request{At: at, Status: status, LatencyMillis: latency},
		}
	}
	return segment
}

func (b *bench) dashboardCosts(ctx context.Context, _ *stack, l *dashboardFixture) error {
	for _, test := range []struct {
		what  string
		query analytics.PeriodQuery
		units float64
	}{
		{"dashboard over a year", analytics.PeriodQuery{Kind: analytics.LastYear}, yearUnits},
		{"dashboard over a day", analytics.PeriodQuery{Kind: analytics.Today}, dayUnits},
		{"dashboard over a day of last year", analytics.PeriodQuery{Kind: analytics.Custom, From: &l.year.Last, To: &l.year.Last}, yearUnits},
	} {
		l.meter.reset()
		if _, err := l.service.Dashboard(ctx, test.query, ""); err != nil {
			return err
		}
		cost := l.meter.reset()
		b.table.AddAtMost(test.what, float64(cost.calls), dashboardCalls, "calls")
		b.table.AddAtMost(test.what, cost.reads, test.units, "read units")
	}
	return nil
}

// dashboardTimes requests the same period repeatedly, as an open page does, and also a different
// period each time, which is never in the cache.
func (b *bench) dashboardTimes(ctx context.Context, s *stack, l *dashboardFixture) error {
	b.logProgress("asking for %d dashboards", 2*dashboards+firstTimes)
	same := func(period string) func(int) string { return func(int) string { return "period=" + period } }
	another := func(i int) string {
		return fmt.Sprintf("period=custom&startDate=%s&endDate=%s", l.year.First, l.year.Last-calendar.Day(i))
	}
	bare, err := s.getItem(ctx)
	if err != nil {
		return err
	}
	requests := timed(func(int) error {
		_, err := l.store.Requests(ctx, l.year.First, l.year.Last)
		return err
	})
	for _, of := range []struct {
		what     string
		times    int
		period   func(int) string
		baseline figures.Measurement
		with     string
		ratio    float64
	}{
		{"a year", dashboards, same("last_year"), bare, bareGetItem, dashboardRatio},
		{"a day", dashboards, same("today"), bare, bareGetItem, dashboardRatio},
		{"a year that none asked for", firstTimes, another, requests, "reading only the requests of the year", yearRatio},
	} {
		get := s.get(ctx, func(i int) string { return "/v1/analytics/dashboard?" + of.period(i) })
		times, err := figures.Alternate(of.times, get, of.baseline)
		if err != nil {
			return err
		}
		warm, what := times[0][of.times/3:], "dashboard over "+of.what+" through the gateway"
		b.table.AddComparison(figures.Comparison{What: what, With: of.with, Times: warm, Baseline: times[1][of.times/3:]}, of.ratio)
		b.table.AddFigure(what+", 99th percentile", "%s ms", figures.Number(figures.Quantile(warm, 0.99)))
	}
	return nil
}

// percentiles compares the percentiles of the year, which are computed from the histograms of its
// days, with the response times of all its requests.
func (b *bench) percentiles(ctx context.Context, _ *stack, l *dashboardFixture) error {
	d, err := l.service.Dashboard(ctx, analytics.PeriodQuery{Kind: analytics.LastYear}, "")
	if err != nil {
		return err
	}
	if calls := d.Metrics.Calls; calls != int64(len(l.latencies)) {
		return fmt.Errorf("the dashboard has %d requests in the year, want %d", calls, len(l.latencies))
	}
	slices.Sort(l.latencies)
	what := figures.Number(float64(len(l.latencies))) + " requests of a year: error of the "
	for _, of := range []struct {
		what      string
		share     float64
		displayed float64
	}{{"95th percentile", 0.95, d.Metrics.Performance.P95}, {"99th percentile", 0.99, d.Metrics.Performance.P99}} {
		exact := figures.Quantile(l.latencies, of.share)
		b.table.AddAtMost(what+of.what, 100*math.Abs(of.displayed-exact)/exact, errorTarget, "%")
	}
	return nil
}

// batchCosts counts batches of different sizes on a day that uses almost all latency buckets.
func (b *bench) batchCosts(ctx context.Context, _ *stack, l *dashboardFixture) error {
	random := rand.New(rand.NewPCG(9, 10)) //nolint:gosec // the same batches in every run
	day := l.year.First - 400
	for _, n := range []int{10_000, 1_000, 1} {
		l.meter.reset()
		segment := requestsOf(random, day, n)
		for i := range segment.Lines {
			segment.Lines[i].ID = fmt.Sprint(n, "-", i)
			segment.Lines[i].Request.LatencyMillis = min(int64(math.Exp(10.4*random.Float64())), 32_000)
		}
		if _, err := l.recorder.Record(ctx, segment); err != nil {
			return err
		}
		b.table.AddAtMost("count "+figures.Number(float64(n))+" lines of the log", l.meter.reset().writes, batchUnits, "write units")
	}
	return nil
}

// ingest passes batches to the function, which runs on one core.
func (b *bench) ingest(ctx context.Context, s *stack, l *dashboardFixture) error {
	b.logProgress("counting %d batches of %d lines", batches, batchLines)
	box, err := b.openSandbox(s, functionUnderTest{id: countUsageFunction, name: "countusage function", settings: []string{
		"ACCESS_LOG_GROUP=bench", "MODEL_LOG_GROUPS=none", "GOMAXPROCS=1",
	}})
	if err != nil {
		return err
	}
	defer box.stop()
	begin, event := (l.year.First - 401).Begin(), []byte(nil)
	times, err := figures.Alternate(batches+warmUps, func(i int) (float64, error) {
		if event, err = delivery(begin.Add(time.Duration(i) * time.Minute)); err != nil {
			return 0, err
		}
		a, err := box.handEvent(ctx, event)
		if err != nil || string(a.body) != "null" {
			return 0, fmt.Errorf("the response to a batch is %s: %w", a.body, err)
		}
		return milliseconds(a.took), nil
	}, timed(func(int) error { return decodeLines(event) }))
	if err != nil {
		return err
	}
	c := figures.Comparison{
		What: figures.Number(batchLines) + " lines of the log, counted by one core", With: "decoding them with encoding/json",
		Times: times[0][warmUps:], Baseline: times[1][warmUps:],
	}
	b.table.AddComparison(c, linesRatio)
	b.table.AddFigure("lines of the log, counted by one core", "%s lines/s", figures.Number(batchLines/figures.Quantile(c.Times, 0.5)*1e3))
	return nil
}

// delivery returns an event of CloudWatch Logs with the lines of one minute.
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
	compressor := gzip.NewWriter(&packed)
	if err := json.NewEncoder(compressor).Encode(data); err != nil {
		return nil, err
	}
	if err := compressor.Close(); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"awslogs": map[string]any{"data": packed.Bytes()}})
}
