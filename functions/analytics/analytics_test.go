package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/analytics"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/pulls"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
)

const (
	dashboard  = "/v1/analytics/dashboard"
	timeseries = "/v1/analytics/timeseries"
	daily      = "/v1/analytics/daily"
	rankings   = "/v1/analytics/pulls"
)

func TestDashboardOfTheGuide(t *testing.T) {
	b := newTestService(t)
	root := b.as(principal.Admin)
	root.Get(dashboard).WantStatus(http.StatusOK).WantValue("data.period.type", "this_month").
		WantValue("data.period.startDate", "2026-11-01").
		WantValue("data.period.endDate", "2026-11-21").WantValue("data.metrics.users.total", 0).
		WantValue("data.metrics.users.growth", 0).
		WantValue("data.metrics.performance.uptime", 100).WantValue("data.metrics.usage.storage.total", 100).
		WantValue("data.metrics.usage.storage.used", 0).WantValue("data.previous", nil)

	b.story()
	all := root.Get(dashboard + "?period=this_month").WantStatus(http.StatusOK)
	for path, want := range map[string]any{
		"metrics.users.total": 42, "metrics.users.active": 38, "metrics.users.growth": 5, "metrics.users.byRole.admin": 1,
		"metrics.users.byRole.viewer": 4, "metrics.projects.total": 7, "metrics.projects.byStatus.draft": 3,
		"metrics.projects.byStatus.on_hold": 0, "metrics.projects.byStatus.archived": 1, "metrics.projects.created": 2,
		"metrics.projects.archived": 1, "metrics.usage.storage.used": 2.54, "metrics.usage.storage.unit": "GB",
		"metrics.usage.api.calls": 210, "metrics.usage.pulls.charts": 12, "metrics.usage.pulls.images": 31,
		"metrics.usage.pulls.checks": 75,
		"metrics.usage.media.calls":  4, "metrics.usage.media.modelCalls": 5, "metrics.usage.media.inputTokens": 8200,
		"metrics.usage.media.cost": 0.0269, "metrics.usage.media.currency": "USD", "metrics.performance.errors": 5,
		"metrics.performance.responseTime.p95": 21, "meta.partial": true, "meta.asOf": "2026-11-21T15:30:00Z",
	} {
		all.WantValue("data."+path, want)
	}

	today := root.Get(dashboard + "?period=today&compare=previous").WantStatus(http.StatusOK)
	today.WantValue("data.metrics.usage.api.calls", 10).WantValue("data.metrics.users.growth", 0).
		WantValue("data.metrics.performance.uptime", 100)
	today.WantValue("data.previous.period.type", "custom").WantValue("data.previous.period.startDate", "2026-11-20").
		WantValue("data.previous.metrics.usage.api.calls", 200).WantValue("data.previous.metrics.performance.uptime", 99.792)

	b.clock.Advance(9 * time.Hour)
	root.Get(dashboard+"?period=yesterday").WantStatus(http.StatusOK).WantValue("data.metrics.usage.api.calls", 10).
		WantValue("data.meta.partial", false)
	root.Get(dashboard+"?period=today").WantStatus(http.StatusOK).WantValue("data.metrics.usage.api.calls", 0).
		WantValue("data.metrics.users.total", 42)
}

func TestDashboardAsCSV(t *testing.T) {
	b := newTestService(t)
	b.story()
	root := b.as(principal.Admin).With("Accept", "text/csv")
	table := root.Get(dashboard+"?period=today&compare=previous").WantStatus(http.StatusOK).
		WantHeader("Content-Type", "text/csv").WantHeader("Vary", "Accept")
	for _, line := range []string{
		"metric,value,unit,previous\n", "usage.api.calls,10,,200\n", "performance.uptime,100,%,99.792\n", "usage.media.cost,", ",USD,",
		"users.byRole.admin,1,,1\n", "performance.responseTime.p95,", ",ms,", "usage.storage.total,100,GB,100\n",
	} {
		if !strings.Contains(string(table.Body), line) {
			t.Errorf("%q is missing in\n%s", line, table.Body)
		}
	}
	if alone := root.Get(dashboard).WantStatus(http.StatusOK); !strings.HasPrefix(string(alone.Body),
		"metric,value,unit\nusers.total,42,\n") {
		t.Errorf("%s", alone.Body)
	}
	root.Get(dashboard+"?period=never").WantStatus(http.StatusBadRequest).
		WantHeader("Content-Type", "application/problem+json")
}

