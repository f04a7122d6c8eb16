package main

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/tokens"
	"portside/shared/web"
)

// Token is an access token or password, without its secret.
type Token struct {
	ID          string        `json:"id" doc:"Public ID of the token: the part between its first two underscores." example:"3vQB7B6MrGQZ"`
	Kind        string        `json:"kind" enum:"token,password"`
	Name        string        `json:"name" example:"build pipeline"`
	Username    string        `json:"username,omitempty" doc:"User name that a password must be sent with. A token accepts any user name."`
	Scopes      []string      `json:"scopes" example:"[\"read:helm-charts\",\"read:docker-images:acme/*\"]"`
	Status      tokens.Status `json:"status" enum:"active,expired,revoked,inactive" doc:"inactive means that its user is not active."`
	Reason      *string       `json:"reason" doc:"Why it was revoked; null if it is not revoked."`
	CreatedAt   time.Time     `json:"createdAt" doc:"UTC."`
	ExpiresAt   *time.Time    `json:"expiresAt" doc:"UTC; null if it does not expire."`
	LastUsedAt  *time.Time    `json:"lastUsedAt" doc:"UTC, rounded down to 5 minutes; null if it was never used."`
	RevokedAt   *time.Time    `json:"revokedAt" doc:"UTC; null if it is not revoked."`
	RotatedFrom *string       `json:"rotatedFrom" doc:"ID of the token that this token was created with; null if it was created with an API key."`
}

func (h *handlers) encodeToken(c credentials.Credential) Token {
	t := Token{
		ID: c.ID, Kind: "token", Name: c.Name, Username: c.Username, Scopes: c.Scopes, Status: tokens.StatusOf(c, h.now()),
		Reason: web.NullIfZero(c.Reason), CreatedAt: c.CreatedAt, ExpiresAt: web.NullIfZero(c.ExpiresAt),
		LastUsedAt: web.NullIfZero(c.LastUsedAt),
		RevokedAt:  web.NullIfZero(c.RevokedAt), RotatedFrom: web.NullIfZero(c.RotatedFrom),
	}
	if c.Kind == credentials.Password {
		t.Kind = "password"
	}
	return t
}

type createTokenInput struct {
	web.SecretIdempotency
	Body struct {
		Name   string            `json:"name" doc:"Name of the token, 1 to 100 characters." example:"build pipeline"`
		Scopes []principal.Scope `json:"scopes" nullable:"false" doc:"What the token may download: read:helm-charts or read:docker-images, each optionally limited to names." example:"[\"read:docker-images:acme/*\"]"`
		Days   *int              `json:"expiration_days,omitempty" default:"90" minimum:"1" maximum:"365" doc:"Days until the token expires."`
	}
}

// Resolve implements huma.Resolver. It adds the failures of the domain to the failures of the schema.
func (in *createTokenInput) Resolve(huma.Context) []error { return web.Failures(in.token().Check()) }

func (in *createTokenInput) token() tokens.NewToken {
	input := tokens.NewToken{
		Name: in.Body.Name, Scopes: in.Body.Scopes, Days: tokens.DefaultDays, IdempotencyKey: in.CanonicalKey(),
	}
	if in.Body.Days != nil {
		input.Days = *in.Body.Days
	}
	return input
}

// newToken is a token that was just created.
type newToken struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Token       string    `json:"token" doc:"The token, shown only once. Send it as the password with any user name, or as Bearer." example:"pst_…"`
	Scopes      []string  `json:"scopes"`
	CreatedAt   time.Time `json:"createdAt" doc:"UTC."`
	ExpiresAt   time.Time `json:"expiresAt" doc:"UTC."`
	RotatedFrom *string   `json:"rotatedFrom" doc:"ID of the token that this token was created with; null if it was created with an API key."`
}

type createTokenOutput struct {
	web.Creation
	Body struct {
		Data newToken `json:"data"`
	}
}

func (h *handlers) create(ctx context.Context, in *createTokenInput) (*createTokenOutput, error) {
	caller, _ := principal.From(ctx)
	issued, err := h.tokens.Create(ctx, caller, in.token())
	if err != nil {
		return nil, err
	}
	t := issued.Token
	out := &createTokenOutput{Creation: web.CreatedAt("/api/v1/tokens/"+t.ID, issued.Replayed)}
	out.Body.Data = newToken{
		ID: t.ID, Name: t.Name, Token: issued.Secret.Reveal(), Scopes: t.Scopes,
		CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, RotatedFrom: web.NullIfZero(t.RotatedFrom),
	}
	return out, nil
}

type listTokensInput struct {
	UserID string `query:"userId" format:"uuid" doc:"ID of the user whose tokens to list. Default: your own."`
}

type listTokensOutput struct {
	Body struct {
		Data []Token `json:"data"`
	}
}

func (h *handlers) list(ctx context.Context, in *listTokensInput) (*listTokensOutput, error) {
	caller, _ := principal.From(ctx)
	found, err := h.tokens.List(ctx, caller, in.UserID)
	if err != nil {
		return nil, err
	}
	out := &listTokensOutput{}
	out.Body.Data = make([]Token, len(found))
	for i, c := range found {
		out.Body.Data[i] = h.encodeToken(c)
	}
	return out, nil
}

type tokenInput struct {
	TokenID string `path:"tokenId" doc:"Public ID of the token." example:"3vQB7B6MrGQZ"`
}

type tokenOutput struct {
	Body struct {
		Data Token `json:"data"`
	}
}

func (h *handlers) get(ctx context.Context, in *tokenInput) (*tokenOutput, error) {
	caller, _ := principal.From(ctx)
	found, err := h.tokens.Get(ctx, caller, in.TokenID)
	if err != nil {
		return nil, err
	}
	out := &tokenOutput{}
	out.Body.Data = h.encodeToken(found)
	return out, nil
}

func (h *handlers) revoke(ctx context.Context, in *tokenInput) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	return nil, h.tokens.Revoke(ctx, caller, in.TokenID)
}

type revokeLeakedInput struct {
	Body struct {
		Token string `json:"token" doc:"The complete token, password or API key."`
	}
}

func (h *handlers) revokeLeaked(ctx context.Context, in *revokeLeakedInput) (*struct{}, error) {
	return nil, h.tokens.RevokeLeaked(ctx, in.Body.Token)
}
