package main

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/analytics"
	"portside/shared/core/principal"
	"portside/shared/web"
)

// handlers answer the operations.
type handlers struct{ analytics *analytics.Service }

// routes is the whole API of this function.
func routes(h *handlers, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Needs(principal.AnalyticsRead), getDashboard, h.dashboard)
	web.Handle(api, web.Needs(principal.AnalyticsRead), getTimeseries, h.timeseries)
	return api
}

var tags = []string{"Analytics"}

var (
	getDashboard = huma.Operation{
		OperationID: "getDashboard", Method: http.MethodGet, Path: "/v1/analytics/dashboard", Tags: tags,
		Summary: "Get the dashboard",
		Description: "The numbers of a period of days: how many users and projects there were at its end, and what was used and how " +
			"the service performed within it. `compare=previous` adds the same numbers of the equally long period before." + days,
	}
	getTimeseries = huma.Operation{
		OperationID: "getTimeseries", Method: http.MethodGet, Path: "/v1/analytics/timeseries", Tags: tags,
		Summary: "Get a number over time",
		Description: "One of the dashboard's numbers for each day of a period: what the dashboard says of that day alone, or null where " +
			"nothing is known of it." + days,
	}
)

const days = "\n\nAll days are UTC, weeks begin on Monday, quarters in January, April, July and October. Requests are counted within a " +
	"minute or so, users and projects at once."
