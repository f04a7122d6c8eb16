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

// A longer run, for a night: go test ./functions/analytics -run TestTheDashboardIsTrue -operations 1000000 -timeout 12h
var (
	operations = flag.Int("operations", 10_000, "how many operations TestTheDashboardIsTrue takes")
	chance     = flag.Uint64("chance", 0, "what TestTheDashboardIsTrue does, to repeat it; 0: something new")
)

// TestTheDashboardIsTrue lets people do things at random over months, in which a year ends, and a week 53 or a February of 29
// days lies. Users and projects come, change and go, requests are made and their log is delivered in every possible way. Now and
// then every number of the dashboard, over all kinds of periods, is compared with what a walk over the journal says.
func TestTheDashboardIsTrue(t *testing.T) {
	seed := *chance
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("to repeat it: -chance %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // repeatable
	begin := time.Date(2026+random.IntN(2), time.October, 15+random.IntN(30), random.IntN(24), 0, 0, 0, time.UTC)
	w := newWorld(t, begin, random)
	viewer := w.as(principal.Viewer)
	const months = 80 * 24 * time.Hour // and as long again, about, of leaps to midnight
	for n := range *operations {
		w.pass(months / time.Duration(*operations))
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

// compareAll asks for every kind of period, and for some custom ones.
func (w *world) compareAll(viewer webtest.Client, begin time.Time) {
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

// someDays are days up to today, which may have been before the beginning.
func (w *world) someDays(begin time.Time) span {
	today := midnight(w.clock.Now())
	past := int(today.Sub(begin)/(24*time.Hour)) + 5
	to := today.AddDate(0, 0, 1-w.random.IntN(past))
	return span{to.AddDate(0, 0, -1-w.random.IntN(past)), to}
}

func (s span) query() string {
	return "&startDate=" + s.from.Format(time.DateOnly) + "&endDate=" + s.to.AddDate(0, 0, -1).Format(time.DateOnly)
}

// compare compares a dashboard, and that of the period before, with the journal.
func (w *world) compare(viewer webtest.Client, kind, dates string, s span) {
	w.Helper()
	answer := viewer.Get(dashboard + "?compare=previous&period=" + kind + dates).Is(http.StatusOK).JSON("data").(map[string]any)
	w.compareMetrics(kind, answer, s)
	w.compareMetrics("before "+kind, answer["previous"].(map[string]any), s.before())
}

func (w *world) compareMetrics(what string, answer map[string]any, s span) {
	w.Helper()
	period := answer["period"].(map[string]any)
	if dates := fmt.Sprintf("&startDate=%s&endDate=%s", period["startDate"], period["endDate"]); dates != s.query() {
		w.Fatalf("%s on %s is %s, want %s", what, w.clock.Now(), dates, s.query())
	}
	got, want := map[string]float64{}, w.numbers(s, w.clock.Now())
	flatten(got, "", answer["metrics"].(map[string]any))
	if paths := slices.Sorted(maps.Keys(want)); !slices.Equal(slices.Sorted(maps.Keys(got)), paths) {
		w.Fatalf("the numbers are %v, want %v", slices.Sorted(maps.Keys(got)), paths)
	}
	for path, number := range got {
		if !agrees(path, number, want[path]) {
			w.Errorf("%s of %s%s on %s is %v, want %v", path, what, s.query(), w.clock.Now(), number, want[path])
		}
	}
}

// flatten gathers the numbers of an answer by their paths.
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
func (w *world) compareSeries(viewer webtest.Client, metric string, s span) {
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
		if known := w.known(metric, day); is != known || known && !agrees(metric, got, w.numbers(day, w.clock.Now())[metric]) {
			w.Errorf("%s on %v is %v, want %v", metric, p["date"], p["value"], w.numbers(day, w.clock.Now())[metric])
		}
	}
}
