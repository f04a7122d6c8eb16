package main

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/principal"
	"portside/shared/tokens"
	"portside/shared/web"
)

// routes is the whole API of this function.
func routes(service *tokens.Service, auth web.Authenticator, now func() time.Time) *web.API {
	h := &handlers{tokens: service, now: now}
	api := web.NewAPI(auth)
	web.Handle(api, web.Needs(principal.TokensWrite).OrToken(), createToken, h.create)
	web.Handle(api, web.SignedIn().OrToken(), listTokens, h.list)
	web.Handle(api, web.SignedIn().OrToken(), getToken, h.get)
	web.Handle(api, web.SignedIn().OrToken(), revokeToken, h.revoke)
	web.Handle(api, web.Anyone(), revokeLeakedToken, h.revokeLeaked)
	return api
}

var (
	createToken = huma.Operation{
		OperationID: "createToken", Method: http.MethodPost, Path: "/api/v1/tokens", Tags: []string{"Tokens"},
		Summary: "Create an access token", DefaultStatus: http.StatusCreated,
		Description: "Makes a token for the chart repository and the container registry. The answer shows it this once.\n\n" +
			"A pipeline renews its token by sending the current one as Bearer: the new scopes must lie within the current ones, " +
			"and the current token stays valid until it expires.",
		Errors: append([]int{http.StatusConflict}, badBody...),
	}
	listTokens = huma.Operation{
		OperationID: "listTokens", Method: http.MethodGet, Path: "/api/v1/tokens", Tags: []string{"Tokens"},
		Summary: "List tokens and passwords",
		Description: "Newest first, never their secrets. Revoked and expired ones stay for 90 days. One's own need no permission; " +
			"other people's need `tokens:read`.",
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
		Description: "It works nowhere from the next request on. One's own need no permission; other people's need `tokens:write`.",
		Errors:      []int{http.StatusNotFound},
	}
	revokeLeakedToken = huma.Operation{
		OperationID: "revokeLeakedToken", Method: http.MethodPost, Path: "/api/v1/tokens/revoke", Tags: []string{"Tokens"},
		Summary: "Revoke a leaked token", DefaultStatus: http.StatusNoContent,
		Description: "Whoever holds a token or password may end it, without any other credential. The answer is the same whether there " +
			"is such a token or not.",
		Errors: badBody,
	}
)

// badBody is what an operation with a body may answer besides.
var badBody = []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}
