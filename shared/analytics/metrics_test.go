package analytics

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/shared/core/calendar"
	"portside/testclient/scale"
)

// saturday is 2026-11-21, the day of these tests.
const saturday calendar.Day = 20778

func at(hour int) time.Time {
	return saturday.Begin().Add(time.Duration(hour)*time.Hour + 59*time.Minute)
}

func days(first, last calendar.Day) Period { return Period{Kind: Custom, First: first, Last: last} }

func TestDashboardWithoutData(t *testing.T) {
	data := dailyData{now: at(0), quota: 5, counts: Counts{
		Now: Counters{"users": 1, "users:active": 1, "role:admin": 1, "projects": 1, "project:draft": 1, "created": 1},
		Changes: map[calendar.Day]Counters{
			saturday: {"users": 1, "users:active": 1, "role:admin": 1, "projects": 1, "project:draft": 1, "created": 1},
		},
	}}
	want := Metrics{
		Users: Users{ByRole: map[string]int64{"admin": 0, "manager": 0, "user": 0, "viewer": 0}},
		Projects: Projects{
			ByStatus: map[string]int64{"draft": 0, "active": 0, "on_hold": 0, "completed": 0, "archived": 0},
		},
		Quota: 5, Performance: Performance{Uptime: 100},
	}
	d := data.dashboard(days(saturday-5, saturday-1))
	if diff := cmp.Diff(want, d.Metrics); diff != "" || d.Partial {
		t.Errorf("partial: %v, %s", d.Partial, diff)
	}
	if empty := (dailyData{now: at(0)}).dashboard(days(saturday, saturday)); !empty.Partial || empty.Metrics.Performance.Uptime != 100 {
		t.Errorf("got %+v, want an empty dashboard", empty)
	}
}

func TestDashboardCountsUsersAndProjects(t *testing.T) {
	data := dailyData{now: at(12), counts: Counts{
		Now: Counters{
			"users": 7, "users:active": 5, "role:admin": 1, "role:user": 6, "projects": 4, "project:active": 3, "project:archived": 1,
			"created": 9, "archived": 8,
		},
		Changes: map[calendar.Day]Counters{
			saturday: {"users": 1, "role:user": 1, "created": 1, "projects": 1, "project:active": 1},
			saturday - 1: {
				"users": 2, "users:active": 1, "role:user": 3, "role:admin": -1, "archived": 2, "project:archived": 1, "project:active": -1,
			},
			saturday - 2: {"users": 1, "users:active": 1, "role:admin": 1, "created": 3, "projects": 1, "project:active": 1},
			saturday - 9: {"created": 5},
		},
	}}
	m := data.dashboard(days(saturday-2, saturday-1)).Metrics
	users := Users{Total: 6, Active: 5, Growth: 100, ByRole: map[string]int64{"admin": 1, "manager": 0, "user": 5, "viewer": 0}}
	if diff := cmp.Diff(users, m.Users); diff != "" {
		t.Error(diff)
	}
	projects := Projects{Total: 3, Created: 3, Archived: 2, ByStatus: map[string]int64{
		"draft": 0, "active": 2, "on_hold": 0, "completed": 0, "archived": 1,
	}}
	if diff := cmp.Diff(projects, m.Projects); diff != "" {
		t.Error(diff)
	}
}

