package openid_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/sessions/openid"
	"portside/shared/sessions/openid/openidclient"
	"portside/shared/sessions/openid/openiddynamo"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/testclient/openidtest"
)

const redirectURL = "https://portal.example.com/v1/sign-in/openid/callback"

// fixture is a Service on a table in a real engine, with a provider.
type fixture struct {
	tb       testing.TB
	clock    *webtest.Clock
	provider *openidtest.Provider
	states   *openiddynamo.Store
	service  *openid.Service
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	f := &fixture{tb: tb, clock: webtest.NewClock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))}
	f.provider = openidtest.Start(tb, f.clock.Now)
	f.provider.RedirectURL = redirectURL
	client := awstest.DynamoDB(tb)
	f.states = openiddynamo.New(client, awstest.Table(tb, client, "CredentialsTable"))
	f.service = f.with(openidtest.ClientSecret)
	return f
}

// with returns a service that uses a client secret.
func (f *fixture) with(secret string) *openid.Service {
	client := openidclient.New(openidclient.Settings{
		Issuer: f.provider.Issuer, ClientID: openidtest.ClientID, ClientSecret: testkit.Secret(secret),
	}, f.clock.Now)
	return openid.NewService(openid.Dependencies{Provider: client, States: f.states, People: directory{},
		Now: f.clock.Now})
}

// directory has one active and one suspended user.
type directory struct{}

// PersonByEmail implements openid.People.
func (directory) PersonByEmail(_ context.Context, address string) (principal.Person, error) {
	switch address {
	case "ada@example.com":
		return principal.Person{ID: "ada", Email: address, Active: true}, nil
	case "eve@example.com":
		return principal.Person{ID: "eve", Email: address}, nil
	default:
		return principal.Person{}, fault.New(fault.NotFound, "The user does not exist.")
	}
}

// begin begins a flow.
func (f *fixture) begin() openid.Started {
	f.tb.Helper()
	started, err := f.service.Begin(f.tb.Context(), redirectURL, "/portal/tokens?x=1")
	if err != nil {
		f.tb.Fatal(err)
	}
	return started
}

// callback signs in at the provider and returns the request that the browser makes then.
func (f *fixture) callback(started openid.Started) openid.Callback {
	f.tb.Helper()
	query := f.provider.SignIn(started.Location).Query()
	return openid.Callback{
		Cookie: started.Cookie, State: query.Get("state"), Code: query.Get("code"), Error: query.Get("error"),
		Issuer: query.Get("iss"), RedirectURL: redirectURL,
	}
}

func TestSignIn(t *testing.T) {
	for name, change := range map[string]func(*openidtest.Provider){
		"usual":                func(*openidtest.Provider) {},
		"text as boolean":      func(p *openidtest.Provider) { p.Verified = "true" },
		"address in capitals":  func(p *openidtest.Provider) { p.Email = " Ada@Example.COM" },
		"user information":     func(p *openidtest.Provider) { p.Thin = true },
		"secret in the body":   func(p *openidtest.Provider) { p.PostsSecret = true },
		"several audiences":    func(p *openidtest.Provider) { p.Change = claims("aud", []string{"x", "portside"}, "azp", "portside") },
		"signed in before":     func(p *openidtest.Provider) { p.Change = claims("auth_time", 1772442000-16*60) },
		"unknown time":         func(p *openidtest.Provider) { p.Change = func(all map[string]any) { delete(all, "auth_time") } },
		"token that was early": func(p *openidtest.Provider) { p.Change = claims("nbf", 1772442000+200) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			change(f.provider)
			done, err := f.service.Finish(t.Context(), f.callback(f.begin()))
			if err != nil || done.Person.ID != "ada" || done.Page != "/portal/tokens?x=1" {
				t.Errorf("%s: %+v, %v", name, done, err)
			}
		})
	}
}

// claims returns a change that sets claims, given as names and values.
func claims(pairs ...any) func(map[string]any) {
	return func(all map[string]any) {
		for i := 0; i < len(pairs); i += 2 {
			all[pairs[i].(string)] = pairs[i+1]
		}
	}
}

