package main

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/pulls"
	"portside/shared/tokens"
	"portside/shared/web"
)

// handlers are what the routes lead to.
type handlers struct {
	tokens   *tokens.Service
	requests *credentialrequests.Service
	pulls    *pulls.Service
	baseURL  string // of mailed links; empty: the host of the request
	now      func() time.Time
}

// routes is the whole API of this function.
func routes(h *handlers, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Needs(principal.TokensWrite).OrToken(), createToken, h.create)
	web.Handle(api, web.SignedIn().OrToken(), listTokens, h.list)
	web.Handle(api, web.SignedIn().OrToken(), getToken, h.get)
	web.Handle(api, web.SignedIn().OrToken(), revokeToken, h.revoke)
	web.Handle(api, web.Anyone(), revokeLeakedToken, h.revokeLeaked)
	web.Handle(api, web.SignedIn(), createCredentialRequest, h.createRequest)
	web.Handle(api, web.SignedIn(), listCredentialRequests, h.listRequests)
	web.Handle(api, web.SignedIn(), getCredentialRequest, h.getRequest)
	web.Handle(api, web.Needs(principal.CredentialsApprove), approveCredentialRequest, h.approveRequest)
	web.Handle(api, web.Needs(principal.CredentialsApprove), denyCredentialRequest, h.denyRequest)
	web.Handle(api, web.Anyone(), collectCredential, h.collect)
	web.Handle(api, web.SignedIn(), listPulls, h.listPulls)
	return api
}

var (
	createToken = huma.Operation{
		OperationID: "createToken", Method: http.MethodPost, Path: "/api/v1/tokens", Tags: []string{"Tokens"},
		Summary: "Create an access token", DefaultStatus: http.StatusCreated,
		Description: "Makes a token for the chart repository and the container registry. The answer shows it this once.\n\n" +
			"A pipeline renews its token by sending the current one as Bearer: the new scopes must lie within the current ones, " +
			"and the current token stays valid until it expires.",
		Errors: web.BodyErrors(http.StatusConflict),
	}
	listTokens = huma.Operation{
		OperationID: "listTokens", Method: http.MethodGet, Path: "/api/v1/tokens", Tags: []string{"Tokens"},
		Summary: "List tokens and passwords",
		Description: "The newest 500, newest first, never their secrets. Revoked and expired ones stay for 90 days. " +
			"One's own need no permission; other people's need `tokens:read`.",
		Errors: []int{http.StatusForbidden},
	}
	getToken = huma.Operation{
		OperationID: "getToken", Method: http.MethodGet, Path: "/api/v1/tokens/{tokenId}", Tags: []string{"Tokens"},
		Summary:     "Get a token or password",
		Description: "What it may fetch, until when, and when it was last used. One's own need no permission; other people's need `tokens:read`.",
		Errors:      []int{http.StatusNotFound},
	}
	revokeToken = huma.Operation{
		OperationID: "revokeToken", Method: http.MethodDelete, Path: "/api/v1/tokens/{tokenId}", Tags: []string{"Tokens"},
		Summary: "Revoke a token or password", DefaultStatus: http.StatusNoContent,
		Description: "It works nowhere from the next request on. One's own need no permission; other people's need `tokens:write`. A token " +
			"ends only itself, those it was renewed from and those renewed from it.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}
	revokeLeakedToken = huma.Operation{
		OperationID: "revokeLeakedToken", Method: http.MethodPost, Path: "/api/v1/tokens/revoke", Tags: []string{"Tokens"},
		Summary: "Revoke a leaked token", DefaultStatus: http.StatusNoContent,
		Description: "Whoever holds a token, password or API key may end it, without any other credential, and with it every token that was " +
			"renewed from it. The answer is the same whether there is such a one or not.",
		Errors: web.BodyErrors(),
	}
	createCredentialRequest = huma.Operation{
		OperationID: "createCredentialRequest", Method: http.MethodPost, Path: "/api/v1/credential-requests",
		Tags: []string{"Credential requests"}, Summary: "Request a password", DefaultStatus: http.StatusCreated,
		Description: "Asks for a user name and password for charts, images or both. Everybody with `credentials:approve` gets a mail, " +
			"and somebody other than the requester decides. A user has at most 5 pending requests.",
		Errors: web.BodyErrors(http.StatusConflict),
	}
	listCredentialRequests = huma.Operation{
		OperationID: "listCredentialRequests", Method: http.MethodGet, Path: "/api/v1/credential-requests",
		Tags: []string{"Credential requests"}, Summary: "List credential requests",
		Description: "Newest first. One's own; everybody's with `credentials:approve`.",
	}
	getCredentialRequest = huma.Operation{
		OperationID: "getCredentialRequest", Method: http.MethodGet, Path: "/api/v1/credential-requests/{requestId}",
		Tags: []string{"Credential requests"}, Summary: "Get a credential request",
		Description: "With all that happened to it. One's own needs no permission; other people's need `credentials:approve`.",
		Errors:      []int{http.StatusNotFound},
	}
	approveCredentialRequest = huma.Operation{
		OperationID: "approveCredentialRequest", Method: http.MethodPost, Path: "/api/v1/credential-requests/{requestId}/approve",
		Tags: []string{"Credential requests"}, Summary: "Approve a credential request",
		Description: "Mails the requester a link that works once, for 7 days, to collect the password. Nobody decides on their own request.",
		Errors:      web.BodyErrors(http.StatusNotFound, http.StatusConflict),
	}
	denyCredentialRequest = huma.Operation{
		OperationID: "denyCredentialRequest", Method: http.MethodPost, Path: "/api/v1/credential-requests/{requestId}/deny",
		Tags: []string{"Credential requests"}, Summary: "Deny a credential request",
		Description: "Mails the requester the reason. Nobody decides on their own request.",
		Errors:      web.BodyErrors(http.StatusNotFound, http.StatusConflict),
	}
	collectCredential = huma.Operation{
		OperationID: "collectCredential", Method: http.MethodPost, Path: "/api/v1/credential-requests/collect",
		Tags: []string{"Credential requests"}, Summary: "Collect a password",
		Description: "Spends the token of a mailed link, once, and shows the user name and the password that it makes, this once. They work " +
			"for 365 days with the chart repository and the container registry. Needs no credential but the token.",
		Errors: web.BodyErrors(http.StatusUnauthorized, http.StatusServiceUnavailable),
	}
	listPulls = huma.Operation{
		OperationID: "listPulls", Method: http.MethodGet, Path: "/api/v1/pulls", Tags: []string{"Tokens"},
		Summary: "List pulls",
		Description: "Which charts and images were fetched, newest first: with which token, when and from where. A pull appears within a " +
			"few minutes, and stays for 400 days. Asking for the same tag again within a minute is one pull.\n\n" +
			"One's own need no permission; everybody's need `tokens:read`. Without it, other people's tokens look as if nobody had " +
			"used them. A page may have less than its limit and yet a page after it.",
	}
)
