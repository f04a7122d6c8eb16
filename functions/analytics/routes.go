package main

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/analytics"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/web"
)

// handlers are the handlers of the routes.
type handlers struct {
	analytics  *analytics.Service
	rankings   *analytics.Rankings
	visibility *credentials.Visibility
	people     interface {
		// Persons returns the users with the distinct ids, in no particular order. It skips unknown ids.
		Persons(ctx context.Context, ids []string) ([]principal.Person, error)
	}
}

// routes returns the API of this function.
func routes(h *handlers, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Needs(principal.AnalyticsRead), getDashboard, h.dashboard)
	web.Handle(api, web.Needs(principal.AnalyticsRead), getTimeseries, h.timeseries)
	web.Handle(api, web.Needs(principal.AnalyticsRead), getDaily, h.daily)
	web.Handle(api, web.Needs(principal.AnalyticsRead), getPulls, h.pulls)
	return api
}

var tags = []string{"Analytics"}

var (
	getDashboard = huma.Operation{
		OperationID: "getDashboard", Method: http.MethodGet, Path: "/v1/analytics/dashboard", Tags: tags,
		Summary: "Get the dashboard",
		Description: "Returns the figures of a period: users and projects at its end, and usage and performance " +
			"within it. `compare` adds the figures of the previous period of the same length, of the same dates a year ago, or of the calendar " +
			"unit before. As CSV, each figure is a record with the columns `metric`, `value`, `unit` and, with `compare`, `previous`." + daysNote,
	}
	getTimeseries = huma.Operation{
		OperationID: "getTimeseries", Method: http.MethodGet, Path: "/v1/analytics/timeseries", Tags: tags,
		Summary: "Get a time series",
		Description: "Returns one figure of the dashboard for each day of a period: the value that the dashboard has for that day, or null if " +
			"there is none." + daysNote,
	}
	getDaily = huma.Operation{
		OperationID: "getDailyFigures", Method: http.MethodGet, Path: "/v1/analytics/daily", Tags: tags,
		Summary: "Get several figures by day",
		Description: "Returns the values of several time series in one response, for a page with many charts. `compare` adds the values of " +
			"another period." + daysNote,
	}
	getPulls = huma.Operation{
		OperationID: "getPullRanking", Method: http.MethodGet, Path: "/v1/analytics/pulls", Tags: tags,
		Summary: "Rank artifacts or users by pulls",
		Description: "Returns the artifacts that were pulled most in a period, or the users who pulled most. To see users, you need " +
			"`tokens:read` in addition to `analytics:read`. Without `tokens:read`, the response names only the artifacts that your own " +
			"working tokens and passwords may pull; other entries have a kind and pulls, but no repository. " +
			"`compare` adds the pulls of each entry in another period." + daysNote,
	}
)

const daysNote = "\n\nAll days are UTC, weeks begin on Monday, quarters in January, April, July and October. Requests are counted within " +
	"about a minute, users and projects at once."
