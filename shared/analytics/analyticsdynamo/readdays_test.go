package analyticsdynamo

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
)

// now is a Saturday afternoon.
var now = time.Date(2026, 11, 21, 15, 30, 0, 0, time.UTC)

var today = calendar.DayOf(now)

// testTable is a table on a real engine, with methods that write as the production code does.
type testTable struct {
	testing.TB
	client *dynamodb.Client
	table  string
}

func newTestTable(tb testing.TB) testTable {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	return testTable{tb, client, awstest.Table(tb, client, "AnalyticsTable")}
}

func (b testTable) store() *Store { return New(b.client, b.table) }

// put writes items unchanged.
func (b testTable) put(all []items.Map) {
	b.Helper()
	const maxBatch = 25
	for len(all) > 0 {
		n := min(maxBatch, len(all))
		var writes []types.WriteRequest
		for _, item := range all[:n] {
			writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
		_, err := b.client.BatchWriteItem(b.Context(), &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{b.table: writes},
		})
		if err != nil {
			b.Fatal(err)
		}
		all = all[n:]
	}
}

// count writes changes of counters.
func (b testTable) count(day calendar.Day, change daycounts.Change) {
	b.Helper()
	changes := daycounts.Changes{day: change}
	if err := transactions.Write(b.Context(), b.client, daycounts.In(b.table).Writes(changes)); err != nil {
		b.Fatal(err)
	}
}

func itemOf(day calendar.Day, r *analytics.RequestStats) items.Map {
	item := items.Encode(encodeRequestStats(r))
	maps.Copy(item, dayKey(requests, day))
	item[version], item[span] = items.Number(1_440), items.Number(60_000)
	return item
}

// busyDayStats returns requests whose latencies fall into about 130 buckets.
func busyDayStats(random *rand.Rand) *analytics.RequestStats {
	r := &analytics.RequestStats{Calls: 864_000, Errors: 431, Millis: 51_840_000, Media: 4_021, Latency: analytics.Histogram{}}
	for hour := range r.HourCalls {
		r.HourCalls[hour] = 30_000 + random.Int64N(10_000)
	}
	r.HourErrors[9], r.HourErrors[17] = 400, 31
	for bucket := range analytics.Bucket(130) {
		r.Latency[bucket+2] = 1 + random.Int64N(13_000)
	}
	return r
}

// fill writes n days up to today, each as busy as a large service.
func (b testTable) fill(n int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	total := daycounts.TotalKey()
	var all []items.Map
	for day := today - calendar.Day(n) + 1; day <= today; day++ {
		all = append(all, itemOf(day, busyDayStats(random)), b.usageItem(day, random), b.countsItem(day, random, total))
	}
	b.put(append(all, total))
}

func (b testTable) usageItem(day calendar.Day, random *rand.Rand) items.Map {
	item := dayKey(usage, day)
	for _, name := range []string{
		"chartBytes", "mediaBytes", "charts", "images", "checks", "modelCalls", "inputTokens", "outputTokens", "microUSD",
	} {
		item[name] = items.Number(random.Int64N(1e8))
	}
	item["measured"] = items.Number(day.Begin().UnixMilli())
	item[version], item[span] = items.Number(1_440), items.Number(60_000)
	return item
}

func (b testTable) countsItem(day calendar.Day, random *rand.Rand, total items.Map) items.Map {
	item := dayKey(daycounts.Partition, day)
	for _, name := range []string{
		"users", "users:active", "users:pending", "users:inactive", "role:user", "role:viewer", "role:manager",
		"projects", "project:draft", "project:active", "project:archived", "created", "archived",
	} {
		item[name] = items.Number(random.Int64N(90))
		total[name] = items.Number(1e6 + random.Int64N(1e6))
	}
	return item
}

func (b testTable) dashboard(asked analytics.PeriodQuery, with analytics.Comparison) (dashboard analytics.Dashboard, cost *awstest.Meter) {
	b.Helper()
	client, meter := awstest.Metered(b.client)
	service := analytics.NewService(New(client, b.table), 1e11, func() time.Time { return now })
	dashboard, err := service.Dashboard(b.Context(), asked, with)
	if err != nil {
		b.Fatal(err)
	}
	return dashboard, meter
}

