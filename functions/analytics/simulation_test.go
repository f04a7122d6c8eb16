package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"portside/shared/analytics"
	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

// For a longer run: go test ./functions/analytics -run TestDashboardMatchesSimulation -operations 1000000 -timeout 12h
var (
	operations = flag.Int("operations", 10_000, "number of operations of TestDashboardMatchesSimulation")
	chance     = flag.Uint64("chance", 0, "seed of TestDashboardMatchesSimulation; 0: random")
)

// TestDashboardMatchesSimulation simulates months of random operations, with a change of year and a week 53 or a leap day.
// Users and projects are created, changed and deleted, and requests are made and their log is delivered out of order and
// repeatedly. At intervals it compares all figures of the dashboard, for all kinds of periods, with those of the journal.
func TestDashboardMatchesSimulation(t *testing.T) {
	seed := *chance
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("repeat this run with -chance %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // repeatable
	begin := time.Date(2026+random.IntN(2), time.October, 15+random.IntN(30), random.IntN(24), 0, 0, 0, time.UTC)
	w := newSimulation(t, begin, random)
	viewer := w.withRole(principal.Viewer)
	const months = 80 * 24 * time.Hour // jumps to midnight add about as much
	for n := range *operations {
		w.advance(months / time.Duration(*operations))
		w.act()
		if n%500 == 499 {
			w.deliverAll()
			w.compareAll(viewer, begin)
		}
	}
	w.clock.Advance(24 * time.Hour)
	w.deliverAll()
	w.compareAll(viewer, begin)
	for _, metric := range analytics.AllMetrics() {
		w.compareSeries(viewer, string(metric), span{midnight(begin).AddDate(0, 0, -3), midnight(w.clock.Now()).AddDate(0, 0, 1)})
	}
}

// compareAll compares the dashboards of all named periods and of some custom ones.
func (w *simulation) compareAll(viewer webtest.Client, begin time.Time) {
	w.Helper()
	today := midnight(w.clock.Now())
	for _, kind := range analytics.Kinds() {
		if kind != analytics.Custom {
			w.compare(viewer, string(kind), "", calendar(string(kind), today))
		}
	}
	for range 4 {
		s := w.someDays(begin)
		w.compare(viewer, "custom", s.query(), s)
	}
	w.compareSeries(viewer, string(pick(w, analytics.AllMetrics()...)), w.someDays(begin))
}

// someDays returns a random span up to today, which can start before the simulation does.
func (w *simulation) someDays(begin time.Time) span {
	today := midnight(w.clock.Now())
	past := int(today.Sub(begin)/(24*time.Hour)) + 5
	to := today.AddDate(0, 0, 1-w.random.IntN(past))
	return span{to.AddDate(0, 0, -1-w.random.IntN(past)), to}
}

func (s span) query() string {
	return "&startDate=" + s.from.Format(time.DateOnly) + "&endDate=" + s.to.AddDate(0, 0, -1).Format(time.DateOnly)
}

// compare compares a dashboard and the one of the previous period with the journal.
func (w *simulation) compare(viewer webtest.Client, kind, dates string, s span) {
	w.Helper()
	response := viewer.Get(dashboard + "?compare=previous&period=" + kind + dates).Is(http.StatusOK).JSON("data").(map[string]any)
	w.compareMetrics(kind, response, s)
	w.compareMetrics("before "+kind, response["previous"].(map[string]any), s.before())
}

func (w *simulation) compareMetrics(what string, response map[string]any, s span) {
	w.Helper()
	period := response["period"].(map[string]any)
	if dates := fmt.Sprintf("&startDate=%s&endDate=%s", period["startDate"], period["endDate"]); dates != s.query() {
		w.Fatalf("%s on %s is %s, want %s", what, w.clock.Now(), dates, s.query())
	}
	got, want := map[string]float64{}, w.numbers(s, w.clock.Now())
	flatten(got, "", response["metrics"].(map[string]any))
	if paths := slices.Sorted(maps.Keys(want)); !slices.Equal(slices.Sorted(maps.Keys(got)), paths) {
		w.Fatalf("the numbers are %v, want %v", slices.Sorted(maps.Keys(got)), paths)
	}
	for path, number := range got {
		if !agrees(path, number, want[path]) {
			w.Errorf("%s of %s%s on %s is %v, want %v", path, what, s.query(), w.clock.Now(), number, want[path])
		}
	}
}

// flatten collects the figures of a response by path.
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
func (w *simulation) compareSeries(viewer webtest.Client, metric string, s span) {
	w.Helper()
	query := "?period=custom" + s.query() + "&metric=" + metric
	points := viewer.Get(timeseries + query).Is(http.StatusOK).JSON("data.points").([]any)
	if len(points) != s.days() {
		w.Fatalf("%s has %d points, want %d", query, len(points), s.days())
	}
	for i, point := range points {
		day := span{s.from.AddDate(0, 0, i), s.from.AddDate(0, 0, i+1)}
		p := point.(map[string]any)
		got, is := p["value"].(float64)
		if known := w.hasValue(metric, day); is != known || known && !agrees(metric, got, w.numbers(day, w.clock.Now())[metric]) {
			w.Errorf("%s on %v is %v, want %v", metric, p["date"], p["value"], w.numbers(day, w.clock.Now())[metric])
		}
	}
}
