package main

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/core/paging"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/tokens"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// Token is an access token or password, without its secret. The line comes first, because simple scripts take the last
// expiresAt.
type Token struct {
	Line        *Line            `json:"line" doc:"The line of renewals that the token belongs to; null for a password, and for a token that the operator of the service renews."`
	ID          string           `json:"id" doc:"Public ID of the token: the part between its first two underscores." example:"3vQB7B6MrGQZ"`
	Kind        string           `json:"kind" enum:"token,password"`
	Name        string           `json:"name" example:"build pipeline"`
	Username    string           `json:"username,omitempty" doc:"User name that a password must be sent with. A token accepts any user name." example:"ada"`
	Scopes      []string         `json:"scopes" example:"[\"read:helm-charts\",\"read:docker-images:acme/*\"]"`
	Status      tokens.Status    `json:"status" enum:"active,expired,revoked,inactive" doc:"inactive means that its user is not active."`
	Reason      *string          `json:"reason" doc:"Why it was revoked; null if it is not revoked."`
	CreatedAt   time.Time        `json:"createdAt" doc:"UTC."`
	ExpiresAt   *time.Time       `json:"expiresAt" doc:"UTC; null if it does not expire."`
	LastUsedAt  *time.Time       `json:"lastUsedAt" doc:"UTC, rounded down to 5 minutes, but not before createdAt; null if it was never used."`
	RevokedAt   *time.Time       `json:"revokedAt" doc:"UTC; null if it is not revoked."`
	RotatedFrom *string          `json:"rotatedFrom" doc:"ID of the token that this token was created with; null if it was created with an API key."`
	Makers      []resource.Maker `json:"makers" nullable:"false" doc:"Who created the token, and with which credential; then who created that credential, and so on. A renewed token has the makers of the first one. Empty if the service created it."`
}

// Line is a token that was created by a person, and all tokens that were renewed from it.
type Line struct {
	First     string    `json:"firstTokenId" doc:"Public ID of the first token of the line." example:"3vQB7B6MrGQZ"`
	ExpiresAt time.Time `json:"expiresAt" doc:"UTC. No token of the line works longer."`
}

func encodeLine(c credentials.Credential) *Line {
	if c.LineEndsAt.IsZero() {
		return nil
	}
	return &Line{First: c.Line, ExpiresAt: c.LineEndsAt}
}

func (h *handlers) encodeToken(c credentials.Credential) Token {
	t := Token{
		ID: c.ID, Kind: "token", Name: c.Name, Username: c.Username, Scopes: c.Scopes, Status: tokens.StatusOf(c, h.now()),
		Reason: web.NullIfZero(c.Reason), CreatedAt: c.CreatedAt, ExpiresAt: web.NullIfZero(c.ExpiresAt),
		LastUsedAt: web.NullIfZero(c.LastUsedAt),
		RevokedAt:  web.NullIfZero(c.RevokedAt), RotatedFrom: web.NullIfZero(c.RotatedFrom),
		Line: encodeLine(c), Makers: resource.EncodeMakers(c.Makers),
	}
	if c.Kind == credentials.Password {
		t.Kind = "password"
	}
	return t
}

type createTokenInput struct {
	resource.SecretIdempotency
	Body struct {
		Name   string            `json:"name" doc:"Name of the token, 1 to 100 characters." example:"build pipeline"`
		Scopes []principal.Scope `json:"scopes" nullable:"false" minItems:"1" maxItems:"20" doc:"What the token may download: read:helm-charts or read:docker-images, each optionally limited to names." example:"[\"read:docker-images:acme/*\"]"`
		Days   *int              `json:"expiration_days,omitempty" minimum:"1" maximum:"365" doc:"Days until the token expires. Default: 90. The operator of the service may have set a lower maximum than 365. A token that renews itself gets at most the days for which it was created, and none after the end of its line; then the answer has an earlier expiresAt." example:"90"`
		// DaysAlias is the name of Days in the other operations.
		DaysAlias *int `json:"expirationDays,omitempty" hidden:"true" minimum:"1" maximum:"365"`
		Line      *int `json:"line_expiration_days,omitempty" minimum:"1" maximum:"730" doc:"Days until the line of renewals ends that the token begins. Default: 365, or twice expiration_days if that is more. A token that renews itself must not send it." example:"365"`
	}
}

// Resolve implements huma.Resolver. It adds the failures of the domain to the failures of the schema.
func (in *createTokenInput) Resolve(huma.Context) []error {
	days, failures := web.OneOf(in.Body.Days, in.Body.DaysAlias, "/expirationDays", "expiration_days")
	in.Body.Days = days
	return web.Failures(append(failures, in.token().Check()...))
}

