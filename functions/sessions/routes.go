package main

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/sessions"
	"portside/shared/sessions/passkeys"
	"portside/shared/web"
)

// handlers are the handlers of the routes.
type handlers struct {
	sessions *sessions.Service
	passkeys *passkeys.Service
	openID   *openIDProvider // nil without an identity provider
	baseURL  string          // of links in mails; empty: the host of the request
}

// routes returns the API of this function.
func routes(h *handlers, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Anyone(), listSignInMethods, h.methods)
	web.Handle(api, web.InSession().ForCustomers().OrAnonymous(), findSession, h.find)
	web.Handle(api, web.Anyone().SameOrigin(), createSignInLink, h.ask)
	web.Handle(api, web.Anyone().SameOrigin(), createSession, h.signIn)
	web.Handle(api, web.Anyone().SameOrigin(), createPasskeySignInOptions, h.passkeySignInOptions)
	web.Handle(api, web.Anyone(), startOpenIDSignIn, h.startOpenID)
	api.Page("GET "+callbackPath, h.finishOpenID)
	web.Handle(api, web.SignedIn().ForCustomers(), listSessions, h.list)
	web.Handle(api, web.SignedIn().RecentSignIn().ForCustomers(), deleteSessions, h.endAll)
	web.Handle(api, web.InSession().ForCustomers(), getCurrentSession, h.current)
	web.Handle(api, web.InSession().ForCustomers(), deleteCurrentSession, h.signOut)
	web.Handle(api, web.SignedIn().RecentSignIn().ForCustomers(), deleteSession, h.end)
	web.Handle(api, web.InSession().RecentSignIn().ForCustomers(), createPasskeyOptions, h.passkeyOptions)
	web.Handle(api, web.InSession().RecentSignIn().ForCustomers(), createPasskey, h.registerPasskey)
	web.Handle(api, web.SignedIn().ForCustomers(), listPasskeys, h.listPasskeys)
	web.Handle(api, web.InSession().RecentSignIn().ForCustomers(), deletePasskey, h.deletePasskey)
	return api
}

var (
	listSignInMethods = huma.Operation{
		OperationID: "listSignInMethods", Method: http.MethodGet, Path: "/v1/sign-in/methods", Tags: []string{"Sessions"},
		Summary:     "List the ways to sign in",
		Description: "Returns which ways to sign in this installation offers.",
	}
	findSession = huma.Operation{
		OperationID: "findSession", Method: http.MethodGet, Path: "/v1/sign-in/session", Tags: []string{"Sessions"},
		Summary: "Find out who is signed in",
		Description: "Returns the session of this request, and its user, as `GET /v1/sessions/current` does. Without a session that works, " +
			"there is no `data`. The status is 200 then, too, because browsers show a 401 as an error.",
	}
	createSignInLink = huma.Operation{
		OperationID: "createSignInLink", Method: http.MethodPost, Path: "/v1/sign-in/links", Tags: []string{"Sessions"},
		Summary: "Ask for a sign-in mail", DefaultStatus: http.StatusAccepted,
		Description: "Mails a link and a code to the address, if it belongs to an active user. The response is the same for every " +
			"address. Both work once, within 10 minutes, in the browser that has the cookie of this response. One network (an IPv4 " +
			"address or IPv6 /64) gets at most 5 mails per hour for one address. A browser in which the user has signed in has its own 5.",
		Errors: web.BodyErrors(http.StatusTooManyRequests), Extensions: map[string]any{web.OwnLimit: true},
	}
	createSession = huma.Operation{
		OperationID: "createSession", Method: http.MethodPost, Path: "/v1/sessions", Tags: []string{"Sessions"},
		Summary: "Sign in", DefaultStatus: http.StatusCreated,
		Description: "Begins a session and sets its cookie. Send exactly one proof: the `token` of a link, `email` and " +
			"`code`, or the response of a `passkey`. " +
			"Five wrong codes end the link. A session ends when it is not used for 12 hours, and after 30 days at the latest. A user " +
			"has at most 10 sessions; another sign-in ends the oldest. The session that the request carries ends, too. " +
			"A user can sign in 20 times in 10 minutes, and 50 codes a day can be tried for one address.",
		Errors:     web.BodyErrors(http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusConflict),
		Extensions: map[string]any{web.OwnLimit: true},
	}
	listSessions = huma.Operation{
		OperationID: "listSessions", Method: http.MethodGet, Path: "/v1/sessions", Tags: []string{"Sessions"},
		Summary:     "List your sessions",
		Description: "Returns your sessions that have not ended, newest first.",
	}
	deleteSessions = huma.Operation{
		OperationID: "deleteSessions", Method: http.MethodDelete, Path: "/v1/sessions", Tags: []string{"Sessions"},
		Summary: "Sign out everywhere", DefaultStatus: http.StatusNoContent,
		Description: "Ends all your sessions, also the one of this request.",
	}
	getCurrentSession = huma.Operation{
		OperationID: "getCurrentSession", Method: http.MethodGet, Path: "/v1/sessions/current", Tags: []string{"Sessions"},
		Summary:     "Get the current session",
		Description: "Returns the session of this request, and its user.",
	}
	deleteCurrentSession = huma.Operation{
		OperationID: "deleteCurrentSession", Method: http.MethodDelete, Path: "/v1/sessions/current",
		Tags:    []string{"Sessions"},
		Summary: "Sign out", DefaultStatus: http.StatusNoContent,
		Description: "Ends the session of this request and removes its cookie.",
	}
	deleteSession = huma.Operation{
		OperationID: "deleteSession", Method: http.MethodDelete, Path: "/v1/sessions/{sessionId}", Tags: []string{"Sessions"},
		Summary: "End a session", DefaultStatus: http.StatusNoContent,
		Description: "Ends one of your sessions. It stops working with the next request.",
		Errors:      []int{http.StatusNotFound},
	}
)

