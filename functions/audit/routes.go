package main

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

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
	web.Handle(api, web.Needs(principal.AuditRead).ForCustomers(), listEvents, h.list)
	return api
}

var listEvents = huma.Operation{
	OperationID: "listAuditEvents", Method: http.MethodGet, Path: "/v1/audit", Tags: []string{"Audit log"},
	Summary: "List changes",
	Description: "Returns who changed what and when, with the values before and after. The log has each change of users, credentials, " +
		"credential requests, projects, customers, entitlements and trust policies, and sign-ins. Events contain no secrets. An event is " +
		"listed within moments after the change and for 400 days. The guide to the audit log describes the actions.\n\n" +
		"A user of a customer sees only events about what belongs to this customer. Of actors who do not belong to it, such a user sees only " +
		"the `kind`.\n\nA page can have fewer items than its limit although there is a next page. As CSV, an event is a record with the " +
		"columns `id`, `time`, `action`, `actorKind`, `actorId`, `actorCustomerId`, `credentialId`, `actorName`, `address`, `targetKind`, " +
		"`targetId`, `targetName`, `customerId`, `requestId`, `before` and `after`; the last two are JSON.",
}
