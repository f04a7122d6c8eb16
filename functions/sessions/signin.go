package main

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/sessions"
	"portside/shared/web"
)

// signInMethods are the ways to sign in.
type signInMethods struct {
	Link    bool          `json:"link" doc:"Whether people can sign in with a mailed link or code."`
	Passkey bool          `json:"passkey" doc:"Whether people can sign in with a passkey."`
	OpenID  *openIDMethod `json:"openId" doc:"The OpenID provider; null if the operator has not configured one."`
}

// openIDMethod is how the sign-in page shows the OpenID provider.
type openIDMethod struct {
	_ struct{} `nullable:"true"`

	Name string `json:"name" doc:"Name of the provider." example:"Example Inc."`
}

type methodsOutput struct {
	Body struct {
		Data signInMethods `json:"data"`
	}
}

var listSignInMethods = huma.Operation{
	OperationID: "listSignInMethods", Tags: []string{"Sessions"},
	Summary:     "List the ways to sign in",
	Description: "Returns which ways to sign in this installation offers.",
}

func (h *handlers) methods(_ context.Context, in *RequestSource) (*methodsOutput, error) {
	out := &methodsOutput{}
	_, err := h.site(in.host)
	out.Body.Data.Link, out.Body.Data.Passkey = true, err == nil
	if h.openID != nil {
		out.Body.Data.OpenID = &openIDMethod{Name: h.openID.name}
	}
	return out, nil
}

type askInput struct {
	RequestSource
	Body struct {
		Email string `json:"email" format:"email" doc:"Your email address." example:"ada@example.com"`
	}
}

type askOutput struct {
	SetCookie string `header:"Set-Cookie" doc:"The cookie that lets this browser use the link and the code."`
	Body      struct {
		Data signInLink `json:"data"`
	}
}

type signInLink struct {
	ExpiresAt time.Time `json:"expiresAt" doc:"UTC; until when the link and the code work." example:"2026-03-02T09:30:30.250Z"`
}

var createSignInLink = huma.Operation{
	OperationID: "createSignInLink", Tags: []string{"Sessions"},
	Summary: "Ask for a sign-in mail", DefaultStatus: http.StatusAccepted,
	Description: "Mails a link and a code to the address, if it belongs to an active user. The response is the same for every " +
		"address. Both work once, within 10 minutes, in the browser that has the cookie of this response. One network (an IPv4 " +
		"address or IPv6 /64) gets at most 5 mails per hour for one address. A browser in which the user has signed in has its own 5.",
	Errors: web.BodyErrors(http.StatusTooManyRequests), Extensions: map[string]any{web.OwnLimit: true},
}

func (h *handlers) ask(ctx context.Context, in *askInput) (*askOutput, error) {
	asked, err := h.sessions.RequestMail(ctx, sessions.MailRequest{
		Email: in.Body.Email, BaseURL: web.BaseURL(h.baseURL, in.host), Network: in.network,
		Known: web.Cookie(in.cookies, knownCookie),
	})
	if err != nil {
		return nil, err
	}
	out := &askOutput{SetCookie: newCookie(browserCookie, asked.Browser.Reveal(), sessions.LinkLifetime)}
	out.Body.Data.ExpiresAt = asked.ExpiresAt
	return out, nil
}

type signInInput struct {
	RequestSource
	Body struct {
		Token string `json:"token,omitempty" doc:"The part after # in the link from the mail." example:"psl_…"`
		Email string `json:"email,omitempty" format:"email" doc:"The address to which the code was mailed; with code." example:"ada@example.com"`
		Code  string `json:"code,omitempty" doc:"The 10 digits from the mail; with email." example:"4071823659"`

		Passkey web.Object `json:"passkey,omitempty" doc:"The PublicKeyCredential that navigator.credentials.get() returned, as its toJSON()."`
	}
	visit sessions.Visit
}

// Resolve implements huma.Resolver. It checks that the body has exactly one proof.
func (in *signInInput) Resolve(ctx huma.Context) []error {
	in.RequestSource, in.visit = sourceOf(ctx), visitOf(ctx)
	byToken, byCode, byPasskey := in.Body.Token != "", in.Body.Code != "" || in.Body.Email != "", len(in.Body.Passkey) > 0
	switch {
	case !exactlyOne(byToken, byCode, byPasskey):
		return web.Failures([]fault.Field{{Pointer: "", Detail: "must have either token, or email and code, or passkey"}})
	case byCode && in.Body.Code == "":
		return web.Failures([]fault.Field{{Pointer: "/code", Detail: "is required together with email"}})
	case byCode && in.Body.Email == "":
		return web.Failures([]fault.Field{{Pointer: "/email", Detail: "is required together with code"}})
	}
	return nil
}

func exactlyOne(choices ...bool) bool {
	chosen := 0
	for _, c := range choices {
		if c {
			chosen++
		}
	}
	return chosen == 1
}

type signInOutput struct {
	SetCookie []string `header:"Set-Cookie" doc:"The cookie of the session and, at the first sign-in in a browser, one by which the service knows the browser."`
	Body      struct {
		Data Session `json:"data"`
	}
}

var createSession = huma.Operation{
	OperationID: "createSession", Tags: []string{"Sessions"},
	Summary: "Sign in", DefaultStatus: http.StatusCreated,
	Description: "Begins a session and sets its cookie. Send exactly one proof: the `token` of a link, `email` and " +
		"`code`, or the response of a `passkey`. " +
		"Five wrong codes end the link. A session ends when it is not used for 12 hours, and after 30 days at the latest. A user " +
		"has at most 10 sessions; another sign-in ends the oldest. The session that the request carries ends, too. " +
		"A user can sign in 20 times in 10 minutes, and 50 codes a day can be tried for one address.",
	Errors:     web.BodyErrors(http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusConflict),
	Extensions: map[string]any{web.OwnLimit: true},
}

func (h *handlers) signIn(ctx context.Context, in *signInInput) (*signInOutput, error) {
	signedIn, err := h.prove(ctx, in)
	if fault.KindOf(err) == fault.Unauthorized {
		return nil, cmp.Or(h.sessions.Failed(ctx, in.network), err)
	}
	if err != nil {
		return nil, err
	}
	return newSignInOutput(signedIn), nil
}

// prove begins a session with the proof in the body.
func (h *handlers) prove(ctx context.Context, in *signInInput) (sessions.SignedIn, error) {
	switch {
	case len(in.Body.Passkey) > 0:
		return h.signInByPasskey(ctx, in)
	case in.Body.Token != "":
		return h.sessions.SignInByLink(ctx, in.Body.Token, in.visit)
	default:
		return h.sessions.SignInByCode(ctx, in.Body.Email, in.Body.Code, in.visit)
	}
}

// newSignInOutput returns the response of every way to sign in.
func newSignInOutput(signedIn sessions.SignedIn) *signInOutput {
	out := &signInOutput{SetCookie: sessionCookies(signedIn)}
	out.Body.Data = encodeSession(signedIn.Session, signedIn.Person)
	return out
}

// visitOf describes the browser that sends a request.
func visitOf(ctx huma.Context) sessions.Visit {
	cookies := ctx.Header("Cookie")
	return sessions.Visit{
		Device:  sessions.DeviceOf(ctx.Header("User-Agent")),
		Browser: web.Cookie(cookies, browserCookie), Session: web.Cookie(cookies, web.SessionCookie),
		Known: web.Cookie(cookies, knownCookie),
	}
}
