package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/lambda/start"
	"portside/shared/sessions"
	"portside/shared/sessions/openid"
	"portside/shared/sessions/openid/openidclient"
	"portside/shared/sessions/openid/openiddynamo"
	"portside/shared/web"
	"portside/shared/web/server"
)

// callbackPath is where the provider sends browsers back to. It must be registered at the provider.
const callbackPath = "/v1/sign-in/openid/callback"

// openIDCookie holds the secret of a browser that signs in at the provider.
const openIDCookie = "__Host-portside-openid"

// errNoOpenID is about an installation without an identity provider.
var errNoOpenID = fault.New(fault.NotFound, "No identity provider is connected. Sign in by mail.")

// openIDProvider is the identity provider of the installation.
type openIDProvider struct {
	name    string // which the sign-in page shows
	service *openid.Service
}

// newOpenID returns the identity provider in the settings, or nil if the settings have none.
func newOpenID(
	settings *start.Settings, secret openidclient.SecretSource, store *openiddynamo.Store, people openid.People,
) *openIDProvider {
	client := openidclient.Settings{
		Issuer: settings.Optional("OPENID_ISSUER"), ClientID: settings.Optional("OPENID_CLIENT_ID"),
		ClientSecret: secret,
	}
	if client.Issuer == "" {
		return nil
	}
	name := settings.Optional("OPENID_NAME")
	if issuer, err := url.Parse(client.Issuer); err == nil && name == "" {
		name = issuer.Hostname()
	}
	return &openIDProvider{name: name, service: openid.NewService(openid.Dependencies{
		Provider: openidclient.New(client, time.Now), States: store, People: people, Now: time.Now,
	})}
}

type startOpenIDInput struct {
	RequestSource
	Return string `query:"return" minLength:"1" default:"/portal/" doc:"Page of the portal to open afterwards." example:"/portal/access"`
}

type redirectOutput struct {
	Status    int
	Location  string   `header:"Location" doc:"The provider's page, or the sign-in page of the portal with a problem."`
	SetCookie []string `header:"Set-Cookie" doc:"The cookie that lets this browser finish the sign-in."`
}

func (h *handlers) startOpenID(ctx context.Context, in *startOpenIDInput) (*redirectOutput, error) {
	if h.openID == nil {
		return nil, errNoOpenID
	}
	if in.site != "" && in.site != "same-origin" && in.site != "none" {
		// Another site must not use up the limit of its visitors' network. A person who follows a link sees the sign-in
		// page.
		return &redirectOutput{Status: http.StatusSeeOther, Location: signInPage(url.Values{}, in.Return)}, nil
	}
	started, err := h.begin(ctx, in)
	if errors.Is(err, openid.ErrUnavailable) || errors.Is(err, sessions.ErrTooManyRequests) {
		return &redirectOutput{Status: http.StatusSeeOther, Location: problemPage(err, in.Return)}, nil
	}
	if err != nil {
		return nil, err
	}
	return &redirectOutput{
		Status: http.StatusSeeOther, Location: started.Location,
		SetCookie: []string{openIDCookieOf(started.Cookie, openid.Lifetime)},
	}, nil
}

func (h *handlers) begin(ctx context.Context, in *startOpenIDInput) (openid.Started, error) {
	if err := h.sessions.StartOpenID(ctx, in.network, web.Cookie(in.cookies, knownCookie)); err != nil {
		return openid.Started{}, err
	}
	return h.openID.service.Begin(ctx, h.callbackURL(in.host), in.Return)
}

func (h *handlers) callbackURL(host string) string {
	return web.PageURL(h.baseURL, host) + callbackPath
}

