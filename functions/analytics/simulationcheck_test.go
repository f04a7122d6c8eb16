package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"portside/shared/analytics"
	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
	"portside/testclient/scale"
)

// The test simulates random actions over months that include the end of a year, a week 53, and
// sometimes a February with 29 days. Users and projects are created, changed and deleted; requests
// are made, and their log is delivered in every possible way. From time to time the test compares
// every number of the dashboard, over all kinds of periods, with the numbers computed from the
// journal.
func TestDashboardMatchesSimulation(t *testing.T) {
	operations := scale.Of(2_000)
	random := rand.New(rand.NewPCG(scale.Seed(), 0))
	begin := time.Date(2026+random.IntN(2), time.October, 15+random.IntN(30), random.IntN(24), 0, 0, 0, time.UTC)
	w := newSimulation(t, begin, random)
	reader := w.as(principal.Manager)
	const months = 80 * 24 * time.Hour // the jumps to midnight add about as much
	for n := range operations {
		w.pass(months / time.Duration(operations))
		w.act()
		if n%500 == 499 {
			w.deliverAll()
			w.compareAll(reader, begin)
		}
	}
	w.clock.Advance(24 * time.Hour)
	w.deliverAll()
	w.compareAll(reader, begin)
	for _, metric := range analytics.AllMetrics() {
		w.compareSeries(reader, string(metric),
			span{midnight(begin).AddDate(0, 0, -3), midnight(w.clock.Now()).AddDate(0, 0, 1)})
	}
}

// compareAll checks every kind of period and some custom periods.
func (w *simulation) compareAll(reader webtest.Client, begin time.Time) {
	w.Helper()
	today := midnight(w.clock.Now())
	for _, kind := range analytics.PeriodKinds() {
		if kind != analytics.Custom {
			w.compare(reader, string(kind), "", namedSpan(string(kind), today))
		}
	}
	for range 4 {
		s := w.someDays(begin)
		w.compare(reader, "custom", s.query(), s)
	}
	w.compareSeries(reader, string(pick(w, analytics.AllMetrics()...)), w.someDays(begin))
	w.compareRanking(reader, w.someDays(begin))
	w.compareRanking(reader, span{midnight(begin), today.AddDate(0, 0, 1)})
}

// someDays returns a random span up to today. It may begin before the simulation.
func (w *simulation) someDays(begin time.Time) span {
	today := midnight(w.clock.Now())
	past := int(today.Sub(begin)/(24*time.Hour)) + 5
	to := today.AddDate(0, 0, 1-w.random.IntN(past))
	return span{to.AddDate(0, 0, -1-w.random.IntN(past)), to}
}

func (s span) query() string {
	return "&startDate=" + s.from.Format(time.DateOnly) + "&endDate=" + s.to.AddDate(0, 0, -1).Format(time.DateOnly)
}

// compare compares a dashboard, and the period that it is compared with, with the journal.
func (w *simulation) compare(reader webtest.Client, kind, dates string, s span) {
	w.Helper()
	comparisons := analytics.Comparisons()
	if kind == string(analytics.Custom) { // the random dates are no calendar unit
		comparisons = []analytics.Comparison{analytics.WithPrevious, analytics.WithYearAgo}
	}
	with := pick(w, comparisons...)
	query := "?compare=" + string(with) + "&period=" + kind + dates
	answer := reader.Get(dashboard + query).WantStatus(http.StatusOK).JSON("data").(map[string]any)
	previous := answer["previous"].(map[string]any)
	other := map[analytics.Comparison]span{
		analytics.WithPrevious: s.before(), analytics.WithYearAgo: s.yearAgo(),
		analytics.WithCalendar: w.answeredSpan(previous), // TestUnitBeforeNamedPeriodsOnEveryDay checks the dates
	}[with]
	w.compareMetrics(kind, answer, s)
	w.compareMetrics(string(with)+" of "+kind, previous, other)
}

// answeredSpan returns the days of an answer.
func (w *simulation) answeredSpan(answer map[string]any) span {
	w.Helper()
	period := answer["period"].(map[string]any)
	from, err := time.Parse(time.DateOnly, period["startDate"].(string))
	w.must(err)
	return span{from, from.AddDate(0, 0, int(period["days"].(float64)))}
}