func TestEveryPeriodAndMetric(t *testing.T) {
	b := newTestService(t)
	b.story()
	root := b.as(principal.Viewer)
	for _, kind := range analytics.PeriodKinds() {
		query := "?compare=previous&period=" + string(kind)
		if kind == analytics.Custom {
			query += "&startDate=2026-11-20&endDate=2026-11-20"
		}
		root.Get(dashboard+query).WantStatus(http.StatusOK).WantValue("data.period.type", string(kind))
	}
	for _, metric := range analytics.AllMetrics() {
		query := "?period=custom&startDate=2026-10-01&endDate=2026-11-21&metric=" + string(metric)
		points, _ := root.Get(timeseries+query).WantStatus(http.StatusOK).WantValue("data.metric", string(metric)).
			JSON("data.points").([]any)
		if len(points) != 52 {
			t.Errorf("%s has %d points", metric, len(points))
		}
	}
}

func TestTimeseries(t *testing.T) {
	b := newTestService(t)
	b.story()
	root := b.as(principal.Manager)
	for metric, want := range map[string][3]any{
		"users.total": {43.0, 42.0, 42.0}, "usage.api.calls": {0.0, 200.0, 10.0}, "usage.storage.used": {nil, 2.54, 2.54},
		"performance.responseTime.p99": {nil, 1487.5, 20.0}, "performance.uptime": {nil, 99.792, 100.0},
		"projects.created": {0.0, 2.0, 0.0},
	} {
		answer := root.Get(timeseries + "?period=custom&startDate=2026-11-19&endDate=2026-11-21&metric=" + metric).
			WantStatus(http.StatusOK)
		answer.WantValue("data.points.0.date", "2026-11-19").WantValue("data.points.2.date", "2026-11-21").
			WantValue("data.meta.partial", true)
		for i, value := range want {
			answer.WantValue("data.points."+string(rune('0'+i))+".value", value)
		}
	}
}

func TestDailyReturnsTheSelectedFigures(t *testing.T) {
	b := newTestService(t)
	b.story()
	root := b.as(principal.Viewer)
	const days = "?period=custom&startDate=2026-11-20&endDate=2026-11-21"
	answer := root.Get(daily + days + "&compare=year_ago&metrics=usage.api.calls,performance.responseTime.p99").
		WantStatus(http.StatusOK)
	answer.WantValue("data.dates.1", "2026-11-21").WantValue("data.meta.partial", true)
	answer.WantValue("data.values", map[string]any{
		"usage.api.calls": []any{200.0, 10.0}, "performance.responseTime.p99": []any{1487.5, 20.0},
	})
	answer.WantValue("data.previous.period.startDate", "2025-11-20").WantValue("data.previous.dates.0", "2025-11-20")
	answer.WantValue("data.previous.values", map[string]any{
		"usage.api.calls": []any{0.0, 0.0}, "performance.responseTime.p99": []any{nil, nil},
	})
	all, _ := root.Get(daily+days).WantStatus(http.StatusOK).WantValue("data.previous", nil).JSON("data.values").(map[string]any)
	if len(all) != len(analytics.AllMetrics()) {
		t.Errorf("without metrics there are %d figures, want %d", len(all), len(analytics.AllMetrics()))
	}
}

