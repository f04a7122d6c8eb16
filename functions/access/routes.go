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
	web.Handle(api, web.Needs(principal.TokensWrite).OrToken().RecentSignIn().ForCustomers(), createToken, h.create)
	web.Handle(api, web.SignedIn().OrToken().ForCustomers(), listTokens, h.list)
	web.Handle(api, web.SignedIn().OrToken().ForCustomers(), getToken, h.get)
	web.Handle(api, web.SignedIn().OrToken().ForCustomers(), revokeToken, h.revoke)
	web.Handle(api, web.SignedIn().ForCustomers(), createCredentialRequest, h.createRequest)
	web.Handle(api, web.SignedIn().ForCustomers(), listCredentialRequests, h.listRequests)
	web.Handle(api, web.SignedIn().ForCustomers(), getCredentialRequest, h.getRequest)
	web.Handle(api, web.Needs(principal.CredentialsApprove).RecentSignIn(), approveCredentialRequest, h.approveRequest)
	web.Handle(api, web.Needs(principal.CredentialsApprove).RecentSignIn(), denyCredentialRequest, h.denyRequest)
	web.Handle(api, web.WithLink(), collectCredential, h.collect)
	web.Handle(api, web.SignedIn().ForCustomers(), listPulls, h.listPulls)
	return api
}

// fourEyes is the rule that a decision needs a person who had no hand in the request.
const fourEyes = ", and no user may have a hand in both the request and the decision: by owning the credential that was used, or by " +
	"having created it or one with which it was created. Otherwise the response is a 403. Compare `makers` and `deciders`."

