package main

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/users"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// APIKey is an API key without its secret.
type APIKey struct {
	ID         string           `json:"id" doc:"Public ID of the key: the part between its first two underscores." example:"3vQB7B6MrGQZ"`
	Name       string           `json:"name" doc:"Name of the key." example:"build server"`
	CreatedAt  time.Time        `json:"createdAt" doc:"UTC." example:"2026-03-02T09:15:30.250Z"`
	ExpiresAt  *time.Time       `json:"expiresAt" doc:"UTC; null if the key does not expire." example:"2027-03-02T09:15:30.250Z"`
	LastUsedAt *time.Time       `json:"lastUsedAt" doc:"UTC, rounded down to 5 minutes, but not before createdAt; null if the key was never used." example:"2026-03-09T07:45:00Z"`
	Makers     []resource.Maker `json:"makers" nullable:"false" doc:"Who created the key, and with which credential; then who created that credential, and so on, up to a sign-in. Empty if the operator of the service created it."`
}

func encodeKey(c credentials.Credential) APIKey {
	return APIKey{
		ID: c.ID, Name: c.Name, CreatedAt: c.CreatedAt,
		ExpiresAt: web.NullIfZero(c.ExpiresAt), LastUsedAt: web.NullIfZero(c.LastUsedAt), Makers: resource.EncodeMakers(c.Makers),
	}
}

type keysOutput struct {
	Body struct {
		Data []APIKey `json:"data"`
	}
}

var listAPIKeys = huma.Operation{
	OperationID: "listApiKeys", Tags: []string{"API keys"},
	Summary:     "List a user's API keys",
	Description: "Returns all keys that are not deleted, oldest first, without their secrets." + keyPermission,
	Errors:      []int{http.StatusForbidden, http.StatusNotFound},
}

func (s *service) listKeys(ctx context.Context, in *UserPath) (*keysOutput, error) {
	caller, _ := principal.From(ctx)
	keys, err := s.keys.List(ctx, caller, resource.CanonicalID(in.UserID))
	if err != nil {
		return nil, err
	}
	out := &keysOutput{}
	out.Body.Data = make([]APIKey, len(keys))
	for i, k := range keys {
		out.Body.Data[i] = encodeKey(k)
	}
	return out, nil
}

type createKeyInput struct {
	resource.SecretIdempotency
	UserID string `path:"userId" format:"uuid" doc:"ID of the user."`
	Body   struct {
		Name string `json:"name" doc:"Name of the key, 1 to 100 characters." example:"build server"`
		// DaysAlias is the name of ExpirationDays in the operation that creates a token.
		DaysAlias      *int `json:"expiration_days,omitempty" hidden:"true" minimum:"1" maximum:"3650"`
		ExpirationDays *int `json:"expirationDays,omitempty" minimum:"1" maximum:"3650" doc:"Days until the key expires. Default: it never expires." example:"365"`
	}
	host string
}

// Resolve implements huma.Resolver.
func (in *createKeyInput) Resolve(ctx huma.Context) []error {
	in.host = ctx.Host()
	days, failures := web.OneOf(in.Body.ExpirationDays, in.Body.DaysAlias, "/expiration_days", "expirationDays")
	in.Body.ExpirationDays = days
	return web.Failures(append(failures, in.key().Check()...))
}

func (in *createKeyInput) key() users.NewKey {
	key := users.NewKey{Name: in.Body.Name, IdempotencyKey: in.CanonicalKey()}
	if in.Body.ExpirationDays != nil {
		key.ExpirationDays = *in.Body.ExpirationDays
	}
	return key
}

// newAPIKey is an API key that was just created, with its secret.
type newAPIKey struct {
	APIKey
	Key string `json:"key" doc:"The key, shown only once. Send it as X-API-Key." example:"psk_3vQB7B6MrGQZ_…"`
}

type createKeyOutput struct {
	resource.Creation
	Body struct {
		Data newAPIKey `json:"data"`
	}
}

// findOwner reads the owner of a key to be created. Its error is a part of the result, because callers without the
// permission get the same refusal whether the user exists or not.
func (s *service) findOwner(ctx context.Context, r *http.Request) (*users.Found, error) {
	user, err := s.read(ctx, r)
	return &users.Found{User: user, Err: err}, nil
}

var createAPIKey = huma.Operation{
	OperationID: "createApiKey", Tags: []string{"API keys"},
	Summary: "Create an API key", DefaultStatus: http.StatusCreated,
	Description: "Creates a key with the permissions of its user's role. Only this response contains the key; the service stores a hash. " +
		"A user gets a mail when another user creates a key for them. " +
		"A user can have at most 50 working credentials. On one day (UTC), 100 keys can be created for a user, and all users of a customer " +
		"together can create 200 for others, of which 20 for one address, and the vendor's staff 2,000; then the response is " +
		"a 429 with the code `QUOTA_EXCEEDED`.\n\nWith an " +
		"`Idempotency-Key`, a random UUID, you can safely repeat the request for 24 hours: the same body gets the first response again, " +
		"with the same secret and `Idempotency-Replayed: true`, and a different body gets a 422. Until then, the service stores the " +
		"secret encrypted with your key, of which it stores only a hash. If the created key was deleted since, the response is a 409." +
		keyPermission,
	Errors:     web.BodyErrors(http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity),
	Extensions: map[string]any{web.OwnLimit: true},
}

