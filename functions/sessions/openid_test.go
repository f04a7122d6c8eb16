package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/sessions/openid"
	"portside/shared/sessions/openid/openidclient"
	"portside/shared/testkit"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/testclient/openidtest"
)

// connect connects an identity provider.
func (f *fixture) connect() *openidtest.Provider {
	f.tb.Helper()
	provider := openidtest.Start(f.tb, f.clock.Now)
	provider.RedirectURL = f.base + callbackPath
	client := openidclient.New(openidclient.Settings{
		Issuer: provider.Issuer, ClientID: openidtest.ClientID, ClientSecret: testkit.Secret(openidtest.ClientSecret),
	}, f.clock.Now)
	f.openID = &openIDProvider{name: "Example", service: openid.NewService(openid.Dependencies{
		Provider: client, States: f.states, People: f.people.People, Now: f.clock.Now,
	})}
	return provider
}

// startOpenID begins a sign-in and returns the provider's page.
func (b *browser) startOpenID(page string) string {
	b.f.tb.Helper()
	r := b.keep(b.client().Get("/v1/sign-in/openid?return=" + url.QueryEscape(page))).WantStatus(http.StatusSeeOther)
	return r.Header.Get("Location")
}

// comeBack opens the address to which the provider sends a browser. Such a request comes from another site, so it has
// no cookies that are SameSite=Strict.
func (b *browser) comeBack(callback *url.URL) webtest.Response {
	b.f.tb.Helper()
	client := webtest.New(b.f.tb, b.f.handler()).With("User-Agent", firefox).With("Sec-Fetch-Site", "cross-site")
	if cookie := b.cookies[openIDCookie]; cookie != "" {
		client = client.With("Cookie", openIDCookie+"="+cookie)
	}
	return b.keep(client.Get(callback.RequestURI()))
}

func TestOpenIDSignIn(t *testing.T) {
	f := newFixture(t)
	provider := f.connect()
	b := f.browser()
	b.client().Get("/v1/sign-in/methods").WantValue("data.openId.name", "Example")
	callback := provider.SignIn(b.startOpenID("/portal/access?x=1"))
	b.comeBack(callback).WantStatus(http.StatusSeeOther).WantHeader("Location", "/portal/access?x=1")
	if b.cookies[openIDCookie] != "" {
		t.Error("the cookie of the flow is still there")
	}
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK).WantValue("data.user.email", "ada@example.com").
		WantValue("data.device", "Firefox on Windows")
}

func TestOpenIDReturnsToThePortalByDefault(t *testing.T) {
	f := newFixture(t)
	provider := f.connect()
	b := f.browser()
	r := b.keep(b.client().Get("/v1/sign-in/openid")).WantStatus(http.StatusSeeOther)
	b.comeBack(provider.SignIn(r.Header.Get("Location"))).WantHeader("Location", "/portal/")
	for _, page := range []string{"https://evil.example.com/", "//evil.example.com", "/v1/users", "/portal/../v1/users",
		"/portal/\\e"} {
		r := b.client().Get("/v1/sign-in/openid?return=" + url.QueryEscape(page)).WantStatus(http.StatusBadRequest)
		if got := r.Pointers(); len(got) != 1 || got[0] != "query/return" {
			t.Errorf("%s: %q", page, got)
		}
	}
}

func TestOpenIDProblems(t *testing.T) {
	for code, change := range map[string]func(*fixture, *openidtest.Provider){
		"openid-canceled":     func(_ *fixture, p *openidtest.Provider) { p.Deny = "access_denied" },
		"openid-failed":       func(_ *fixture, p *openidtest.Provider) { p.SignWith = openidtest.NewKey() },
		"openid-unverified":   func(_ *fixture, p *openidtest.Provider) { p.Verified = false },
		"openid-unknown-user": func(_ *fixture, p *openidtest.Provider) { p.Email = "stranger@example.com" },
		"openid-too-old": func(f *fixture, p *openidtest.Provider) {
			p.Change = func(claims map[string]any) { claims["auth_time"] = f.clock.Now().Unix() - 3600 }
		},
		"openid-expired": func(f *fixture, _ *openidtest.Provider) { f.clock.Advance(openid.Lifetime) },
	} {
		t.Run(code, func(t *testing.T) {
			f := newFixture(t)
			provider := f.connect()
			b := f.browser()
			location := b.startOpenID("/portal/charts?q=a")
			change(f, provider)
			b.wantProblem(b.comeBack(provider.SignIn(location)), code+"&return=%2Fportal%2Fcharts%3Fq%3Da")
		})
	}
}

// wantProblem checks that a response opens the sign-in page with a problem, and begins no session.
func (b *browser) wantProblem(r webtest.Response, code string) {
	b.f.tb.Helper()
	r.WantStatus(http.StatusSeeOther).WantHeader("Location", "/portal/sign-in?problem="+code)
	for _, cookie := range r.Header.Values("Set-Cookie") {
		if !strings.HasPrefix(cookie, openIDCookie+"=;") {
			b.f.tb.Errorf("%s: a response with the cookie %s", code, cookie)
		}
	}
}

//proves:docs/security.md
func TestOpenIDSignsInActiveUsersOnly(t *testing.T) {
	f := newFixture(t)
	provider := f.connect()
	eve, _ := f.user("eve@example.com", principal.User)
	provider.Email = eve.Email
	b := f.browser()
	b.comeBack(provider.SignIn(b.startOpenID("/portal/"))).WantHeader("Location", "/portal/")
	suspended := users.Suspended
	f.change(eve.ID, users.Change{Status: &suspended})
	b.wantProblem(b.comeBack(provider.SignIn(b.startOpenID("/portal/"))), "openid-unknown-user")
}