func (in *createTokenInput) token() tokens.NewToken {
	input := tokens.NewToken{
		Name: in.Body.Name, Scopes: in.Body.Scopes, IdempotencyKey: in.CanonicalKey(),
	}
	if in.Body.Days != nil {
		input.Days = *in.Body.Days
	}
	if in.Body.Line != nil {
		input.LineDays = *in.Body.Line
	}
	return input
}

// newToken is a token that was just created.
type newToken struct {
	ID          string    `json:"id" example:"3vQB7B6MrGQZ"`
	Name        string    `json:"name" example:"nightly build"`
	Token       string    `json:"token" doc:"The token, shown only once. Send it as the password with any user name, or as Bearer." example:"pst_…"`
	Scopes      []string  `json:"scopes" example:"[\"read:helm-charts\"]"`
	CreatedAt   time.Time `json:"createdAt" doc:"UTC."`
	ExpiresAt   time.Time `json:"expiresAt" doc:"UTC."`
	RotatedFrom *string   `json:"rotatedFrom" doc:"ID of the token that this token was created with; null if it was created with an API key."`
	Line        *Line     `json:"line" doc:"The line of renewals that the token belongs to."`
}

type createTokenOutput struct {
	resource.Creation
	Body struct {
		Data newToken `json:"data"`
	}
}

var createToken = huma.Operation{
	OperationID: "createToken", Tags: []string{"Tokens"},
	Summary: "Create an access token", DefaultStatus: http.StatusCreated,
	Description: "Creates a token for the chart repository and the container registry. Only this response contains it.\n\n" +
		"A pipeline can renew its token by sending the current one as Bearer. The current scopes must cover the new ones, " +
		"and the current token stays valid until it expires. A token that was not created by a token begins a line of renewals, whose " +
		"end is fixed: `line.expiresAt`. A renewal is valid for at most as long as the token that asked for it, and not after the line ends; " +
		"a token that lasts until then gets a 409. Up to 5 tokens of a line can work at the same time, and a line can be renewed 10 times " +
		"a day.\n\n" +
		"100 tokens can be created for a user on one day (UTC), and 100 renewals; then, and above the quota of a line, the response is " +
		"a 429 with the code `QUOTA_EXCEEDED`.\n\nWith an " +
		"`Idempotency-Key`, a random UUID, you can safely repeat the request for 24 hours: the same body gets the first response again, " +
		"with the same secret and `Idempotency-Replayed: true`, and a different body gets a 422. Until then, the service stores the " +
		"secret encrypted with your key, of which it stores only a hash. If the token was revoked since, the response is a 409.",
	Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity), Extensions: map[string]any{web.OwnLimit: true},
}

func (h *handlers) create(ctx context.Context, in *createTokenInput) (*createTokenOutput, error) {
	caller, _ := principal.From(ctx)
	issued, err := h.tokens.Create(ctx, caller, in.token())
	if err != nil {
		return nil, err
	}
	t := issued.Token
	out := &createTokenOutput{Creation: resource.CreatedAt("/api/v1/tokens/"+t.ID, issued.Replayed)}
	out.Body.Data = newToken{
		ID: t.ID, Name: t.Name, Token: issued.Secret.Reveal(), Scopes: t.Scopes,
		CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, RotatedFrom: web.NullIfZero(t.RotatedFrom), Line: encodeLine(t),
	}
	return out, nil
}