// TestCalendarUnits asks all operations with a comparison for the calendar unit before.
func TestCalendarUnits(t *testing.T) {
	b := newTestService(t)
	b.story()
	root := b.as(principal.Manager)
	for query, want := range map[string]struct {
		first, last string
		days        [2]int // of the period and of the unit before
	}{
		"period=this_month":   {"2026-10-01", "2026-10-21", [2]int{21, 21}},
		"period=last_month":   {"2026-09-01", "2026-09-30", [2]int{31, 30}},
		"period=this_quarter": {"2026-07-01", "2026-08-21", [2]int{52, 52}},
		"period=last_week":    {"2026-11-02", "2026-11-08", [2]int{7, 7}},
		"period=custom&startDate=2024-02-01&endDate=2024-02-29": {"2024-01-01", "2024-01-31", [2]int{29, 31}},
		"period=custom&startDate=2026-10-01&endDate=2026-10-20": {"2026-09-01", "2026-09-20", [2]int{20, 20}},
	} {
		for _, path := range []string{dashboard + "?", daily + "?", rankings + "?by=person&", rankings + "?by=artifact&"} {
			root.Get(path+query+"&compare=calendar").WantStatus(http.StatusOK).WantValue("data.period.days", want.days[0]).
				WantValue("data.previous.period", map[string]any{
					"type": "custom", "startDate": want.first, "endDate": want.last, "days": float64(want.days[1]),
				})
		}
	}
	root.Get(dashboard+"?period=today&compare=calendar").WantStatus(http.StatusOK).
		WantValue("data.metrics.usage.api.calls", 10).
		WantValue("data.previous.metrics.usage.api.calls", 200)
}

func TestRankings(t *testing.T) {
	b := newTestService(t)
	b.story()
	manager := b.as(principal.Manager)
	answer := manager.Get(rankings+"?by=artifact&compare=previous").WantStatus(http.StatusOK).
		WantValue("data.complete", true)
	answer.WantValue("data.previous.period.endDate", "2026-10-31").WantValue("data.entries", []any{
		map[string]any{"kind": "image", "repository": "acme/api", "pulls": 24.0, "previous": 0.0},
		map[string]any{"kind": "chart", "repository": "product", "pulls": 12.0, "previous": 0.0},
		map[string]any{"kind": "image", "repository": "acme/web", "pulls": 7.0, "previous": 0.0},
	})
	answer = manager.Get(rankings + "?by=person&period=this_week&limit=1").WantStatus(http.StatusOK)
	answer.WantValue("data.entries", []any{map[string]any{"userId": ben, "name": nil, "email": nil, "pulls": 22.0}})
	answer = manager.Get(rankings + "?by=person&period=custom&startDate=2025-01-01&endDate=2025-12-31&compare=year_ago")
	answer.WantStatus(http.StatusOK).WantValue("data.entries", []any{}).WantValue("data.meta.partial", false)
}

// TestRankingNamesUsers ranks a user and a deleted one, whose pulls stay in the ranking.
func TestRankingNamesUsers(t *testing.T) {
	b := newTestService(t)
	b.pull(pulls.Pull{Kind: pulls.Chart, Repository: "product", Reference: "1.4.0", OwnerID: ada}, 2)
	b.pull(pulls.Pull{Kind: pulls.Chart, Repository: "product", Reference: "1.4.0", OwnerID: ben}, 1)
	service := users.NewService(b.people, nil, func() string { return ada }, b.clock.Now)
	input := users.NewUser{Email: "ada@example.com", Name: "Ada Lovelace", Role: principal.Manager}
	if _, err := service.Create(t.Context(), users.CreateOptions{Caller: principal.Operator()}, input); err != nil {
		t.Fatal(err)
	}
	manager := b.as(principal.Manager)
	deleted := map[string]any{"userId": ben, "name": nil, "email": nil, "pulls": 1.0}
	manager.Get(rankings+"?by=person").WantStatus(http.StatusOK).WantValue("data.entries", []any{
		map[string]any{"userId": ada, "name": "Ada Lovelace", "email": "ada@example.com", "pulls": 2.0}, deleted,
	})
	if err := service.Delete(t.Context(), principal.Operator(), versions.Target{ID: ada}); err != nil {
		t.Fatal(err)
	}
	manager.Get(rankings+"?by=person").WantStatus(http.StatusOK).WantValue("data.entries", []any{
		map[string]any{"userId": ada, "name": nil, "email": nil, "pulls": 2.0}, deleted,
	})
}

