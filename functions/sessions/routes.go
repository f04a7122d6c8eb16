package main

import (
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
	web.Handle(api, web.Anyone(), web.At("GET /v1/sign-in/methods", listSignInMethods), h.methods)
	web.Handle(api, web.InSession().ForCustomers().OrAnonymous(), web.At("GET /v1/sign-in/session", findSession), h.find)
	web.Handle(api, web.Anyone().SameOrigin(), web.At("POST /v1/sign-in/links", createSignInLink), h.ask)
	web.Handle(api, web.Anyone().SameOrigin(), web.At("POST /v1/sessions", createSession), h.signIn)
	web.Handle(api, web.Anyone().SameOrigin(), web.At("POST /v1/sign-in/passkey-options", createPasskeySignInOptions), h.passkeySignInOptions)
	web.Handle(api, web.Anyone(), web.At("GET /v1/sign-in/openid", startOpenIDSignIn), h.startOpenID)
	api.Page("GET "+callbackPath, h.finishOpenID)
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("GET /v1/sessions", listSessions), h.list)
	web.Handle(api, web.SignedIn().RecentSignIn().ForCustomers(), web.At("DELETE /v1/sessions", deleteSessions), h.endAll)
	web.Handle(api, web.InSession().ForCustomers(), web.At("GET /v1/sessions/current", getCurrentSession), h.current)
	web.Handle(api, web.InSession().ForCustomers(), web.At("DELETE /v1/sessions/current", deleteCurrentSession), h.signOut)
	web.Handle(api, web.SignedIn().RecentSignIn().ForCustomers(), web.At("DELETE /v1/sessions/{sessionId}", deleteSession), h.end)
	web.Handle(api, web.InSession().RecentSignIn().ForCustomers(), web.At("POST /v1/passkeys/options", createPasskeyOptions), h.passkeyOptions)
	web.Handle(api, web.InSession().RecentSignIn().ForCustomers(), web.At("POST /v1/passkeys", createPasskey), h.registerPasskey)
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("GET /v1/passkeys", listPasskeys), h.listPasskeys)
	web.Handle(api, web.InSession().RecentSignIn().ForCustomers(), web.At("DELETE /v1/passkeys/{passkeyId}", deletePasskey), h.deletePasskey)
	return api
}

const needsHostName = " Browsers support passkeys only on sites with a host name, so a site with an IP address gets a 409."