//proves:docs/security.md
func TestRefusedClaims(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*openidtest.Provider)
		want   error
	}{
		"wrong issuer":       {func(p *openidtest.Provider) { p.Change = claims("iss", "https://evil.example.com") }, openid.ErrFailed},
		"wrong audience":     {func(p *openidtest.Provider) { p.Change = claims("aud", "another client") }, openid.ErrFailed},
		"other authorized":   {func(p *openidtest.Provider) { p.Change = claims("azp", "another client") }, openid.ErrFailed},
		"unclear audience":   {func(p *openidtest.Provider) { p.Change = claims("aud", []string{"x", "portside"}) }, openid.ErrFailed},
		"wrong nonce":        {func(p *openidtest.Provider) { p.Change = claims("nonce", "x") }, openid.ErrFailed},
		"no nonce":           {func(p *openidtest.Provider) { p.Change = claims("nonce", "") }, openid.ErrFailed},
		"expired":            {func(p *openidtest.Provider) { p.Change = claims("exp", 1772441999) }, openid.ErrFailed},
		"not yet valid":      {func(p *openidtest.Provider) { p.Change = claims("nbf", 1772442000+301) }, openid.ErrFailed},
		"signed in long ago": {func(p *openidtest.Provider) { p.Change = claims("auth_time", 1772442000-16*60-1) }, openid.ErrTooOld},
		"unverified":         {func(p *openidtest.Provider) { p.Verified = false }, openid.ErrUnverified},
		"verified unknown":   {func(p *openidtest.Provider) { p.Verified = nil }, openid.ErrUnverified},
		"verified is a 1":    {func(p *openidtest.Provider) { p.Verified = 1 }, openid.ErrUnverified},
		"no address":         {func(p *openidtest.Provider) { p.Email = "" }, openid.ErrUnverified},
		"thin, unverified":   {func(p *openidtest.Provider) { p.Thin, p.Verified = true, false }, openid.ErrUnverified},
		"another subject":    {func(p *openidtest.Provider) { p.Thin, p.Change = true, claims("sub", "x") }, openid.ErrFailed},
		"unknown user":       {func(p *openidtest.Provider) { p.Email = "bob@example.com" }, openid.ErrUnknownUser},
		"suspended user":     {func(p *openidtest.Provider) { p.Email = "eve@example.com" }, openid.ErrUnknownUser},
		"similar character":  {func(p *openidtest.Provider) { p.Email = "ada@example.com\u212a" }, openid.ErrUnknownUser},
		"canceled":           {func(p *openidtest.Provider) { p.Deny = "access_denied" }, openid.ErrCanceled},
		"refused":            {func(p *openidtest.Provider) { p.Deny = "server_error" }, openid.ErrFailed},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c.change(f.provider)
			done, err := f.service.Finish(t.Context(), f.callback(f.begin()))
			if !errors.Is(err, c.want) || done.Page != "/portal/tokens?x=1" {
				t.Errorf("%s: %+v, %v; want %v", name, done, err, c.want)
			}
		})
	}
}

//proves:docs/security.md
func TestTokensNeedThePublishedKey(t *testing.T) {
	f := newFixture(t)
	f.provider.SignWith = openidtest.NewKey()
	if _, err := f.service.Finish(t.Context(), f.callback(f.begin())); !errors.Is(err, openid.ErrFailed) {
		t.Errorf("another key: %v", err)
	}
}