// finishOpenID begins the session of the person that the provider sends back. It is a page, not an operation of the
// API, because providers add query parameters, and because a person must see a page instead of problem details.
func (h *handlers) finishOpenID(w http.ResponseWriter, r *http.Request) {
	if h.openID == nil {
		server.NotFound(w, r)
		return
	}
	w.Header().Add("Set-Cookie", openIDCookieOf("", -time.Second))
	signedIn, page, err := h.finish(r)
	if err != nil {
		server.RecordFrom(r.Context()).Err = err
		http.Redirect(w, r, problemPage(err, page), http.StatusSeeOther)
		return
	}
	for _, cookie := range sessionCookies(signedIn) {
		w.Header().Add("Set-Cookie", cookie)
	}
	http.Redirect(w, r, page, http.StatusSeeOther) //nolint:gosec // a page of the portal
}

// finish returns the page to open also if it fails, unless the request does not name one. It needs no limit: it reads
// nothing unless the state fits the cookie, and only a stored state, whose start has counted, leads to the provider.
func (h *handlers) finish(r *http.Request) (signedIn sessions.SignedIn, page string, err error) {
	ctx, query, cookies := r.Context(), r.URL.Query(), r.Header.Get("Cookie")
	finished, err := h.openID.service.Finish(ctx, openid.Callback{
		Cookie: web.Cookie(cookies, openIDCookie), State: query.Get("state"), Code: query.Get("code"),
		Error: query.Get("error"), Issuer: query.Get("iss"), RedirectURL: h.callbackURL(r.Host),
	})
	if err != nil {
		return sessions.SignedIn{}, finished.Page, err
	}
	signedIn, err = h.sessions.SignIn(ctx, sessions.SignIn{
		UserID: finished.Person.ID, Device: sessions.DeviceOf(r.UserAgent()), Session: web.Cookie(cookies, web.SessionCookie),
		Known: web.Cookie(cookies, knownCookie), AuthenticatedAt: &finished.AuthenticatedAt,
	})
	if errors.Is(err, sessions.ErrSignIn) {
		err = openid.ErrUnknownUser // the user was suspended a moment ago
	}
	return signedIn, finished.Page, err
}

// openIDCookieOf returns the Set-Cookie header of a flow. The cookie is SameSite=Lax, because the request that needs it
// comes from a page of the provider.
func openIDCookieOf(value string, lifetime time.Duration) string {
	return newSiteCookie(openIDCookie, value, lifetime, http.SameSiteLaxMode)
}

// openIDProblems are the codes for which the portal's sign-in page has texts.
var openIDProblems = []struct {
	err  error
	code string
}{
	{openid.ErrExpired, "openid-expired"},
	{openid.ErrCanceled, "openid-canceled"},
	{openid.ErrFailed, "openid-failed"},
	{openid.ErrTooOld, "openid-too-old"},
	{openid.ErrUnverified, "openid-unverified"},
	{openid.ErrUnknownUser, "openid-unknown-user"},
	{openid.ErrUnavailable, "openid-unavailable"},
	{sessions.ErrTooManyRequests, "too-many-requests"},
	{sessions.ErrTooManySignIns, "too-many-requests"},
}

// problemPage returns the sign-in page with the code of an error, and with the page to open after another attempt.
func problemPage(err error, page string) string {
	code := "unknown"
	for _, p := range openIDProblems {
		if errors.Is(err, p.err) {
			code = p.code
		}
	}
	return signInPage(url.Values{"problem": {code}}, page)
}

// signInPage returns the sign-in page with a query, and with the page to open after the sign-in.
func signInPage(query url.Values, page string) string {
	if page != openid.Home && len(openid.CheckReturn(page)) == 0 {
		query.Set("return", page)
	}
	if len(query) == 0 {
		return "/portal/sign-in"
	}
	return "/portal/sign-in?" + query.Encode()
}

var startOpenIDSignIn = huma.Operation{
	OperationID: "startOpenIdSignIn", Tags: []string{"Sessions"},
	Summary: "Sign in with the identity provider", DefaultStatus: http.StatusSeeOther,
	Description: "For browsers: redirects to the identity provider of this installation. The provider sends the browser back to `" +
		callbackPath + "`, which begins a session and opens the page `return`. The person must be an active user whose email " +
		"address the provider has verified. Otherwise, `/portal/sign-in?problem=…` opens.",
	Errors: []int{http.StatusNotFound},
}
