package main

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/sessions"
	"portside/shared/web"
)

// handlers are the handlers of the routes.
type handlers struct {
	sessions *sessions.Service
	baseURL  string // of links in mails; empty: the host of the request
}

// routes returns the API of this function.
func routes(h *handlers, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Anyone(), listSignInMethods, h.methods)
	web.Handle(api, web.Anyone().SameOrigin(), createSignInLink, h.ask)
	web.Handle(api, web.Anyone().SameOrigin(), createSession, h.signIn)
	web.Handle(api, web.SignedIn(), listSessions, h.list)
	web.Handle(api, web.SignedIn(), deleteSessions, h.endAll)
	web.Handle(api, web.InSession(), getCurrentSession, h.current)
	web.Handle(api, web.InSession(), deleteCurrentSession, h.signOut)
	web.Handle(api, web.SignedIn(), deleteSession, h.end)
	return api
}

var (
	listSignInMethods = huma.Operation{
		OperationID: "listSignInMethods", Method: http.MethodGet, Path: "/v1/sign-in/methods", Tags: []string{"Sessions"},
		Summary:     "List the ways to sign in",
		Description: "Returns which ways to sign in this installation offers.",
	}
	createSignInLink = huma.Operation{
		OperationID: "createSignInLink", Method: http.MethodPost, Path: "/v1/sign-in/links", Tags: []string{"Sessions"},
		Summary: "Ask for a sign-in mail", DefaultStatus: http.StatusAccepted,
		Description: "Mails a link and a code to the address, if it belongs to an active user. The response is the same for every " +
			"address. Both work once, within 15 minutes, in the browser that has the cookie of this response. An address gets at most " +
			"5 mails per hour.",
		Errors: web.BodyErrors(http.StatusTooManyRequests),
	}
	createSession = huma.Operation{
		OperationID: "createSession", Method: http.MethodPost, Path: "/v1/sessions", Tags: []string{"Sessions"},
		Summary: "Sign in", DefaultStatus: http.StatusCreated,
		Description: "Begins a session and sets its cookie. Send exactly one proof: the `token` of a link, or `email` and `code`. " +
			"Five wrong codes end the link. A session ends when it is not used for 12 hours, and after 30 days at the latest. A user " +
			"has at most 10 sessions; another sign-in ends the oldest. The session that the request carries ends, too.",
		Errors: web.BodyErrors(http.StatusUnauthorized, http.StatusTooManyRequests),
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
		OperationID: "deleteCurrentSession", Method: http.MethodDelete, Path: "/v1/sessions/current", Tags: []string{"Sessions"},
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