var (
	createToken = huma.Operation{
		OperationID: "createToken", Method: http.MethodPost, Path: "/api/v1/tokens", Tags: []string{"Tokens"},
		Summary: "Create an access token", DefaultStatus: http.StatusCreated,
		Description: "Creates a token for the chart repository and the container registry. Only this response contains it.\n\n" +
			"A pipeline can renew its token by sending the current one as Bearer. The current scopes must cover the new ones, " +
			"and the current token stays valid until it expires. A token that was not created by a token begins a line of renewals, whose " +
			"end is fixed: `line.expiresAt`. A renewal is valid for at most as long as the token that asked for it, and not after the line ends; " +
			"a token that lasts until then gets a 409. Up to 5 tokens of a line can work at the same time, and a line can be renewed 10 times " +
			"a day.\n\n" +
			"100 tokens can be created for a user on one day (UTC), and 100 renewals; then, and above the quota of a line, the response is " +
			"a 429 with the code `QUOTA_EXCEEDED`.\n\nWith an " +
			"`Idempotency-Key`, a random UUID, you can safely repeat the request for 24 hours: the same body gets the first response again, " +
			"with the same secret and `Idempotency-Replayed: true`, and a different body gets a 422. Until then, the service stores the " +
			"secret encrypted with your key, of which it stores only a hash. If the token was revoked since, the response is a 409.",
		Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity), Extensions: map[string]any{web.OwnLimit: true},
	}
	listTokens = huma.Operation{
		OperationID: "listTokens", Method: http.MethodGet, Path: "/api/v1/tokens", Tags: []string{"Tokens"},
		Summary: "List tokens and passwords",
		Description: "Returns the newest 500 tokens and passwords, newest first, without their secrets. Revoked and expired ones are " +
			"listed for 90 days. Your own need no permission; those of other users need `tokens:read`.\n\nWith `customerId`, returns those of all " +
			"users of a customer, in the order in which the users were created, with a cursor. A page can have fewer tokens than `limit`, or " +
			"none, although `pagination.hasMore` is true. Users of a customer get only the tokens of that customer. Without it, `limit` has no effect.",
		Errors: []int{http.StatusForbidden},
	}
	getToken = huma.Operation{
		OperationID: "getToken", Method: http.MethodGet, Path: "/api/v1/tokens/{tokenId}", Tags: []string{"Tokens"},
		Summary: "Get a token or password",
		Description: "Returns what it may download, when it expires, and when it was last used. The `ETag` changes with any of them. Your own " +
			"need no permission; those of other users need `tokens:read`.",
		Errors: []int{http.StatusNotFound},
	}
	revokeToken = huma.Operation{
		OperationID: "revokeToken", Method: http.MethodDelete, Path: "/api/v1/tokens/{tokenId}", Tags: []string{"Tokens"},
		Summary: "Revoke a token or password", DefaultStatus: http.StatusNoContent,
		Description: "It stops working with the next request. A token that is revoked already gets the same response, with any " +
			"`If-Match`. " +
			"With `line=true`, the whole line of renewals stops working: the tokens it was " +
			"renewed from, and all that were renewed from any of them. Do that if the token has leaked, because the person who has it may have " +
			"renewed it.\n\n" +
			"Your own need no permission; those of other users need `tokens:write`. A token can revoke only itself, the tokens it was renewed " +
			"from, and the tokens renewed from it; with `line=true`, its own line.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound, http.StatusPreconditionFailed,
			http.StatusServiceUnavailable},
	}
	createCredentialRequest = huma.Operation{
		OperationID: "createCredentialRequest", Method: http.MethodPost, Path: "/api/v1/credential-requests",
		Tags: []string{"Credential requests"}, Summary: "Request a password", DefaultStatus: http.StatusCreated,
		Description: "Requests a user name and password for charts, images or both. All users with `credentials:approve` get a mail, " +
			"and one of them, but not the requester, decides. Within an hour after such a mail, further requests of the customer's users are " +
			"collected, and one mail announces all of them. A user can have at most 5 pending requests. All users of a customer together can " +
			"make 100 requests on one day (UTC), and the vendor's staff 1,000; then the response is a 429 with the code `QUOTA_EXCEEDED`.\n\n" +
			"With an `Idempotency-Key` you can safely repeat the request for 24 hours: the same body gets the first response again with `Idempotency-Replayed: true`, and a different body gets a 422.",
		Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity), Extensions: map[string]any{web.OwnLimit: true},
	}
	listCredentialRequests = huma.Operation{
		OperationID: "listCredentialRequests", Method: http.MethodGet, Path: "/api/v1/credential-requests",
		Tags: []string{"Credential requests"}, Summary: "List credential requests",
		Description: "Returns your own requests, newest first, or those of all users if you have `credentials:approve`.",
		Errors:      []int{http.StatusForbidden},
	}
	getCredentialRequest = huma.Operation{
		OperationID: "getCredentialRequest", Method: http.MethodGet, Path: "/api/v1/credential-requests/{requestId}",
		Tags: []string{"Credential requests"}, Summary: "Get a credential request",
		Description: "Returns the request with its history. Your own need no permission; those of other users need `credentials:approve`.",
		Errors:      []int{http.StatusNotFound},
	}
	approveCredentialRequest = huma.Operation{
		OperationID: "approveCredentialRequest", Method: http.MethodPost,
		Path: "/api/v1/credential-requests/{requestId}/approve",
		Tags: []string{"Credential requests"}, Summary: "Approve a credential request",
		Description: "Sends the requester a mail with a link to collect the password. The link works once, within 7 days. A request " +
			"older than 60 days can only be denied. You cannot decide on your own request" + fourEyes,
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict),
	}
	denyCredentialRequest = huma.Operation{
		OperationID: "denyCredentialRequest", Method: http.MethodPost, Path: "/api/v1/credential-requests/{requestId}/deny",
		Tags: []string{"Credential requests"}, Summary: "Deny a credential request",
		Description: "Sends the requester a mail with the reason. You cannot decide on your own request" + fourEyes,
		Errors:      web.BodyErrors(http.StatusNotFound, http.StatusConflict),
	}
	collectCredential = huma.Operation{
		OperationID: "collectCredential", Method: http.MethodPost, Path: "/api/v1/credential-requests/collect",
		Tags: []string{"Credential requests"}, Summary: "Collect a password",
		Description: "Creates the password and returns it with its user name. The token of the link works once, and only this response " +
			"contains the password. It is valid for 365 days for the chart repository and the container registry. Needs no credential but the " +
			"token.",
		Errors: web.BodyErrors(),
	}
	listPulls = huma.Operation{
		OperationID: "listPulls", Method: http.MethodGet, Path: "/api/v1/pulls", Tags: []string{"Tokens"},
		Summary: "List pulls",
		Description: "Returns the downloads of charts and images, newest first, each with its user, token, time and network address. " +
			"A pull is listed within a few minutes and for 400 days. Repeated requests for the same tag within a minute count as one pull. " +
			"Requests for manifests that belong to a pulled tag are usually part of its pull. Signatures, SBOMs and other attachments are not " +
			"listed.\n\n`type=check` lists update checks instead: a client asked with HEAD which manifest a tag leads to, and did not fetch it. " +
			"All checks of a tag with a token in an hour are one entry.\n\n" +
			"Your own pulls need no permission; those of other users need `tokens:read`. Without it, other users and their tokens have no " +
			"pulls. A user of a customer sees only pulls of this customer. A pull belongs to the customer that its user had at that time. A page can have fewer items than its limit although there is a next page.",
	}
)