func TestGrowth(t *testing.T) {
	for _, test := range []struct {
		before, after int64
		want          float64
	}{
		{0, 0, 0}, {0, 1, 100}, {0, 900, 100}, {4, 4, 0}, {4, 5, 25}, {3, 4, 33.33}, {3, 2, -33.33}, {3, 0, -100}, {1, 1_000, 99_900},
	} {
		t.Run(fmt.Sprintf("from %d to %d", test.before, test.after), func(t *testing.T) {
			if got := growth(test.before, test.after); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// hourlyStats returns the requests and the failed requests of a day by hour.
func hourlyStats(calls, failed map[int]int64) *RequestStats {
	r := &RequestStats{}
	for hour, n := range calls {
		r.HourCalls[hour] = n
	}
	for hour, n := range failed {
		r.HourErrors[hour] = n
	}
	return r
}

func TestUptimeCountsOnlyStartedHours(t *testing.T) {
	data := dailyData{requests: map[calendar.Day]*RequestStats{
		saturday - 1: hourlyStats(map[int]int64{0: 4, 23: 1}, map[int]int64{0: 1}),
		saturday:     hourlyStats(map[int]int64{0: 2, 1: 1, 2: 1}, map[int]int64{0: 1, 2: 1}),
	}}
	for _, test := range []struct {
		hour  int
		first calendar.Day
		want  float64
	}{
		{0, saturday, 50}, {1, saturday, 75}, {2, saturday, 50}, {23, saturday, 93.75}, {0, saturday - 1, 97}, {5, saturday - 2, 96.759},
	} {
		t.Run(fmt.Sprintf("from %s to hour %d", test.first, test.hour), func(t *testing.T) {
			data.now = at(test.hour)
			if got := data.uptime(days(test.first, saturday)); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
	if got := data.uptime(days(saturday-1, saturday-1)); got != 98.958 {
		t.Errorf("yesterday alone: %v", got)
	}
}

func TestStorageUsesLastMeasurement(t *testing.T) {
	measured := func(bytes int64) *Usage { return &Usage{Storage: &StorageBytes{Charts: bytes, Media: 1}} }
	data := dailyData{now: at(1), usage: map[calendar.Day]*Usage{
		saturday - 8: measured(8), saturday - 7: measured(7), saturday - 6: {Charts: 1}, saturday - 5: measured(5), saturday: measured(0),
	}}
	for _, test := range []struct {
		first, last calendar.Day
		want        int64 // 0 without a measurement
	}{
		{saturday, saturday, 1}, {saturday - 1, saturday - 1, 6}, {saturday - 9, saturday - 6, 8}, {saturday - 6, saturday - 6, 8},
		{saturday - 8, saturday - 8, 9}, {saturday - 9, saturday - 9, 0}, {saturday + 7, saturday + 9, 1}, {saturday + 8, saturday + 9, 0},
	} {
		t.Run(fmt.Sprintf("from %s to %s", test.first, test.last), func(t *testing.T) {
			got := int64(0)
			if storage := data.storage(days(test.first, test.last)); storage != nil {
				got = storage.Charts + storage.Media
			}
			if got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
	if got := (StorageBytes{Charts: 1_234_567_890, Media: 600}).Gigabytes(); got != 1.234568 {
		t.Errorf("got %v GB", got)
	}
}

func TestDashboardCountsOnlyItsPeriod(t *testing.T) {
	models := ModelUsage{Calls: 1, InputTokens: 20, OutputTokens: 3, MicroUSD: 4_000_001}
	used := &Usage{Charts: 1, Images: 2, Checks: 3, Models: models}
	data := dailyData{
		now: at(1), usage: map[calendar.Day]*Usage{saturday - 3: used, saturday - 2: used, saturday - 1: used, saturday: used},
		requests: map[calendar.Day]*RequestStats{
			saturday - 2: {Calls: 4, Media: 3, Errors: 2, Millis: 111, Latency: Histogram{50: 1, 61: 1}},
			saturday - 1: {Calls: 1, Media: 1, Errors: 1, Millis: 9, Latency: Histogram{9: 1}}, saturday: {Calls: 9, Media: 9},
		},
	}
	m := data.dashboard(days(saturday-2, saturday-1)).Metrics
	want := Metrics{
		Users: m.Users, Projects: m.Projects, Calls: 5, Pulls: Pulls{Charts: 2, Images: 4, Checks: 6},
		Media:       Media{Calls: 4, Models: ModelUsage{Calls: 2, InputTokens: 40, OutputTokens: 6, MicroUSD: 8_000_002}},
		Performance: Performance{Uptime: 100, TimedRequests: 3, Average: 40, P95: 61, P99: 61, Errors: 3},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	if got := m.Media.Models.USD(); got != 8.000002 {
		t.Errorf("cost %v, want 8.000002", got)
	}
}

// anyDailyData draws data of the 31 days up to saturday.
func anyDailyData(t *rapid.T) dailyData {
	data := dailyData{
		now: at(rapid.IntRange(0, 23).Draw(t, "hour")), requests: map[calendar.Day]*RequestStats{}, usage: map[calendar.Day]*Usage{},
		counts: Counts{Now: Counters{}, Changes: map[calendar.Day]Counters{}},
	}
	number := rapid.Int64Range(0, 99)
	for day := saturday - 30; day <= saturday; day++ {
		if rapid.Bool().Draw(t, "counts") {
			change := Counters{"users": number.Draw(t, "users"), "projects": 1, "created": number.Draw(t, "created"), "users:active": 1}
			data.counts.Changes[day] = change
			data.counts.Now.add(change, 1)
		}
		if rapid.Bool().Draw(t, "requests") {
			data.requests[day] = &RequestStats{Media: number.Draw(t, "media")}
			for range rapid.IntRange(0, 3).Draw(t, "n") {
				data.requests[day].Add(Request{
					At: day.Begin().Add(time.Duration(number.Draw(t, "minutes")) * time.Minute), Status: 450 + int(number.Draw(t, "status")),
					LatencyMillis: number.Draw(t, "ms") - 50,
				})
			}
		}
		if rapid.Bool().Draw(t, "usage") {
			data.usage[day] = &Usage{
				Charts: number.Draw(t, "charts"), Checks: number.Draw(t, "checks"), Models: ModelUsage{MicroUSD: number.Draw(t, "cost")},
			}
		}
		if rapid.IntRange(0, 9).Draw(t, "measured") == 0 {
			data.usage[day] = &Usage{Storage: &StorageBytes{Charts: number.Draw(t, "bytes")}}
		}
	}
	return data
}

func TestSeriesEqualsDailyDashboards(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		data := anyDailyData(t)
		p := days(saturday-calendar.Day(rapid.IntRange(0, 25).Draw(t, "days")), saturday)
		for _, m := range metricDefinitions() {
			points := data.points(p, m)
			for i, point := range points {
				day := p.First + calendar.Day(i)
				want := Point{Day: day, Value: m.valueOf(data.dashboard(days(day, day)).Metrics)}
				if diff := cmp.Diff(want, point); diff != "" {
					t.Fatalf("%s: %s", m.metric, diff)
				}
			}
			if len(points) != p.Days() {
				t.Fatalf("%s: %d points for %d days", m.metric, len(points), p.Days())
			}
			for i, value := range data.columns(p, []metricDefinition{m}).Values[m.metric] {
				if diff := cmp.Diff(points[i].Value, value); diff != "" {
					t.Fatalf("%s: %s", m.metric, diff)
				}
			}
		}
	})
}

func TestPeriodEqualsSumOfItsDays(t *testing.T) {
	sums := map[Metric]bool{
		"projects.created": true, "projects.archived": true, "usage.api.calls": true, "usage.pulls.charts": true, "usage.pulls.images": true,
		"usage.pulls.checks": true, "usage.media.calls": true, "usage.media.cost": true, "performance.errors": true,
	}
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		data := anyDailyData(t)
		p := days(saturday-calendar.Day(rapid.IntRange(0, 25).Draw(t, "days")), saturday)
		all := data.dashboard(p).Metrics
		for _, m := range metricDefinitions() {
			sum := 0.0
			for _, point := range data.points(p, m) {
				if point.Value != nil {
					sum += *point.Value
				}
			}
			if sums[m.metric] && math.Abs(sum-m.value(all)) > 1e-9 {
				t.Fatalf("%s: the days add up to %v, the period has %v", m.metric, sum, m.value(all))
			}
		}
	})
}
