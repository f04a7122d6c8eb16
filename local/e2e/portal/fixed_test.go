package portal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// fixedPatterns match the requests of pages whose data would change from day to day.
var fixedPatterns = []string{"*/v1/analytics/*", "*/v1/users*", "*/api/v1/credential-requests?*"}

// fixedResponse answers such a request with the same data on every day.
func fixedResponse(address string) (status int64, body string) {
	at, err := url.Parse(address)
	if err != nil {
		return http.StatusBadRequest, `{"detail":"The address is not valid."}`
	}
	answer := map[string]any{}
	switch name, isUser := strings.CutPrefix(at.Path, "/v1/users/"); {
	case isUser:
		answer["data"] = map[string]any{"id": name, "name": "Ada Lovelace"}
	case at.Path == "/v1/users":
		answer["data"], answer["pagination"] = fixedUsers(), map[string]any{"offset": 0, "limit": 50, "total": 4}
	case at.Path == "/api/v1/credential-requests":
		answer["data"], answer["pagination"] = fixedRequests(), map[string]any{"limit": 20, "hasMore": false, "next": nil}
	case at.Path == dashboardDays:
		answer["data"] = fixedSeries(strings.Split(at.Query().Get("metrics"), ","))
	case at.Path == dashboardPulls:
		answer["data"] = fixedRanking(at.Query().Get("by"))
	default:
		answer["data"] = fixedDashboard()
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return http.StatusInternalServerError, `{"detail":"The response is not JSON."}`
	}
	return http.StatusOK, string(text)
}

// Periods of the fixed data.
var (
	fixedMeta   = map[string]any{"asOf": "2026-04-02T09:30:00Z", "partial": false}
	fixedPeriod = map[string]any{"type": "last_month", "startDate": "2026-03-01", "endDate": "2026-03-31"}
	fixedBefore = map[string]any{"type": "custom", "startDate": "2026-01-29", "endDate": "2026-02-28"}
)

func fixedDashboard() map[string]any {
	return map[string]any{
		"period": fixedPeriod, "meta": fixedMeta, "metrics": fixedMetrics(1),
		"previous": map[string]any{"period": fixedBefore, "metrics": fixedMetrics(0.8)},
	}
}

// fixedMetrics returns all figures, multiplied by a factor.
func fixedMetrics(factor float64) map[string]any {
	metrics := map[string]any{}
	for path, value := range map[string]float64{
		"users.total": 1200, "users.active": 840, "users.growth": 4.5, "users.byRole.admin": 10, "users.byRole.manager": 90,
		"users.byRole.user": 700, "users.byRole.viewer": 400, "projects.total": 260, "projects.created": 20,
		"projects.archived":       5,
		"projects.byStatus.draft": 40, "projects.byStatus.active": 150, "projects.byStatus.on_hold": 20,
		"projects.byStatus.completed": 30,
		"projects.byStatus.archived":  20, "usage.api.calls": 48000, "performance.errors": 25, "performance.uptime": 99.95,
		"performance.responseTime.avg": 42.5, "performance.responseTime.p95": 160, "performance.responseTime.p99": 390,
		"usage.storage.used": 18.25, "usage.storage.total": 100, "usage.pulls.charts": 3200, "usage.pulls.images": 5600,
		"usage.pulls.checks": 91000, "usage.media.calls": 750, "usage.media.modelCalls": 500,
		"usage.media.inputTokens":  820000,
		"usage.media.outputTokens": 64000, "usage.media.cost": 12.5,
		"usage.media.byTask.summarize": 300, "usage.media.byTask.extract": 350, "usage.media.byTask.compare": 100,
	} {
		setPath(metrics, strings.Split(path, "."), value*factor)
	}
	return metrics
}

// setPath sets a value in nested objects.
func setPath(object map[string]any, path []string, value any) {
	if len(path) == 1 {
		object[path[0]] = value
		return
	}
	inner, isObject := object[path[0]].(map[string]any)
	if !isObject {
		inner = map[string]any{}
		object[path[0]] = inner
	}
	setPath(inner, path[1:], value)
}

// fixedSeries returns a value for each figure and day.
func fixedSeries(paths []string) map[string]any {
	const days = 31
	dates, before := make([]string, days), make([]string, days)
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range days {
		dates[i] = first.AddDate(0, 0, i).Format(time.DateOnly)
		before[i] = first.AddDate(0, 0, i-days).Format(time.DateOnly)
	}
	values, earlier := map[string]any{}, map[string]any{}
	for at, path := range paths {
		now, then := make([]int, days), make([]int, days)
		for i := range days {
			now[i], then[i] = 60+i+(i*7+at*5)%20, 50+i+(i*11+at*3)%20
		}
		values[path], earlier[path] = now, then
	}
	return map[string]any{
		"meta": fixedMeta, "period": fixedPeriod, "dates": dates, "values": values,
		"previous": map[string]any{"period": fixedBefore, "dates": before, "values": earlier},
	}
}

func fixedRanking(by string) map[string]any {
	entry := map[string]any{"pulls": 3200, "previous": 2900, "kind": "image", "repository": "acme/hello"}
	if by == "person" {
		entry = map[string]any{"pulls": 4100, "previous": 3900, "userId": fixedID(1)}
	}
	return map[string]any{"period": fixedPeriod, "meta": fixedMeta, "entries": []any{entry}, "complete": true}
}

func fixedID(number int) string { return fmt.Sprintf("01939f6e-8a8e-7d5c-a3c1-%012d", number) }

func fixedUsers() (users []any) {
	for i, user := range [][3]string{
		{"Ada Lovelace", "admin", "active"}, {"Grace Hopper", "manager", "active"}, {"Katherine Johnson", "user", "pending"},
		{"Mary Somerville", "viewer", "suspended"},
	} {
		name := user[0]
		users = append(users, map[string]any{
			"id": fixedID(i + 1), "name": name, "email": strings.ToLower(strings.Fields(name)[0]) + "@example.com",
			"role":   user[1],
			"status": user[2], "createdAt": "2026-03-02T09:30:00Z",
		})
	}
	return users
}

func fixedRequests() (requests []any) {
	for i, level := range []string{"full", "charts"} {
		requests = append(requests, map[string]any{
			"id": fixedID(i + 11), "status": "pending", "accessLevel": level, "justification": "Our staging cluster",
			"userId":    fixedID(2),
			"requester": map[string]any{"name": "Grace Hopper", "email": "grace@example.com"}, "createdAt": "2026-03-02T09:30:00Z",
			"dueAt": "2026-03-03T09:30:00Z", "decidedBy": nil, "decider": nil, "decidedAt": nil, "reason": nil, "collectBy": nil,
			"credentialId": nil, "events": []any{},
		})
	}
	return requests
}
