package main

import (
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/pulls"
	"portside/shared/tokens"
	"portside/shared/web"
)

// handlers are the handlers of the routes.
type handlers struct {
	tokens   *tokens.Service
	requests *credentialrequests.Service
	pulls    *pulls.Service

	directory directory
	baseURL   string // of links in mails; empty: the host of the request
	now       func() time.Time
}

// routes returns the API of this function.
func routes(h *handlers, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	create := web.Needs(principal.TokensWrite).OrToken().RecentSignIn().ForCustomers()
	approve := web.Needs(principal.CredentialsApprove).RecentSignIn()
	signedIn := web.SignedIn().ForCustomers()
	orToken := signedIn.OrToken()
	web.Handle(api, create, web.At("POST /api/v1/tokens", createToken), h.create)
	web.Handle(api, orToken, web.At("GET /api/v1/tokens", listTokens), h.list)
	web.Handle(api, orToken, web.At("GET /api/v1/tokens/{tokenId}", getToken), h.get)
	web.Handle(api, orToken, web.At("DELETE /api/v1/tokens/{tokenId}", revokeToken), h.revoke)
	web.Handle(api, signedIn, web.At("POST /api/v1/credential-requests", createCredentialRequest), h.createRequest)
	web.Handle(api, signedIn, web.At("GET /api/v1/credential-requests", listCredentialRequests), h.listRequests)
	web.Handle(api, signedIn, web.At("GET /api/v1/credential-requests/{requestId}", getCredentialRequest), h.getRequest)
	web.Handle(api, approve, web.At("POST /api/v1/credential-requests/{requestId}/approve", approveCredentialRequest), h.approveRequest)
	web.Handle(api, approve, web.At("POST /api/v1/credential-requests/{requestId}/deny", denyCredentialRequest), h.denyRequest)
	web.Handle(api, web.WithLink(), web.At("POST /api/v1/credential-requests/collect", collectCredential), h.collect)
	web.Handle(api, signedIn, web.At("GET /api/v1/pulls", listPulls), h.listPulls)
	return api
}

// fourEyes is the rule that a decision needs a person who had no hand in the request.
const fourEyes = ", and no user may have a hand in both the request and the decision: by owning the credential that was used, or by " +
	"having created it or one with which it was created. Otherwise the response is a 403. Compare `makers` and `deciders`."
