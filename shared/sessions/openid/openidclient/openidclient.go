// Package openidclient talks to an identity provider: it reads the provider's configuration, redeems
// codes, and verifies ID tokens with go-oidc.
//
// The configuration is read when the first person signs in, not when the function starts, and kept in
// memory. Requests to the provider are bounded in time and size, and follow no redirect.
package openidclient

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"portside/shared/sessions/openid"
)

const (
	timeout  = 4 * time.Second // of one request; a sign-in has up to three, within the function's 15 seconds
	maxBytes = 256 << 10       // of one response
	maxError = 300             // bytes of an error, which can repeat the provider's response
)

// Settings are the registration of the service at the provider.
type Settings struct {
	Issuer       string // https://accounts.example.com
	ClientID     string
	ClientSecret SecretSource // nil for a public client, which only PKCE protects
}

// SecretSource returns the client secret for a request. An empty secret means a public client.
type SecretSource interface {
	Get(ctx context.Context) (string, error)
}

// Client implements openid.Provider.
type Client struct {
	settings Settings
	http     *http.Client
	now      func() time.Time

	mu       sync.Mutex
	provider *oidc.Provider // nil until discover has succeeded
	methods  []string       // by which the provider authenticates clients
}

// New returns a Client. It sends no request yet.
func New(settings Settings, now func() time.Time) *Client {
	return &Client{settings: settings, now: now, http: &http.Client{
		Timeout: timeout, Transport: limited{http.DefaultTransport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

var _ openid.Provider = (*Client)(nil)

// Issuer implements openid.Provider.
func (c *Client) Issuer() string { return c.settings.Issuer }

// AuthorizationURL implements openid.Provider.
func (c *Client) AuthorizationURL(ctx context.Context, flow openid.Flow) (string, error) {
	config, _, err := c.configuration(ctx, flow)
	if err != nil {
		return "", err
	}
	maxAge := strconv.Itoa(int(openid.MaxAge.Seconds()))
	return config.AuthCodeURL(
		flow.State, oidc.Nonce(flow.Nonce), oauth2.S256ChallengeOption(flow.Verifier),
		oauth2.SetAuthURLParam("max_age", maxAge),
	), nil
}

// Redeem implements openid.Provider.
func (c *Client) Redeem(ctx context.Context, flow openid.Flow, code string) (openid.Claims, error) {
	config, provider, err := c.configuration(ctx, flow)
	if err != nil {
		return openid.Claims{}, err
	}
	ctx = oidc.ClientContext(ctx, c.http)
	tokens, err := config.Exchange(ctx, code, oauth2.VerifierOption(flow.Verifier))
	if err != nil {
		return openid.Claims{}, classify(err)
	}
	claims, err := c.verify(ctx, provider, tokens, flow.Nonce)
	if err != nil {
		return openid.Claims{}, classify(err)
	}
	return claims, nil
}

// configuration returns the OAuth 2.0 configuration for a flow, with the provider. Errors: ErrUnavailable.
func (c *Client) configuration(ctx context.Context, flow openid.Flow) (*oauth2.Config, *oidc.Provider, error) {
	provider, methods, err := c.discover(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: discovery: %s", openid.ErrUnavailable, brief(err))
	}
	secret := ""
	if c.settings.ClientSecret != nil {
		if secret, err = c.settings.ClientSecret.Get(ctx); err != nil {
			return nil, nil, fmt.Errorf("%w: client secret: %s", openid.ErrUnavailable, brief(err))
		}
	}
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = authStyle(methods, secret)
	return &oauth2.Config{
		ClientID: c.settings.ClientID, ClientSecret: secret, Endpoint: endpoint,
		RedirectURL: flow.RedirectURL, Scopes: []string{oidc.ScopeOpenID, "email"},
	}, provider, nil
}

// discover reads the provider's configuration once. A failure is not remembered.
func (c *Client) discover(ctx context.Context) (provider *oidc.Provider, methods []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.provider != nil {
		return c.provider, c.methods, nil
	}
	provider, err = oidc.NewProvider(oidc.ClientContext(ctx, c.http), c.settings.Issuer)
	if err != nil {
		return nil, nil, fmt.Errorf("read the configuration: %w", err)
	}
	var metadata struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&metadata); err != nil {
		return nil, nil, fmt.Errorf("read the configuration: %w", err)
	}
	c.provider, c.methods = provider, metadata.Methods
	return c.provider, c.methods, nil
}

// authStyle returns how the client authenticates. Without it, oauth2 would try one way after the other,
// and the first attempt may use up the code. A provider that names no methods supports Basic.
func authStyle(methods []string, secret string) oauth2.AuthStyle {
	isBasic := len(methods) == 0 || slices.Contains(methods, "client_secret_basic")
	if isBasic && secret != "" {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

var (
	errNoToken    = errors.New("the response has no ID token")
	errNonce      = errors.New("the ID token has another nonce")
	errAuthorized = errors.New("the ID token was issued to another client")
	errSubject    = errors.New("the user information is about another person")
)

// verify checks the ID token by section 3.1.3.7 of OpenID Connect Core, and returns its claims.
func (c *Client) verify(ctx context.Context, provider *oidc.Provider, tokens *oauth2.Token,
	nonce string) (openid.Claims, error) {
	raw, hasToken := tokens.Extra("id_token").(string)
	if !hasToken {
		return openid.Claims{}, errNoToken
	}
	token, err := provider.Verifier(&oidc.Config{ClientID: c.settings.ClientID, Now: c.now}).Verify(ctx, raw)
	if err != nil {
		return openid.Claims{}, fmt.Errorf("verify the ID token: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) == 0 {
		return openid.Claims{}, errNonce
	}
	var claims tokenClaims
	if err := token.Claims(&claims); err != nil {
		return openid.Claims{}, fmt.Errorf("read the claims: %w", err)
	}
	if isOther := claims.Party != "" && claims.Party != c.settings.ClientID; isOther || len(token.Audience) > 1 &&
		claims.Party == "" {
		return openid.Claims{}, errAuthorized
	}
	found := openid.Claims{Email: claims.Email, EmailVerified: bool(claims.Verified)}
	if found.Email == "" {
		if found, err = userInfo(ctx, provider, tokens, token.Subject); err != nil {
			return openid.Claims{}, err
		}
	}
	if claims.Authenticated != 0 {
		found.AuthenticatedAt = time.Unix(claims.Authenticated, 0)
	}
	return found, nil
}

// userInfo asks the provider for the address, if the ID token has none: some providers leave it out of
// the tokens of this flow.
func userInfo(ctx context.Context, provider *oidc.Provider, tokens *oauth2.Token,
	subject string) (openid.Claims, error) {
	if provider.UserInfoEndpoint() == "" {
		return openid.Claims{}, nil
	}
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return openid.Claims{}, fmt.Errorf("read the user information: %w", err)
	}
	if info.Subject != subject {
		return openid.Claims{}, errSubject
	}
	return openid.Claims{Email: info.Email, EmailVerified: info.EmailVerified}, nil
}

// tokenClaims are the claims of an ID token that go-oidc does not check.
type tokenClaims struct {
	Email         string  `json:"email"`
	Verified      boolean `json:"email_verified"`
	Party         string  `json:"azp"`
	Authenticated int64   `json:"auth_time"`
}

// boolean also accepts the string "true", which some providers send. Everything else is false.
type boolean bool

// UnmarshalJSON implements json.Unmarshaler.
func (b *boolean) UnmarshalJSON(text []byte) error {
	*b = string(text) == "true" || string(text) == `"true"`
	return nil
}

// classify returns ErrUnavailable if the provider did not answer or failed, and otherwise ErrFailed.
func classify(err error) error {
	kind := openid.ErrFailed
	if _, isTransport := errors.AsType[*url.Error](err); isTransport {
		kind = openid.ErrUnavailable
	}
	if refused, isRefused := errors.AsType[*oauth2.RetrieveError](err); isRefused && refused.Response != nil &&
		refused.Response.StatusCode >= http.StatusInternalServerError {
		kind = openid.ErrUnavailable
	}
	return fmt.Errorf("%w: %s", kind, brief(err))
}

// brief returns the first maxError bytes of an error's text, for the log.
func brief(err error) string {
	text := err.Error()
	return text[:min(len(text), maxError)]
}

// limited is a transport whose responses end after maxBytes.
type limited struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err //nolint:wrapcheck // http.Client adds the method and the address
	}
	response.Body = limitedBody{io.LimitReader(response.Body, maxBytes), response.Body}
	return response, nil
}

type limitedBody struct {
	io.Reader
	io.Closer
}
