package main

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

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
	web.Handle(api, web.Anyone(), revokeLeakedToken, h.revokeLeaked)
	web.Handle(api, web.Anyone(), exchangeToken, h.exchange)
	return api
}

var (
	revokeLeakedToken = huma.Operation{
		OperationID: "revokeLeakedToken", Method: http.MethodPost, Path: "/api/v1/tokens/revoke", Tags: []string{"Tokens"},
		Summary: "Revoke a leaked token", DefaultStatus: http.StatusNoContent,
		Description: "Revokes a token, password, API key, session or unused link, every token renewed from it, and every key, token and " +
			"password that was created with it, directly or in several steps, also those of other users. It stops working with the next " +
			"request. Credentials that were created with it stop working before the response, or within minutes if there are many. The " +
			"owners get a mail within minutes.\n\n" +
			"Needs no credential but the leaked one. The response does not reveal whether it exists.",
		Errors: web.BodyErrors(),
	}
	exchangeToken = huma.Operation{
		OperationID: "exchangeToken", Method: http.MethodPost, Path: "/api/v1/token-exchange", Tags: []string{"Tokens"},
		Summary: "Exchange a token of a platform",
		Description: "Exchanges a token that GitHub Actions, GitLab, Kubernetes or another issuer has signed for a workload for a " +
			"short-lived access token (RFC 8693), if a trust policy of the customer accepts it. Needs no other credential. The token must be " +
			"signed with an asymmetric algorithm, be valid for at most 24 hours, and have the issuer and audience of the policy. The access " +
			"token works for the chart repository and the container registry. It cannot be renewed and is not listed.\n\n" +
			"Problems also have `error` and `error_description`, as OAuth clients expect. `detail` names the claim that does not meet a " +
			"condition, but no value of the policy.\n\nA trust policy issues at most 300 access tokens on one day (UTC), and at most 20 for the " +
			"same token of the platform; then the response is a 429 with the code `QUOTA_EXCEEDED`, whose `detail` names the limit and its " +
			"end. Of tokens that are refused, one network (an IPv4 address or an IPv6 /64) can send 600 for a policy in 10 minutes; then the " +
			"response is a 429, too.",
		RequestBody: exchangeForm, MaxBodyBytes: maxExchange,
		Errors: web.BodyErrors(http.StatusTooManyRequests, http.StatusServiceUnavailable), Extensions: map[string]any{web.OwnLimit: true},
	}
)
