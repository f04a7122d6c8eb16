package main

import (
	"context"
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