// TestTokensNeedAnAsymmetricSignature signs ID tokens with algorithms that the provider announces and that everybody
// with the client's secret, or with nothing, could use.
//
//proves:docs/security.md
func TestTokensNeedAnAsymmetricSignature(t *testing.T) {
	for _, algorithm := range []string{"none", "HS256"} {
		f := newFixture(t)
		f.provider.Algorithm = algorithm
		if _, err := f.service.Finish(t.Context(), f.callback(f.begin())); !errors.Is(err, openid.ErrFailed) {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
}

// TestRedirectsOfTheProviderAreNotFollowed moves each part of a provider to another path.
//
//proves:docs/security.md
func TestRedirectsOfTheProviderAreNotFollowed(t *testing.T) {
	f := newFixture(t)
	f.provider.Moved = "/.well-known/openid-configuration"
	if _, err := f.service.Begin(t.Context(), redirectURL, openid.Home); !errors.Is(err, openid.ErrUnavailable) {
		t.Errorf("a configuration elsewhere: %v", err)
	}
	for _, path := range []string{"/token", "/keys"} {
		f := newFixture(t)
		f.provider.Moved = path
		if _, err := f.service.Finish(t.Context(), f.callback(f.begin())); err == nil {
			t.Errorf("%s elsewhere works", path)
		}
	}
}

func TestTheClientSecretIsChecked(t *testing.T) {
	f := newFixture(t)
	f.service = f.with("wrong")
	if _, err := f.service.Finish(t.Context(), f.callback(f.begin())); !errors.Is(err, openid.ErrFailed) {
		t.Errorf("another secret: %v", err)
	}
}

//proves:docs/security.md
func TestCallbacksWorkOnce(t *testing.T) {
	f := newFixture(t)
	callback := f.callback(f.begin())
	for i, want := range []error{nil, openid.ErrExpired} {
		if _, err := f.service.Finish(t.Context(), callback); !errors.Is(err, want) {
			t.Errorf("use %d: %v, want %v", i+1, err, want)
		}
	}
	replayed := f.callback(f.begin())
	replayed.Code = callback.Code
	if _, err := f.service.Finish(t.Context(), replayed); !errors.Is(err, openid.ErrFailed) {
		t.Errorf("a used code in a new flow: %v", err)
	}
}

//proves:docs/security.md
func TestCallbacksExpire(t *testing.T) {
	f := newFixture(t)
	callback := f.callback(f.begin())
	f.clock.Advance(openid.Lifetime)
	if _, err := f.service.Finish(t.Context(), callback); !errors.Is(err, openid.ErrExpired) {
		t.Errorf("after ten minutes: %v", err)
	}
}

// TestAFlowBelongsToItsBrowser has an attacker sign in, and send the callback to other people.
//
//proves:docs/security.md
func TestAFlowBelongsToItsBrowser(t *testing.T) {
	f := newFixture(t)
	attack := f.callback(f.begin())
	mine := f.begin()
	secret, _, _ := strings.Cut(attack.Cookie, ".")
	elsewhere := base64.RawURLEncoding.EncodeToString([]byte("https://evil.example.com/"))
	for name, cookie := range map[string]string{
		"no cookie": "", "the cookie of another flow": mine.Cookie, "garbage": "x.y", "no page": secret,
		"a page elsewhere": secret + "." + elsewhere,
	} {
		stolen := attack
		stolen.Cookie = cookie
		if _, err := f.service.Finish(t.Context(), stolen); !errors.Is(err, openid.ErrExpired) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A code that was obtained in another flow needs that flow's verifier.
	swapped := f.callback(mine)
	swapped.Code = attack.Code
	if _, err := f.service.Finish(t.Context(), swapped); !errors.Is(err, openid.ErrFailed) {
		t.Errorf("the code of another flow: %v", err)
	}
}

func TestAResponseOfAnotherProviderIsRefused(t *testing.T) {
	f := newFixture(t)
	callback := f.callback(f.begin())
	callback.Issuer = "https://evil.example.com"
	if _, err := f.service.Finish(t.Context(), callback); !errors.Is(err, openid.ErrFailed) {
		t.Errorf("another issuer: %v", err)
	}
	if f.provider.Requests["/token"] != 0 {
		t.Error("the code was sent to a token endpoint")
	}
}

func TestTheConfigurationIsReadOnceAndOnDemand(t *testing.T) {
	f := newFixture(t)
	const path = "/.well-known/openid-configuration"
	if n := f.provider.Requests[path]; n != 0 {
		t.Errorf("%d requests at the start", n)
	}
	f.provider.Down = true
	if _, err := f.service.Begin(t.Context(), redirectURL, openid.Home); !errors.Is(err, openid.ErrUnavailable) {
		t.Errorf("while the provider is down: %v", err)
	}
	f.provider.Down = false
	callback := f.callback(f.begin())
	f.provider.Down = true
	if _, err := f.service.Finish(t.Context(), callback); !errors.Is(err, openid.ErrUnavailable) {
		t.Errorf("if the provider goes down: %v", err)
	}
	f.provider.Down = false
	if _, err := f.service.Finish(t.Context(), f.callback(f.begin())); err != nil {
		t.Error(err)
	}
	if n := f.provider.Requests[path]; n != 2 {
		t.Errorf("%d requests for the configuration, want 2", n)
	}
}

//proves:docs/security.md
func TestAProviderMustNameItsIssuer(t *testing.T) {
	f := newFixture(t)
	impostor := openidtest.Start(t, f.clock.Now)
	address := impostor.Issuer
	impostor.Issuer = f.provider.Issuer
	client := openidclient.New(openidclient.Settings{Issuer: address, ClientID: openidtest.ClientID}, f.clock.Now)
	service := openid.NewService(openid.Dependencies{Provider: client, States: f.states, People: directory{},
		Now: f.clock.Now})
	if _, err := service.Begin(t.Context(), redirectURL, openid.Home); !errors.Is(err, openid.ErrUnavailable) {
		t.Errorf("a configuration of another issuer: %v", err)
	}
}

//proves:docs/security.md
func TestReturnsStayInThePortal(t *testing.T) {
	for page, isOwn := range map[string]bool{
		"/portal/": true, "/portal/tokens": true, "/portal/dashboard?period=this_year&compare=previous": true,
		"/portal": true, "/portal?x=1": true,
		"": false, "/": false, "/portalx/": false, "portal/": false, "?return=/portal/": false, "//portal/portal/": false,
		"/v1/users": false, "//evil.example.com/portal/": false,
		"https://evil.example.com/portal/": false, "/portal/../v1/users": false, "/portal/%2e%2e/v1/users": false,
		"/portal/\\evil.example.com": false, "/portal/\r\nSet-Cookie: x": false, "/portal/\x00": false, "/portal/é": false,
		"javascript:alert(1)": false, "/portal/" + strings.Repeat("a", 1000): false, "/portal/%zz": false,
	} {
		if got := len(openid.CheckReturn(page)) == 0; got != isOwn {
			t.Errorf("%.60q is a page of the portal: %v, want %v", page, got, isOwn)
		}
	}
	f := newFixture(t)
	if _, err := f.service.Begin(t.Context(), redirectURL,
		"https://evil.example.com/"); fault.KindOf(err) != fault.Validation {
		t.Errorf("a page elsewhere: %v", err)
	}
}

//proves:docs/security.md
func TestTheAuthorizationRequestIsComplete(t *testing.T) {
	f := newFixture(t)
	started := f.begin()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, started.Location, nil)
	if err != nil {
		t.Fatal(err)
	}
	query := request.URL.Query()
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "portside", "redirect_uri": redirectURL, "scope": "openid email", "code_challenge_method": "S256",
		"max_age": "900",
	} {
		if query.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, query.Get(name), want)
		}
	}
	secret, _, _ := strings.Cut(started.Cookie, ".")
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(query.Get(name)) != 43 || strings.Contains(started.Location, secret) {
			t.Errorf("%s is %q", name, query.Get(name))
		}
	}
}

// TestHugeResponsesOfTheProviderAreRefused puts more spaces than the limit in front of each part that the service reads
// without an answer.
//
//proves:docs/security.md
func TestHugeResponsesOfTheProviderAreRefused(t *testing.T) {
	f := newFixture(t)
	f.provider.Huge = "/.well-known/openid-configuration"
	if _, err := f.service.Begin(t.Context(), redirectURL, openid.Home); !errors.Is(err, openid.ErrUnavailable) {
		t.Errorf("a huge configuration: %v", err)
	}
	f = newFixture(t)
	f.provider.Huge = "/keys"
	if _, err := f.service.Finish(t.Context(), f.callback(f.begin())); err == nil {
		t.Error("huge keys work")
	}
}