func (s *service) createKey(ctx context.Context, in *createKeyInput, owner *users.Found) (*createKeyOutput, error) {
	caller, _ := principal.From(ctx)
	userID := resource.CanonicalID(in.UserID)
	input := in.key()
	input.BaseURL, input.Found = web.BaseURL(s.baseURL, in.host), owner
	issued, err := s.keys.Create(ctx, caller, userID, input)
	if err != nil {
		return nil, err
	}
	if issued.Notice != nil && !issued.Replayed {
		s.notices.TrySend(ctx, *issued.Notice, issued.Owner, issued.Maker)
	}
	out := &createKeyOutput{Creation: resource.CreatedAt("/v1/users/"+userID+"/api-keys/"+issued.Key.ID, issued.Replayed)}
	out.Body.Data = newAPIKey{APIKey: encodeKey(issued.Key), Key: issued.Secret.Reveal()}
	return out, nil
}

type keyInput struct {
	UserID string `path:"userId" format:"uuid" doc:"ID of the user."`
	KeyID  string `path:"keyId" doc:"Public ID of the key." example:"3vQB7B6MrGQZ"`
}

type keyOutput struct {
	resource.Version
	Body struct {
		Data APIKey `json:"data"`
	}
}

var getAPIKey = huma.Operation{
	OperationID: "getApiKey",
	Tags:        []string{"API keys"},
	Summary:     "Get an API key",
	Description: "Returns a key that is not deleted, without its secret." + keyPermission,
	Errors:      []int{http.StatusForbidden, http.StatusNotFound},
}

func (s *service) getKey(ctx context.Context, in *keyInput) (*keyOutput, error) {
	caller, _ := principal.From(ctx)
	key, err := s.keys.Get(ctx, caller, resource.CanonicalID(in.UserID), in.KeyID)
	if err != nil {
		return nil, err
	}
	encoded := encodeKey(key)
	out := &keyOutput{Version: resource.ContentVersion(encoded)}
	out.Body.Data = encoded
	return out, nil
}

type deleteKeyInput struct {
	resource.Condition
	UserID string `path:"userId" format:"uuid" doc:"ID of the user."`
	KeyID  string `path:"keyId" doc:"Public ID of the key." example:"3vQB7B6MrGQZ"`
	Made   bool   `query:"made" default:"false" doc:"Whether to end everything that was created with the key, too."`
	host   string
}

// Resolve implements huma.Resolver.
func (in *deleteKeyInput) Resolve(ctx huma.Context) []error { //nolint:unparam // the signature of huma.Resolver
	in.host = ctx.Host()
	return nil
}

// checkKeyTag returns an error if the request has an ETag that is not the key's, unless the key is deleted already. A
// key changes only when it is used or ends, so the transaction need not check it again.
func (s *service) checkKeyTag(ctx context.Context, caller principal.Principal, userID string,
	in *deleteKeyInput) error {
	wanted := in.WantedTag()
	if wanted == nil {
		return nil
	}
	key, err := s.keys.Find(ctx, caller, userID, in.KeyID)
	if err != nil {
		return err
	}
	if key.RevokedAt.IsZero() && !wanted(resource.ContentVersion(encodeKey(key)).ETag) {
		return versions.ErrMismatch
	}
	return nil
}

var deleteAPIKey = huma.Operation{
	OperationID: "deleteApiKey",
	Tags:        []string{"API keys"},
	Summary:     "Delete an API key", DefaultStatus: http.StatusNoContent,
	Description: "The key stops working with the next request. A key that is deleted already gets the same response, with any " +
		"`If-Match`. " +
		"With `made=true`, all keys, tokens and passwords that were created with it, " +
		"directly or in several steps, also those of other users, stop working within seconds, and within minutes if there are many. Do that " +
		"if the key has leaked." + keyPermission,
	Errors: []int{http.StatusForbidden, http.StatusNotFound, http.StatusPreconditionFailed},
}

func (s *service) deleteKey(ctx context.Context, in *deleteKeyInput) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	userID := resource.CanonicalID(in.UserID)
	if err := s.checkKeyTag(ctx, caller, userID, in); err != nil {
		return nil, err
	}
	if !in.Made {
		return nil, s.keys.Revoke(ctx, caller, userID, in.KeyID)
	}
	if _, err := s.keys.Find(ctx, caller, userID, in.KeyID); err != nil {
		return nil, err
	}
	return nil, s.ending.End(ctx, in.KeyID, "deleted", web.BaseURL(s.baseURL, in.host))
}
