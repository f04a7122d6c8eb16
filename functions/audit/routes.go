package main

import (
	"time"

	"portside/shared/audit"
	"portside/shared/core/principal"
	"portside/shared/web"
)

// handlers are the handlers of the routes.
type handlers struct {
	log *audit.Service
	now func() time.Time
}

// routes returns the API of this function.
func routes(h *handlers, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Needs(principal.AuditRead).ForCustomers(), web.At("GET /v1/audit", listEvents), h.list)
	return api
}
