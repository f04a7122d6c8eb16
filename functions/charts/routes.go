package main

import (
	"time"

	"portside/shared/charts"
	"portside/shared/web"
)

// handlers are the handlers of the routes.
type handlers struct {
	library *charts.Library
	now     func() time.Time
}

// routes returns the API of this function. Each route supports GET and HEAD and requires the scope read:helm-charts.
func routes(h *handlers, auth web.ToolAuthenticator) *web.API {
	api := web.NewAPI(nil)
	api.Download("GET /charts/index.yaml", auth, h.index)
	api.Download("GET /charts/{file}", auth, h.file)
	return api
}