// The table has two full years.
func TestDashboardCost(t *testing.T) {
	b := newTestTable(t)
	b.fill(2*365 + 8)
	year, leap := today-364, today-365
	for _, test := range []struct {
		name  string
		asked analytics.PeriodQuery
		with  analytics.Comparison
		calls int
		units float64
	}{
		{"a year", analytics.PeriodQuery{Kind: analytics.Custom, From: &year, To: &today}, "", 4, 70},
		{"a leap year", analytics.PeriodQuery{Kind: analytics.Custom, From: &leap, To: &today}, "", 4, 70},
		{"this year", analytics.PeriodQuery{Kind: analytics.ThisYear}, "", 4, 70},
		{"this quarter", analytics.PeriodQuery{Kind: analytics.ThisQuarter}, "", 4, 25},
		{"this month", analytics.PeriodQuery{}, "", 4, 15},
		{"this month and before", analytics.PeriodQuery{}, analytics.WithPrevious, 4, 20},
		{"today", analytics.PeriodQuery{Kind: analytics.Today}, "", 3, 10},
		{"today and before", analytics.PeriodQuery{Kind: analytics.Today}, analytics.WithPrevious, 3, 10},
		{"yesterday", analytics.PeriodQuery{Kind: analytics.Yesterday}, "", 3, 10},
		{"this month and a year ago", analytics.PeriodQuery{}, analytics.WithYearAgo, 6, 40},
		{"this year and a year ago", analytics.PeriodQuery{Kind: analytics.ThisYear}, analytics.WithYearAgo, 6, 130},
		{"today and a year ago", analytics.PeriodQuery{Kind: analytics.Today}, analytics.WithYearAgo, 6, 20},
		{"this month and the month before", analytics.PeriodQuery{}, analytics.WithCalendar, 6, 40},
		{"a day and before", analytics.PeriodQuery{Kind: analytics.Yesterday}, analytics.WithPrevious, 4, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, cost := b.dashboard(test.asked, test.with)
			t.Logf("%d calls, %v read units", cost.Calls(), cost.ReadUnits())
			if cost.Calls() > test.calls || cost.ReadUnits() > test.units || cost.ReadUnits() == 0 {
				t.Errorf("%d calls and %v read units, want %d and %v", cost.Calls(), cost.ReadUnits(), test.calls, test.units)
			}
		})
	}
}

// A writer whose clock is fast counts on tomorrow. Such changes belong to today.
func TestCountsIncludeTomorrowInToday(t *testing.T) {
	b := newTestTable(t)
	b.count(today-1, daycounts.Change{"users": 3})
	b.count(today, daycounts.Change{"users": 2, "created": 1})
	b.count(today+1, daycounts.Change{"users": 1, "created": 1})
	counts, err := b.store().Counts(t.Context(), today-2, today)
	if err != nil || counts.Now["users"] != 6 || counts.Changes[today]["created"] != 2 {
		t.Errorf("%+v, %v", counts, err)
	}
	for day, want := range map[calendar.Day]int64{today: 6, today - 1: 3, today - 2: 0} {
		if got := counts.At(day)["users"]; got != want {
			t.Errorf("%s: %d users, want %d", day, got, want)
		}
	}
}

// A day long ago requires all changes of the counters since, but no other data in between.
func TestDashboardCostForOldDay(t *testing.T) {
	b := newTestTable(t)
	b.fill(400)
	day := today - 390
	_, cost := b.dashboard(analytics.PeriodQuery{Kind: analytics.Custom, From: &day, To: &day}, "")
	if cost.Calls() > 4 || cost.ReadUnits() > 25 {
		t.Errorf("%d calls and %v read units", cost.Calls(), cost.ReadUnits())
	}
}

func TestSeriesReadsOnlyItsSource(t *testing.T) {
	b := newTestTable(t)
	b.fill(3)
	client, meter := awstest.Metered(b.client)
	service := analytics.NewService(New(client, b.table), 0, func() time.Time { return now })
	for metric, calls := range map[analytics.Metric]int{"users.total": 2, "performance.uptime": 1, "usage.storage.used": 1} {
		meter.Reset()
		series, err := service.Series(t.Context(), analytics.PeriodQuery{}, metric)
		if err != nil || len(series.Points) != 21 || meter.Calls() != calls {
			t.Errorf("%s: %d points in %d calls, %v", metric, len(series.Points), meter.Calls(), err)
		}
	}
}

