package main

import (
	"time"

	"portside/shared/charts"
	"portside/shared/web"
)

// handlers are what the routes lead to.
type handlers struct {
	library *charts.Library
	now     func() time.Time
}

// routes is the whole API of this function. Each takes GET and HEAD, and needs the scope read:helm-charts.
func routes(h *handlers, auth web.ToolAuthenticator) *web.API {
	api := web.NewAPI(nil)
	api.Download("GET /charts/index.yaml", auth, h.index)
	api.Download("GET /charts/{file}", auth, h.file)
	return api
}
