package main

import (
	"time"

	"portside/shared/charts"
	"portside/shared/credentials"
	"portside/shared/web"
)

// handlers are the handlers of the routes.
type handlers struct {
	library    *charts.Library
	visibility *credentials.Visibility
	now        func() time.Time
}

// routes returns the API of this function. The downloads support GET and HEAD and require the scope read:helm-charts.
func routes(h *handlers, auth web.ToolAuthenticator) *web.API {
	api := web.NewAPI(auth)
	api.Download("GET /charts/index.yaml", auth, h.index)
	api.Download("GET /charts/{file}", auth, h.file)
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("GET /v1/charts", listCharts), h.listCharts)
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("GET /v1/charts/{name}", listChartVersions), h.listVersions)
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("GET /v1/charts/{name}/{version}", getChartVersion), h.getVersion)
	return api
}

// seen is a part of the descriptions of all operations for people.
const seen = "You see the charts that your own working tokens and passwords may download, or all charts if you have `tokens:read`."