func TestDashboardShowsStoredData(t *testing.T) {
	b := newTestTable(t)
	b.count(today-60, daycounts.Change{"users": 4, "users:active": 3, "role:admin": 4})
	b.count(today-1, daycounts.Change{"users": 2, "users:active": 1, "role:user": 2, "projects": 1, "project:draft": 1, "created": 1})
	b.count(today, daycounts.Change{"users": -1, "role:user": -1, "project:draft": -1, "project:archived": 1, "archived": 1})
	first, second := &analytics.RequestStats{}, &analytics.RequestStats{}
	first.Add(analytics.Request{At: now, Status: 200, LatencyMillis: 20, IsMediaCall: true})
	second.Add(analytics.Request{At: now.AddDate(0, 0, -1), Status: 500, LatencyMillis: 40})
	b.put([]items.Map{itemOf(today, first), itemOf(today-1, second), itemOf(today-30, second)})
	storage := analytics.StorageBytes{Charts: 3e9, Media: 5e8}
	if err := b.store().SaveStorage(t.Context(), now.AddDate(0, 0, -6), storage); err != nil {
		t.Fatal(err)
	}
	day := today - 1
	got, _ := b.dashboard(analytics.PeriodQuery{Kind: analytics.Custom, From: &day, To: &today}, analytics.WithPrevious)
	want := analytics.Metrics{
		Users: analytics.Users{Total: 5, Active: 4, Growth: 25, ByRole: map[string]int64{"admin": 4, "manager": 0, "user": 1, "viewer": 0}},
		Projects: analytics.Projects{Total: 1, Created: 1, Archived: 1, ByStatus: map[string]int64{
			"draft": 0, "active": 0, "on_hold": 0, "completed": 0, "archived": 1,
		}},
		Storage: &storage, Quota: 1e11, Calls: 2, Media: analytics.Media{Calls: 1},
		Performance: analytics.Performance{Uptime: 97.5, TimedRequests: 2, Average: 30, P95: 40, P99: 40, Errors: 1},
	}
	if diff := cmp.Diff(want, got.Metrics); diff != "" {
		t.Error(diff)
	}
	if before := got.Compared; before == nil || before.Metrics.Users.Total != 4 || before.Period.Last != today-2 || before.Partial {
		t.Errorf("before: %+v", before)
	}
}

// Each of the last days has a change. The test reads the changes since each of them.
func TestCountsSinceEachDay(t *testing.T) {
	b := newTestTable(t)
	const n = 6
	for back := range calendar.Day(n) {
		b.count(today-back, daycounts.Change{"users": 1 << back})
	}
	for back := range calendar.Day(n) {
		counts, err := b.store().Counts(t.Context(), today-back, today)
		if err != nil {
			t.Fatal(err)
		}
		for day := today - back; day <= today; day++ {
			if got := counts.Changes[day]["users"]; got != 1<<(today-day) {
				t.Errorf("since %d days: %s changed by %d", back, day, got)
			}
		}
		if got := counts.Now["users"]; got != 1<<n-1 {
			t.Errorf("since %d days: there are %d", back, got)
		}
	}
}

// The clock of the reader is behind the clock of the writers. Changes of tomorrow are in the total.
func TestDashboardTotalIncludesTomorrow(t *testing.T) {
	b := newTestTable(t)
	b.count(today, daycounts.Change{"users": 1})
	b.count(today+1, daycounts.Change{"users": 5})
	got, _ := b.dashboard(analytics.PeriodQuery{Kind: analytics.Today}, "")
	if total := got.Metrics.Users.Total; total != 6 {
		t.Errorf("got %d users, want 6", total)
	}
}

// Concurrent writers cancel the transaction twice, which the engine never does on its own.
func TestCountsRetryTransactionConflicts(t *testing.T) {
	b := newTestTable(t)
	b.count(today, daycounts.Change{"users": 1})
	b.client = awstest.Faulty(b.client, func(operation string, n int) error {
		if operation == "TransactGetItems" && n < 3 {
			return awstest.TransactionConflict(3)
		}
		return nil
	})
	if got, _ := b.dashboard(analytics.PeriodQuery{}, ""); got.Metrics.Users.Total != 1 {
		t.Errorf("got %+v", got.Metrics.Users)
	}
}

func TestStoreErrorsAreReturned(t *testing.T) {
	b := newTestTable(t)
	broken := awstest.Faulty(b.client, func(operation string, _ int) error {
		return fmt.Errorf("no %s", operation)
	})
	service := analytics.NewService(New(broken, b.table), 0, func() time.Time { return now })
	if d, err := service.Dashboard(t.Context(), analytics.PeriodQuery{}, ""); err == nil {
		t.Errorf("got %+v", d)
	}
	for _, metric := range []analytics.Metric{"users.total", "performance.errors", "usage.pulls.charts"} {
		if got, err := service.Series(t.Context(), analytics.PeriodQuery{}, metric); err == nil {
			t.Errorf("%s: got %+v", metric, got)
		}
	}
	if err := New(broken, b.table).SaveStorage(t.Context(), now, analytics.StorageBytes{}); err == nil {
		t.Error("SaveStorage returned no error although the write failed")
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.store().Counts(canceled, today-5, today); err == nil {
		t.Error("Counts returned no error for a canceled context")
	}
}

func TestDashboardRejectsInvalidItems(t *testing.T) {
	for name, item := range map[string]items.Map{
		"counts without a day":   items.Key("counts", "2026-11-05x"),
		"requests without a day": items.Key("requests", "2026-11-05x"),
		"usage without a day":    items.Key("usage", "2026-11-05x"),
	} {
		b := newTestTable(t)
		b.put([]items.Map{item})
		service := analytics.NewService(b.store(), 0, func() time.Time { return now })
		if d, err := service.Dashboard(t.Context(), analytics.PeriodQuery{}, ""); err == nil {
			t.Errorf("%s: got %+v", name, d)
		}
	}
}