func TestOnlyReadersOfTokensSeePeople(t *testing.T) {
	b := newTestService(t)
	for role, status := range map[principal.Role]int{
		principal.Admin: http.StatusOK, principal.Manager: http.StatusOK,
		principal.Viewer: http.StatusForbidden, principal.User: http.StatusForbidden,
	} {
		b.as(role).Get(rankings + "?by=person").WantStatus(status)
	}
}

func TestRankingsNameOnlyArtifactsThatTheCallerCanPull(t *testing.T) {
	b := newTestService(t)
	b.story()
	viewer := credentials.Owner{ID: "0192f3a1-0000-7000-8000-0000000000aa", Role: principal.Viewer, Active: true}
	client := webtest.New(t, b.handler()).With("X-API-Key", b.issue(credentials.APIKey, viewer))
	hidden := func(kind string, pulls float64) any { return map[string]any{"kind": kind, "pulls": pulls} }
	client.Get(rankings+"?by=artifact").WantStatus(http.StatusOK).
		WantValue("data.entries", []any{hidden("image", 24), hidden("chart", 12), hidden("image", 7)})
	b.issue(credentials.AccessToken, viewer, "read:helm-charts", "read:docker-images:acme/web")
	client.Get(rankings+"?by=artifact").WantStatus(http.StatusOK).WantValue("data.entries", []any{
		hidden("image", 24), map[string]any{"kind": "chart", "repository": "product", "pulls": 12.0},
		map[string]any{"kind": "image", "repository": "acme/web", "pulls": 7.0},
	})
}

func TestInvalidParametersOfDashboards(t *testing.T) {
	const custom = "period=custom&startDate=2026-11-01&endDate=2026-11-02"
	checkInvalid(t, dashboard, map[string]string{
		"period=next_week":    "period",
		"period=Today":        "period",
		"period=":             "period",
		"period=a&period=b":   "period",
		"period=custom":       "startDate endDate",
		"compare=other":       "compare",
		"compare=":            "compare",
		"metrics=users":       "metrics",
		"Period=today":        "Period",
		"startDate=2026-11-0": "startDate",
		"period=today&period=today&compare=previous":             "period",
		"period=custom&startDate=2026-11-01":                     "endDate",
		"period=custom&endDate=2026-11-01":                       "startDate",
		"period=custom&startDate=2026-11-02&endDate=2026-11-01":  "startDate",
		"period=custom&startDate=2026-11-02&endDate=2026-11-22":  "endDate",
		"period=custom&startDate=2027-11-02&endDate=2027-11-22":  "endDate",
		"period=custom&startDate=2021-11-21&endDate=2026-11-21":  "startDate",
		"period=custom&startDate=2026-02-30&endDate=2026-13-01":  "endDate startDate",
		"period=custom&startDate=20260101&endDate=2026-01-01":    "startDate",
		"period=custom&startDate=2026-01-01&endDate=2026-01-01Z": "endDate",
		"period=custom&startDate=1969-12-31&endDate=1970-01-01":  "startDate",
		"period=today&startDate=2026-11-21&endDate=2026-11-21":   "startDate endDate",
		"endDate=2026-11-21":                                     "endDate",
		custom + "&startDate=2026-11-01":                         "startDate",
		custom + "&compare=previous&compare=previous":            "compare",
		"period=nope&compare=nope&startDate=nope":                "compare period startDate",
		"period=custom&startDate=x":                              "startDate endDate",
	})
}