func (w *simulation) compareMetrics(what string, answer map[string]any, s span) {
	w.Helper()
	period := answer["period"].(map[string]any)
	if dates := fmt.Sprintf("&startDate=%s&endDate=%s", period["startDate"], period["endDate"]); dates != s.query() {
		w.Fatalf("%s on %s covers %s, want %s", what, w.clock.Now(), dates, s.query())
	}
	got, want := map[string]float64{}, w.numbers(s, w.clock.Now())
	flatten(got, "", answer["metrics"].(map[string]any))
	if paths := slices.Sorted(maps.Keys(want)); !slices.Equal(slices.Sorted(maps.Keys(got)), paths) {
		w.Fatalf("got the numbers %v, want %v", slices.Sorted(maps.Keys(got)), paths)
	}
	for path, number := range got {
		if !agrees(path, number, want[path]) {
			w.Errorf("%s of %s%s on %s is %v, want %v", path, what, s.query(), w.clock.Now(), number, want[path])
		}
	}
}

// flatten collects the numbers of a response by their paths.
func flatten(into map[string]float64, path string, members map[string]any) {
	for name, value := range members {
		switch v := value.(type) {
		case map[string]any:
			flatten(into, path+name+".", v)
		case float64:
			into[path+name] = v
		}
	}
}

// compareSeries compares a metric of each day with the journal.
func (w *simulation) compareSeries(reader webtest.Client, metric string, s span) {
	w.Helper()
	query := "?period=custom" + s.query() + "&metric=" + metric
	points := reader.Get(timeseries + query).WantStatus(http.StatusOK).JSON("data.points").([]any)
	columns := reader.Get(daily + "?compare=previous&period=custom" + s.query()).WantStatus(http.StatusOK)
	wantColumns(w, columns.JSON("data"), points, metric)
	before := reader.Get(timeseries + "?period=custom" + s.before().query() + "&metric=" + metric).
		WantStatus(http.StatusOK)
	wantColumns(w, columns.JSON("data.previous"), before.JSON("data.points").([]any), metric)
	if len(points) != s.days() {
		w.Fatalf("%s has %d points, want %d", query, len(points), s.days())
	}
	for i, point := range points {
		day := span{s.from.AddDate(0, 0, i), s.from.AddDate(0, 0, i+1)}
		p := point.(map[string]any)
		got, ok := p["value"].(float64)
		if hasValue := w.hasValue(metric, day); ok != hasValue || hasValue &&
			!agrees(metric, got, w.numbers(day, w.clock.Now())[metric]) {
			w.Errorf("%s on %v is %v, want %v", metric, p["date"], p["value"], w.numbers(day, w.clock.Now())[metric])
		}
	}
}

// compareRanking compares the pulls of each artifact and by each user with the journal.
func (w *simulation) compareRanking(reader webtest.Client, s span) {
	w.Helper()
	for by, name := range map[string]func(pulled) string{
		"artifact": func(p pulled) string { return p.artifact }, "person": func(p pulled) string { return p.owner },
	} {
		pulls, before := map[string]float64{}, map[string]float64{}
		for _, p := range w.pulls {
			if p.artifact == "" {
				continue
			}
			if s.has(p.at) {
				pulls[name(p)]++
			}
			if s.before().has(p.at) {
				before[name(p)]++
			}
		}
		query := rankings + "?compare=previous&period=custom" + s.query() + "&by=" + by
		entries := reader.Get(query).WantStatus(http.StatusOK).WantValue("data.complete", true).JSON("data.entries").([]any)
		last := math.Inf(1)
		for _, entry := range entries {
			e := entry.(map[string]any)
			name, _ := e["userId"].(string)
			if by == "artifact" {
				name = fmt.Sprint(e["kind"], " ", e["repository"])
			}
			n := e["pulls"].(float64)
			if n != pulls[name] || n > last || e["previous"] != before[name] {
				w.Errorf("%s: %s has %v, want %v and before %v", query, name, e, pulls[name], before[name])
			}
			last = n
		}
		if len(entries) != len(pulls) {
			w.Errorf("%s: %d entries, want %v", query, len(entries), pulls)
		}
	}
}

// wantColumns checks that figures by day equal the points of a time series.
func wantColumns(tb testing.TB, columns any, points []any, metric string) {
	tb.Helper()
	all := columns.(map[string]any)
	dates, values := all["dates"].([]any), all["values"].(map[string]any)[metric].([]any)
	if len(dates) != len(points) || len(values) != len(points) {
		tb.Fatalf("%s by day: %d dates and %d values, want %d", metric, len(dates), len(values), len(points))
	}
	for i, point := range points {
		if p := point.(map[string]any); p["date"] != dates[i] || p["value"] != values[i] {
			tb.Errorf("%s by day on %v is %v, want %v", metric, dates[i], values[i], p)
		}
	}
}
