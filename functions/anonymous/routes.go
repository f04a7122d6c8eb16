package main

import (
	"portside/shared/revocation"
	"portside/shared/trust"
	"portside/shared/web"
)

// handlers are the handlers of the routes.
type handlers struct {
	leaks     *revocation.Service
	exchanger *trust.Exchanger
	baseURL   string // of links in mails; empty: the host of the request
}

// routes returns the API of this function. All routes are open to anyone.
func routes(h *handlers) *web.API {
	api := web.NewAPI(nil)
	web.Handle(api, web.Anyone(), web.At("POST /api/v1/tokens/revoke", revokeLeakedToken), h.revokeLeaked)
	web.Handle(api, web.Anyone(), web.At("POST /api/v1/token-exchange", exchangeToken), h.exchange)
	return api
}