type listTokensInput struct {
	web.CursorPaging
	UserID     string `query:"userId" format:"uuid" doc:"ID of the user whose tokens to list. Default: your own."`
	CustomerID string `query:"customerId" format:"uuid" doc:"ID of the customer whose users' tokens to list, page by page. Cannot be combined with userId." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
}

// Resolve implements huma.Resolver.
func (in *listTokensInput) Resolve(huma.Context) []error {
	if in.CustomerID != "" && in.UserID != "" {
		return web.Failures([]fault.Field{{Pointer: "query/customerId", Detail: "cannot be combined with userId"}})
	}
	if in.CustomerID == "" && in.Cursor != "" {
		return web.Failures([]fault.Field{{Pointer: "query/cursor", Detail: "can only be sent with customerId"}})
	}
	return nil
}

// query returns the query of the list of a customer.
func (in *listTokensInput) query() (tokens.CustomerQuery, error) {
	position, err := in.After()
	after := tokens.Position(position)
	if err == nil && !after.Valid() {
		err = paging.ErrCursor
	}
	return tokens.CustomerQuery{CustomerID: resource.CanonicalID(in.CustomerID), Limit: in.Limit, After: after}, err
}

type listTokensOutput struct {
	Body struct {
		Data       []Token              `json:"data"`
		Pagination web.CursorPagination `json:"pagination"`
	}
}

var listTokens = huma.Operation{
	OperationID: "listTokens", Tags: []string{"Tokens"},
	Summary: "List tokens and passwords",
	Description: "Returns the newest 500 tokens and passwords, newest first, without their secrets. Revoked and expired ones are " +
		"listed for 90 days. Your own need no permission; those of other users need `tokens:read`.\n\nWith `customerId`, returns those of all " +
		"users of a customer, in the order in which the users were created, with a cursor. A page can have fewer tokens than `limit`, or " +
		"none, although `pagination.hasMore` is true. Users of a customer get only the tokens of that customer. Without it, `limit` has no effect.",
	Errors: []int{http.StatusForbidden},
}

func (h *handlers) list(ctx context.Context, in *listTokensInput) (*listTokensOutput, error) {
	if in.CustomerID != "" {
		return h.listOfCustomer(ctx, in)
	}
	caller, _ := principal.From(ctx)
	found, err := h.tokens.List(ctx, caller, resource.CanonicalID(in.UserID))
	if err != nil {
		return nil, err
	}
	return h.newTokensOutput(found, web.CursorPaging{Limit: tokens.MaxListed}.Pagination("")), nil
}

func (h *handlers) listOfCustomer(ctx context.Context, in *listTokensInput) (*listTokensOutput, error) {
	query, err := in.query()
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	page, err := h.tokens.ListOfCustomer(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	return h.newTokensOutput(page.Tokens, in.Pagination(paging.Position(page.Next))), nil
}

func (h *handlers) newTokensOutput(found []credentials.Credential, pagination web.CursorPagination) *listTokensOutput {
	out := &listTokensOutput{}
	out.Body.Pagination = pagination
	out.Body.Data = make([]Token, len(found))
	for i, c := range found {
		out.Body.Data[i] = h.encodeToken(c)
	}
	return out
}

type tokenInput struct {
	TokenID string `path:"tokenId" doc:"Public ID of the token." example:"3vQB7B6MrGQZ"`
}

type tokenOutput struct {
	resource.Version
	Body struct {
		Data Token `json:"data"`
	}
}

var getToken = huma.Operation{
	OperationID: "getToken", Tags: []string{"Tokens"},
	Summary: "Get a token or password",
	Description: "Returns what it may download, when it expires, and when it was last used. The `ETag` changes with any of them. Your own " +
		"need no permission; those of other users need `tokens:read`.",
	Errors: []int{http.StatusNotFound},
}

func (h *handlers) get(ctx context.Context, in *tokenInput) (*tokenOutput, error) {
	caller, _ := principal.From(ctx)
	found, err := h.tokens.Get(ctx, caller, in.TokenID)
	if err != nil {
		return nil, err
	}
	encoded := h.encodeToken(found)
	out := &tokenOutput{Version: resource.ContentVersion(encoded)}
	out.Body.Data = encoded
	return out, nil
}

type revokeInput struct {
	resource.Condition
	TokenID string `path:"tokenId" doc:"Public ID of the token." example:"3vQB7B6MrGQZ"`
	Line    bool   `query:"line" default:"false" doc:"Whether to revoke the whole line of renewals of the token."`
}

var revokeToken = huma.Operation{
	OperationID: "revokeToken", Tags: []string{"Tokens"},
	Summary: "Revoke a token or password", DefaultStatus: http.StatusNoContent,
	Description: "It stops working with the next request. A token that is revoked already gets the same response, with any " +
		"`If-Match`. " +
		"With `line=true`, the whole line of renewals stops working: the tokens it was " +
		"renewed from, and all that were renewed from any of them. Do that if the token has leaked, because the person who has it may have " +
		"renewed it.\n\n" +
		"Your own need no permission; those of other users need `tokens:write`. A token can revoke only itself, the tokens it was renewed " +
		"from, and the tokens renewed from it; with `line=true`, its own line.",
	Errors: []int{http.StatusForbidden, http.StatusNotFound, http.StatusPreconditionFailed,
		http.StatusServiceUnavailable},
}

func (h *handlers) revoke(ctx context.Context, in *revokeInput) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	target := tokens.Target{ID: in.TokenID}
	if wanted := in.WantedTag(); wanted != nil {
		target.Accepts = func(c credentials.Credential) bool { return wanted(resource.ContentVersion(h.encodeToken(c)).ETag) }
	}
	if in.Line {
		return nil, h.tokens.RevokeLine(ctx, caller, target)
	}
	return nil, h.tokens.Revoke(ctx, caller, target)
}
