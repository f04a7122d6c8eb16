package main

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

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
	web.Handle(api, web.SignedIn().ForCustomers(), listCharts, h.listCharts)
	web.Handle(api, web.SignedIn().ForCustomers(), listChartVersions, h.listVersions)
	web.Handle(api, web.SignedIn().ForCustomers(), getChartVersion, h.getVersion)
	return api
}

// seen is a part of the descriptions of all operations for people.
const seen = "You see the charts that your own working tokens and passwords may download, or all charts if you have `tokens:read`."

var (
	listCharts = huma.Operation{
		OperationID: "listCharts", Method: http.MethodGet, Path: "/v1/charts", Tags: []string{"Charts"},
		Summary:     "List charts",
		Description: "Returns the charts of the repository, sorted by name, each with the version that Helm installs by default. " + seen,
	}
	listChartVersions = huma.Operation{
		OperationID: "listChartVersions", Method: http.MethodGet, Path: "/v1/charts/{name}", Tags: []string{"Charts"},
		Summary:     "List the versions of a chart",
		Description: "Returns the published versions of a chart, newest first. " + seen,
		Errors:      []int{http.StatusNotFound},
	}
	getChartVersion = huma.Operation{
		OperationID: "getChartVersion", Method: http.MethodGet, Path: "/v1/charts/{name}/{version}", Tags: []string{"Charts"},
		Summary: "Get a version of a chart",
		Description: "Returns the metadata of a version, and its README, default values, schema and provenance file, each up to 128 KiB. " +
			"The author of the chart controls these texts, so they are untrusted. " + seen,
		Errors: []int{http.StatusNotFound},
	}
)
