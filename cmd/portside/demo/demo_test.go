package demo

import (
	"context"
	"strings"
	"testing"
	"time"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/core/calendar"
	"portside/testclient/scale"
)

func TestYearIsABelievableStory(t *testing.T) {
	t.Parallel()
	times := []time.Time{
		time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC),
		time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),                                       // the first moment of a year
		time.Date(2028, 3, 1, 12, 59, 59, 999_000_000, time.FixedZone("UTC+13", 13*3600)), // the last one of a leap day in UTC
	}
	first, step := scale.Every(len(times))
	for i := first - 1; i < len(times); i += step {
		now := times[i]
		t.Run(now.Format(time.DateOnly), func(t *testing.T) {
			t.Parallel()
			testStory(t, now)
		})
	}
}

func testStory(t *testing.T, now time.Time) {
	t.Helper()
	a := newAnalyticsStack(t)
	a.Clock = now
	a.Expect(a.Run("bootstrap", "--email", "ada@example.com", "--name", "Ada"), 0, "") // after the year has begun
	got := a.Expect(a.Run("demo-data", "--days", "40"), 0, "")
	if !strings.HasPrefix(got.Stdout, "40 days up to today with ") {
		t.Error(got.Stdout)
	}
	service := analytics.NewService(analyticsdynamo.New(a.Client, a.Names.Analytics), analytics.Gigabytes(100), a.Now)
	from, to := calendar.DayOf(now)-30, calendar.DayOf(now)-1
	d, err := service.Dashboard(t.Context(), analytics.PeriodQuery{Kind: analytics.Custom, From: &from, To: &to}, analytics.WithPrevious)
	a.Must(err)
	m, users := d.Metrics, d.Metrics.Users
	if users.Total < 25 || users.Active == users.Total || users.Growth <= 0 || users.ByRole["viewer"] == 0 || m.Projects.Total < 8 ||
		m.Calls < 3000 || m.Media.Calls == 0 || m.Media.Models.MicroUSD == 0 || m.Storage == nil ||
		m.Pulls.Charts == 0 || m.Pulls.Images < m.Pulls.Charts {
		t.Errorf("%+v", m)
	}
	if p := m.Performance; p.Uptime < 90 || p.Uptime == 100 || p.P95 <= p.Average || p.P99 <= p.P95 {
		t.Errorf("%+v", p)
	}
	if before := d.Compared.Metrics.Users.Total; before == 0 || before >= users.Total {
		t.Errorf("%d users, %d a month before", users.Total, before)
	}
	a.checkCredentials()
	a.checkCustomers()

	a.Expect(a.Run("demo-data", "--days", "2"), 1, "ARGS='--add --seed 2'")
	a.Expect(a.Run("demo-data", "--days", "2", "--add"), 1, "the customers of seed 1 already exist: pass another --seed")
	a.Expect(a.Run("demo-data", "--days", "2", "--add", "--seed", "2"), 0, "")
	a.Expect(a.Run("reconcile"), 0, "")
}

func TestRejectsInvalidUsage(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Expect(a.Run("demo-data", "--days", "0"), 2, "--days must be 1 to 396")
	a.Expect(a.Run("demo-data", "x"), 2, "unexpected argument")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if got := a.RunWith(stopped, nil, "demo-data", "--local", a.Dir); got.Code != 130 {
		t.Errorf("exit code %d, stderr %s", got.Code, got.Stderr)
	}
}

func TestHelpShowsDefaults(t *testing.T) {
	t.Parallel()
	got := newAnalyticsStack(t).Run("demo-data", "-h")
	for _, want := range []string{"1 to 396; default: 365", "from 0; default: 1"} {
		if !strings.Contains(got.Stdout+got.Stderr, want) {
			t.Errorf("the help lacks %q: %+v", want, got)
		}
	}
}
