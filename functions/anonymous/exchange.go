package main

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/trust"
	"portside/shared/web"
)

// The identifiers of RFC 8693.
const (
	exchangeGrant   = "urn:ietf:params:oauth:grant-type:token-exchange"
	jwtType         = "urn:ietf:params:oauth:token-type:jwt"
	idTokenType     = "urn:ietf:params:oauth:token-type:id_token"
	accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
)

// maxExchange is the largest form of an exchange in bytes. A token has no characters that a form escapes.
const maxExchange = trust.MaxToken + 16<<10

// exchangeForm describes the form to OpenAPI.
var exchangeForm = web.URLFormBody("The token of the platform, and the trust policy that accepts it (RFC 8693).", &huma.Schema{
	Type: huma.TypeObject, Required: []string{"grant_type", "subject_token", "subject_token_type", "trust_policy_id"},
	Properties: map[string]*huma.Schema{
		"grant_type": {Type: huma.TypeString, Enum: []any{exchangeGrant}, Examples: []any{exchangeGrant}},
		"subject_token": {Type: huma.TypeString, Description: "A signed JSON Web Token of the policy's issuer, of at most 16 KB.",
			Examples: []any{"eyJhbGciOi…"}},
		"subject_token_type": {Type: huma.TypeString, Enum: []any{jwtType, idTokenType}},
		"scope": {Type: huma.TypeString, Description: "Scopes, separated by spaces, within those of the policy. Default: all of them.",
			Examples: []any{"read:helm-charts read:docker-images:acme/api"}},
		"trust_policy_id": {Type: huma.TypeString, Format: "uuid", Description: "ID of the trust policy.",
			Examples: []any{"01939f6f-1d3c-7b4e-9a55-3d7c1f0e8b64"}},
	},
})

type exchangeInput struct {
	network string
}

// Resolve implements huma.Resolver.
func (in *exchangeInput) Resolve(ctx huma.Context) []error { //nolint:unparam // the signature of huma.Resolver
	in.network = web.NetworkOf(ctx.RemoteAddr())
	return nil
}

// ExchangedToken is the result of an exchange (RFC 8693, section 2.2.1).
type ExchangedToken struct {
	AccessToken     string `json:"access_token" doc:"The access token. Only this response contains it." example:"pst_…"`
	IssuedTokenType string `json:"issued_token_type" example:"urn:ietf:params:oauth:token-type:access_token"`
	TokenType       string `json:"token_type" example:"Bearer"`
	ExpiresIn       int    `json:"expires_in" doc:"Seconds until it expires." example:"900"`
	Scope           string `json:"scope" doc:"Its scopes, separated by spaces." example:"read:helm-charts read:docker-images:acme/*"`
}

type exchangeOutput struct {
	CacheControl string `header:"Cache-Control" doc:"no-store"`
	Body         ExchangedToken
}

var exchangeToken = huma.Operation{
	OperationID: "exchangeToken", Tags: []string{"Tokens"},
	Summary: "Exchange a token of a platform",
	Description: "Exchanges a token that GitHub Actions, GitLab, Kubernetes or another issuer has signed for a workload for a " +
		"short-lived access token (RFC 8693), if a trust policy of the customer accepts it. Needs no other credential. The token must be " +
		"signed with an asymmetric algorithm, be valid for at most 24 hours, and have the issuer and audience of the policy. The access " +
		"token works for the chart repository and the container registry. It cannot be renewed and is not listed.\n\n" +
		"Problems also have `error` and `error_description`, as OAuth clients expect. `detail` names the claim that does not meet a " +
		"condition, but no value of the policy.\n\nA trust policy issues at most 300 access tokens on one day (UTC), and at most 20 for the " +
		"same token of the platform; then the response is a 429 with the code `QUOTA_EXCEEDED`, whose `detail` names the limit and its " +
		"end. Of tokens that are refused, one network (an IPv4 address or an IPv6 /64) can send 600 for a policy in 10 minutes; then the " +
		"response is a 429, too.",
	RequestBody: exchangeForm, MaxBodyBytes: maxExchange,
	Errors: web.BodyErrors(http.StatusTooManyRequests, http.StatusServiceUnavailable), Extensions: map[string]any{web.OwnLimit: true},
}

func (h *handlers) exchange(ctx context.Context, in *exchangeInput) (*exchangeOutput, error) {
	fields, err := web.URLForm(ctx, maxExchange)
	if err != nil {
		return nil, asInvalidRequest(err)
	}
	request, err := parseExchange(fields)
	if err != nil {
		return nil, err
	}
	request.Network = in.network
	issued, err := h.exchanger.Exchange(ctx, request)
	if err != nil {
		return nil, err
	}
	out := &exchangeOutput{CacheControl: "no-store"}
	out.Body.AccessToken, out.Body.IssuedTokenType, out.Body.TokenType = issued.Secret.Reveal(), accessTokenType, "Bearer"
	out.Body.ExpiresIn = int(issued.Token.ExpiresAt.Sub(issued.Token.CreatedAt) / time.Second)
	out.Body.Scope = strings.Join(issued.Token.Scopes, " ")
	return out, nil
}

// asInvalidRequest adds the code of OAuth to a fault of the body.
func asInvalidRequest(err error) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	coded := *f
	return coded.OAuth(trust.InvalidRequest)
}

// parseExchange returns the request in a form. Its errors name all invalid fields. Other fields are ignored, as OAuth
// wants, except those that would change the meaning.
func parseExchange(fields url.Values) (trust.Request, error) {
	var failures []fault.Field
	refuse := func(name, detail string) {
		failures = append(failures, fault.Field{Pointer: "/" + name, Detail: detail})
	}
	one := func(name string) string {
		if len(fields[name]) > 1 {
			refuse(name, "must be sent once")
		}
		return fields.Get(name)
	}
	code := trust.InvalidRequest
	if one("grant_type") != exchangeGrant {
		refuse("grant_type", "must be "+exchangeGrant)
		if fields.Get("grant_type") != "" {
			code = trust.UnsupportedType
		}
	}
	request := trust.Request{Token: one("subject_token"), Scopes: scopesIn(one("scope"))}
	if request.Token == "" {
		refuse("subject_token", "is required")
	}
	if kind := one("subject_token_type"); kind != jwtType && kind != idTokenType {
		refuse("subject_token_type", "must be "+jwtType+" or "+idTokenType)
	}
	if kind := one("requested_token_type"); kind != "" && kind != accessTokenType {
		refuse("requested_token_type", "must be "+accessTokenType)
	}
	if one("actor_token") != "" {
		refuse("actor_token", "must be absent, because nobody acts for a workload")
	}
	id, err := uuid.Parse(one("trust_policy_id"))
	if err != nil || len(fields.Get("trust_policy_id")) != len(id.String()) {
		refuse("trust_policy_id", "must be a UUID")
	}
	request.PolicyID = id.String()
	if len(failures) > 0 {
		return trust.Request{}, fault.Invalid(failures...).OAuth(code)
	}
	return request, nil
}

// scopesIn returns the scopes of a text (RFC 6749, section 3.3).
func scopesIn(text string) []principal.Scope {
	var scopes []principal.Scope
	for scope := range strings.SplitSeq(text, " ") {
		if scope != "" {
			scopes = append(scopes, principal.Scope(scope))
		}
	}
	return scopes
}