// TestOpenIDLoginCSRF has an attacker sign in, and then lure other browsers to the callback.
//
//proves:docs/security.md
func TestOpenIDLoginCSRF(t *testing.T) {
	f := newFixture(t)
	provider := f.connect()
	attacker := f.browser()
	callback := provider.SignIn(attacker.startOpenID("/portal/"))

	victim := f.browser()
	victim.wantProblem(victim.comeBack(callback), "openid-expired")
	busy := f.browser() // which has begun another sign-in
	busy.startOpenID("/portal/")
	busy.wantProblem(busy.comeBack(callback), "openid-expired")

	attacker.comeBack(callback).WantHeader("Location", "/portal/") // neither attempt has used it up
}

func TestOpenIDCallbacksWorkOnce(t *testing.T) {
	f := newFixture(t)
	provider := f.connect()
	b := f.browser()
	callback := provider.SignIn(b.startOpenID("/portal/"))
	cookie := b.cookies[openIDCookie]
	b.comeBack(callback).WantHeader("Location", "/portal/")
	b.cookies[openIDCookie] = cookie
	b.wantProblem(b.comeBack(callback), "openid-expired")
	b.wantProblem(b.comeBack(&url.URL{Path: callbackPath}), "openid-expired")
}

func TestOpenIDProviderIsDown(t *testing.T) {
	f := newFixture(t)
	provider := f.connect()
	provider.Down = true
	b := f.browser()
	b.wantProblem(b.client().Get("/v1/sign-in/openid"), "openid-unavailable")
	b.client().Get("/v1/sign-in/methods").WantStatus(http.StatusOK)
}

// TestOpenIDIsThrottled uses up the starts of a network. Those who have started can still come back.
//
//proves:docs/security.md
func TestOpenIDIsThrottled(t *testing.T) {
	f := newFixture(t)
	provider := f.connect()
	b := f.browser()
	callback := provider.SignIn(b.startOpenID("/portal/"))
	for range 299 {
		b.client().Get("/v1/sign-in/openid").WantStatus(http.StatusSeeOther)
	}
	b.wantProblem(b.client().Get("/v1/sign-in/openid"), "too-many-requests")
	b.comeBack(callback).WantHeader("Location", "/portal/")
	for range 30 { // now a user has signed in with this browser
		b.startOpenID("/portal/")
	}
	b.wantProblem(b.client().Get("/v1/sign-in/openid"), "too-many-requests")
}

// TestOtherSitesCannotUseUpOpenID has a page of another site load both addresses as pictures in the browser of a
// visitor.
//
//proves:docs/security.md
func TestOtherSitesCannotUseUpOpenID(t *testing.T) {
	f := newFixture(t)
	provider := f.connect()
	b := f.browser()
	picture := webtest.New(t, f.handler()).With("Sec-Fetch-Site", "cross-site").With("Sec-Fetch-Mode", "no-cors")
	for range 301 {
		r := picture.Get("/v1/sign-in/openid?return=/portal/charts").
			WantHeader("Location", "/portal/sign-in?return=%2Fportal%2Fcharts")
		if cookies := r.Header.Values("Set-Cookie"); len(cookies) > 0 {
			t.Fatalf("another site has begun a sign-in: %q", cookies)
		}
		b.wantProblem(picture.Get(callbackPath+"?state=x&code=y"), "openid-expired")
	}
	b.comeBack(provider.SignIn(b.startOpenID("/portal/"))).WantHeader("Location", "/portal/")
}

// TestOpenIDSessionsAreAsRecentAsTheSignInAtTheProvider checks when sessions of the provider may create secrets.
//
//proves:docs/security.md
func TestOpenIDSessionsAreAsRecentAsTheSignInAtTheProvider(t *testing.T) {
	for name, c := range map[string]struct {
		claim         any // auth_time; nil if the provider does not send it
		authenticated any
		recentUntil   string
	}{
		"now":           {int64(1772442000), "2026-03-02T09:00:00Z", "2026-03-02T09:15:00Z"},
		"a while ago":   {int64(1772442000 - 600), "2026-03-02T08:50:00Z", "2026-03-02T09:05:00Z"},
		"in the future": {int64(1772442000 + 30), "2026-03-02T09:00:00Z", "2026-03-02T09:15:00Z"},
		"unknown":       {nil, nil, "2026-03-02T09:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			provider := f.connect()
			provider.Change = func(claims map[string]any) {
				if claims["auth_time"] = c.claim; c.claim == nil {
					delete(claims, "auth_time")
				}
			}
			b := f.browser()
			b.comeBack(provider.SignIn(b.startOpenID("/portal/"))).WantHeader("Location", "/portal/")
			b.client().Get("/v1/sessions/current").WantValue("data.authenticatedAt", c.authenticated).
				WantValue("data.recentUntil", c.recentUntil)
			want := http.StatusOK
			if c.claim == nil {
				want = http.StatusForbidden
			}
			if r := b.client().Post("/v1/passkeys/options", ""); r.Status != want {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		})
	}
}

func TestWithoutAProviderThereIsNoOpenID(t *testing.T) {
	f := newFixture(t)
	c := f.browser().client()
	c.Get("/v1/sign-in/methods").WantValue("data.openId", nil)
	c.Get("/v1/sign-in/openid").WantStatus(http.StatusNotFound)
	c.Get(callbackPath).WantStatus(http.StatusNotFound)
}