func TestInvalidParametersOfRankings(t *testing.T) {
	checkInvalid(t, rankings, map[string]string{
		"":                      "by",
		"by=":                   "by",
		"by=user":               "by",
		"by=artifact&limit=0":   "limit",
		"by=artifact&limit=51":  "limit",
		"by=artifact&limit=x":   "limit",
		"by=person&period=z":    "period",
		"by=artifact&compare=z": "compare",
		"by=artifact&period=custom&startDate=2026-11-02&endDate=2026-11-01":                          "startDate",
		"by=artifact&period=custom&startDate=2026-11-02&endDate=2026-11-01&limit=0":                  "limit startDate",
		"by=artifact&period=custom&startDate=x&endDate=y&limit=0":                                    "endDate limit startDate",
		"by=artifact&startDate=2026-11-01&endDate=2026-11-02&limit=51&compare=z":                     "compare endDate limit startDate",
		"by=artifact&period=custom&startDate=2026-11-03&endDate=2026-11-12&limit=0&compare=calendar": "compare limit",
	})
}

func TestInvalidParametersOfDailyFigures(t *testing.T) {
	checkInvalid(t, daily, map[string]string{
		"metrics=":                        "metrics",
		"metrics=users":                   "metrics.0",
		"metrics=users.total,users":       "metrics.1",
		"metrics=users.total,users.total": "metrics",
		"metric=users.total":              "metric",
		"compare=other&period=z":          "compare period",
		"startDate=2026-11-01":            "startDate",
		"period=custom&startDate=2026-11-03&endDate=2026-11-12&compare=calendar&metrics=users": "compare metrics.0",
	})
}

func TestInvalidParametersOfTimeSeries(t *testing.T) {
	checkInvalid(t, timeseries, map[string]string{
		"":                                    "metric",
		"metric=":                             "metric",
		"metric=users":                        "metric",
		"metric=users.total&x=1":              "x",
		"metric=a&metric=b":                   "metric",
		"metric=users.total&period=z":         "period",
		"metric=users.total&compare=previous": "compare",
		"metric=users.total&startDate=2026-11-01":                                    "startDate",
		"metric=users.total&period=custom&startDate=2026-11-02&endDate=2026-11-01":   "startDate",
		"metric=users.total&period=custom&startDate=20261-11-02&endDate=2026-11-011": "endDate startDate",
	})
}

// checkInvalid checks that each query is rejected, and which parameters the response names.
func checkInvalid(t *testing.T, path string, queries map[string]string) {
	t.Helper()
	root := newTestService(t).as(principal.Admin)
	for query, want := range queries {
		answer := root.Get(path+"?"+query).WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR")
		if got := namedParameters(answer, want); got != want {
			t.Errorf("%s: the response names %s, want %s: %s", query, got, want, answer.Body)
		}
	}
}

// namedParameters returns the parameters that a response names. They are sorted if want is sorted.
func namedParameters(answer webtest.Response, want string) string {
	names := answer.Pointers()
	for i, pointer := range names {
		names[i] = strings.TrimPrefix(pointer, "query/")
	}
	if slices.IsSorted(strings.Fields(want)) {
		slices.Sort(names)
	}
	return strings.Join(names, " ")
}

// The calls include two of the credential, in one request to the API.
func TestDashboardDatabaseCalls(t *testing.T) {
	b := newTestService(t)
	b.story()
	key := b.key(principal.Viewer)
	client, meter := awstest.Metered(b.client)
	b.client = client
	for query, maxCalls := range map[string]int{
		"?period=today": 3, "?period=last_year&compare=previous": 4, "": 4, "?compare=year_ago": 6, "?compare=calendar": 6,
	} {
		meter.Reset()
		webtest.New(t, b.handler()).With("X-API-Key", key).Get(dashboard + query).WantStatus(http.StatusOK)
		if meter.Calls() > maxCalls {
			t.Errorf("%s: %d calls, want at most %d", query, meter.Calls(), maxCalls)
		}
	}
}

func TestDatabaseOutageIs503(t *testing.T) {
	b := newTestService(t)
	b.count("2026-11-20", daycounts.Change{"users": 1})
	b.client = awstest.Faulty(b.client, func(operation string, _ int) error {
		if operation == "TransactGetItems" {
			return items.ErrUnavailable
		}
		return nil
	})
	root := b.as(principal.Admin)
	root.Get(dashboard).WantStatus(http.StatusServiceUnavailable)
	root.Get(timeseries + "?metric=usage.api.calls").WantStatus(http.StatusOK)
}