var (
	createPasskeySignInOptions = huma.Operation{
		OperationID: "createPasskeySignInOptions", Method: http.MethodPost, Path: "/v1/sign-in/passkey-options",
		Tags:    []string{"Passkeys"},
		Summary: "Begin a sign-in with a passkey",
		Description: "Returns options for `navigator.credentials.get()`. Send its response to `POST /v1/sessions` within 5 minutes; it " +
			"works once." + needsHostName,
		Errors: []int{http.StatusConflict},
	}
	createPasskeyOptions = huma.Operation{
		OperationID: "createPasskeyOptions", Method: http.MethodPost, Path: "/v1/passkeys/options",
		Tags:    []string{"Passkeys"},
		Summary: "Begin the registration of a passkey",
		Description: "Returns options for `navigator.credentials.create()`. Send its response to `POST /v1/passkeys` within 5 minutes; it " +
			"works once." + needsHostName,
		Errors: []int{http.StatusConflict},
	}
	createPasskey = huma.Operation{
		OperationID: "createPasskey", Method: http.MethodPost, Path: "/v1/passkeys", Tags: []string{"Passkeys"},
		Summary: "Register a passkey", DefaultStatus: http.StatusCreated,
		Description: "Registers a passkey of the caller, with which people sign in without a mail. A user has at most 20. User " +
			"verification (PIN, fingerprint or face) is required.",
		Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity),
	}
	listPasskeys = huma.Operation{
		OperationID: "listPasskeys", Method: http.MethodGet, Path: "/v1/passkeys", Tags: []string{"Passkeys"},
		Summary:     "List your passkeys",
		Description: "Returns your passkeys in the order of their registration.",
	}
	deletePasskey = huma.Operation{
		OperationID: "deletePasskey", Method: http.MethodDelete, Path: "/v1/passkeys/{passkeyId}", Tags: []string{"Passkeys"},
		Summary: "Delete a passkey", DefaultStatus: http.StatusNoContent,
		Description: "Deletes one of your passkeys. Sessions that began with it continue.",
		Errors:      []int{http.StatusNotFound},
	}
)

const needsHostName = " Browsers support passkeys only on sites with a host name, so a site with an IP address gets a 409."
