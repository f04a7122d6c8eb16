package main

import (
	"context"

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
	web.Handle(api, web.Needs(principal.AnalyticsRead), web.At("GET /v1/analytics/dashboard", getDashboard), h.dashboard)
	web.Handle(api, web.Needs(principal.AnalyticsRead), web.At("GET /v1/analytics/timeseries", getTimeseries), h.timeseries)
	web.Handle(api, web.Needs(principal.AnalyticsRead), web.At("GET /v1/analytics/daily", getDaily), h.daily)
	web.Handle(api, web.Needs(principal.AnalyticsRead), web.At("GET /v1/analytics/pulls", getPulls), h.pulls)
	return api
}

var tags = []string{"Analytics"}

const daysNote = "\n\nAll days are UTC, weeks begin on Monday, quarters in January, April, July and October. Requests are counted within " +
	"about a minute, users and projects at once."
