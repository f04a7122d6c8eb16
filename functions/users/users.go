package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/users"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// ListedUser is a user in a list. Structs that are embedded in inputs and outputs are exported, because huma ignores
// the fields of unexported ones.
type ListedUser struct {
	ID         string         `json:"id" format:"uuid" doc:"UUIDv7; never changes." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Email      string         `json:"email" format:"email" doc:"Lower-cased and unique." example:"ada@example.com"`
	Name       string         `json:"name" doc:"Name of the person." example:"Ada Lovelace"`
	CustomerID *string        `json:"customerId" format:"uuid" doc:"ID of the user's customer; null for the vendor's staff." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	Role       principal.Role `json:"role" enum:"admin,manager,user,viewer" doc:"Defines the permissions of the user." example:"user"`
	Status     users.Status   `json:"status" enum:"pending,active,inactive,suspended" doc:"Only credentials of active users are valid; pending means not activated yet." example:"active"`
	CreatedAt  time.Time      `json:"createdAt" doc:"UTC." example:"2026-03-02T09:15:30.250Z"`
}

// User is a user with all fields.
type User struct {
	ListedUser
	Department  string                 `json:"department" doc:"Empty if unknown." example:"Analytical Engines"`
	LastLoginAt *time.Time             `json:"lastLoginAt" doc:"UTC; null before the first sign-in." example:"2026-03-09T07:45:00Z"`
	Permissions []principal.Permission `json:"permissions" doc:"Permissions of the role, sorted. A user of a customer cannot use those that only operations for the vendor's staff need." example:"[\"capabilities:use\",\"projects:read\",\"projects:write\",\"users:read\"]"`
	UpdatedAt   time.Time              `json:"updatedAt" doc:"UTC; time of the last change." example:"2026-03-02T09:15:30.250Z"`
	Metadata    web.Object             `json:"metadata" doc:"JSON object that you stored with the user, unchanged." example:"{\"customerNumber\":\"C-1815\"}"`
}

func encodeListedUser(u users.User) ListedUser {
	return ListedUser{
		ID: u.ID, Email: u.Email, Name: u.Name, CustomerID: web.NullIfZero(u.CustomerID), Role: u.Role, Status: u.Status,
		CreatedAt: u.CreatedAt,
	}
}

func encodeUser(u users.User) User {
	return User{
		ListedUser: encodeListedUser(u), Department: u.Department, Permissions: u.Role.Permissions(),
		LastLoginAt: web.NullIfZero(u.LastLoginAt), UpdatedAt: u.UpdatedAt, Metadata: web.Object(u.Metadata),
	}
}

// UserOutput is a response with one user.
type UserOutput struct {
	resource.Version
	Body userBody
}

// userBody is the body of a response with one user.
type userBody struct {
	Data User `json:"data"`
}

func newUserOutput(u users.User) *UserOutput {
	return &UserOutput{Version: resource.VersionOf(u.Version), Body: userBody{Data: encodeUser(u)}}
}

type createUserInput struct {
	resource.Idempotency
	Body struct {
		Email               string         `json:"email" format:"email" doc:"Must be unique; it is trimmed and lower-cased." example:"ada@example.com"`
		Name                string         `json:"name" doc:"1 to 200 characters." example:"Ada Lovelace"`
		CustomerID          string         `json:"customerId,omitempty" format:"uuid" doc:"ID of the user's customer. Default: your customer, or none if you belong to the vendor's staff." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
		Role                principal.Role `json:"role" enum:"admin,manager,user,viewer" doc:"At most your own." example:"user"`
		Department          string         `json:"department,omitempty" doc:"At most 200 characters." example:"Analytical Engines"`
		SendActivationEmail *bool          `json:"sendActivationEmail,omitempty" default:"true" doc:"Whether to send the user an activation mail."`
		Metadata            web.Object     `json:"metadata,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; stored unchanged." example:"{\"customerNumber\":\"C-1815\"}"`
	}
	host string
}

// Resolve implements huma.Resolver. It adds the failures of the domain to the failures of the schema, and records the
// host.
func (in *createUserInput) Resolve(ctx huma.Context) []error {
	in.host = ctx.Host()
	return web.Failures(in.user().Check())
}

func (in *createUserInput) user() users.NewUser {
	b := in.Body
	return users.NewUser{
		Email: b.Email, Name: b.Name, CustomerID: b.CustomerID, Role: b.Role, Department: b.Department,
		Metadata:        json.RawMessage(b.Metadata),
		ActivationEmail: b.SendActivationEmail == nil || *b.SendActivationEmail,
	}
}

type createUserOutput struct {
	resource.Version
	resource.Creation
	Body userBody
}

var createUser = huma.Operation{
	OperationID: "createUser", Tags: []string{"Users"},
	Summary: "Create a user", DefaultStatus: http.StatusCreated,
	Description: "Creates a user. With `sendActivationEmail` (the default) the user is `pending` at first and gets a mail with a " +
		"link that works for 7 days; otherwise the user is `active` at once. You cannot create a user whose role has more " +
		"permissions than yours. All users of a customer together can send 1,000 invitations on one day (UTC), and the vendor's staff " +
		"10,000; one address gets at most 5 from a customer, and 10 from all customers or from the staff. Above that, the response is a " +
		"429 with the code `QUOTA_EXCEEDED`.\n\n" +
		"With an `Idempotency-Key` you can safely repeat the request for 24 hours: the same body gets " +
		"the first response again with `Idempotency-Replayed: true`, and a different body gets a 422.",
	Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity), Extensions: map[string]any{web.OwnLimit: true},
}

func (s *service) create(ctx context.Context, in *createUserInput) (*createUserOutput, error) {
	caller, _ := principal.From(ctx)
	created, err := s.users.Create(ctx, users.CreateOptions{
		Caller: caller, IdempotencyKey: in.IdempotencyKey, BaseURL: web.BaseURL(s.baseURL, in.host),
	}, in.user())
	if err != nil {
		return nil, err
	}
	return &createUserOutput{
		Version:  resource.VersionOf(created.User.Version),
		Creation: resource.CreatedAt("/v1/users/"+created.User.ID, created.Replayed),
		Body:     userBody{Data: encodeUser(created.User)},
	}, nil
}

// UserPath is the path parameter of operations on one user.
type UserPath struct {
	UserID string `path:"userId" format:"uuid" doc:"ID of the user." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
}

// read returns the user of the path.
func (s *service) read(ctx context.Context, r *http.Request) (users.User, error) {
	id, ok := web.PathID(r, "userId")
	if !ok {
		return users.User{}, users.ErrNotFound
	}
	return s.users.ReadUnchecked(ctx, id)
}

var getUser = huma.Operation{
	OperationID: "getUser", Tags: []string{"Users"},
	Summary: "Get a user",
	Description: "Returns one user with all fields. The `ETag` identifies the version; send it in `If-Match` to change only this version. " +
		"A sign-in changes `lastLoginAt` but not the `ETag`.",
	Errors: []int{http.StatusNotFound},
}

func (s *service) get(ctx context.Context, _ *UserPath, user users.User) (*UserOutput, error) {
	caller, _ := principal.From(ctx)
	user, err := s.users.VisibleTo(caller, user)
	if err != nil {
		return nil, err
	}
	return newUserOutput(user), nil
}

// ReadOnlyUser has the fields of a user that an update cannot change.
type ReadOnlyUser struct {
	ID          web.ReadOnly `json:"id,omitempty" hidden:"true"`
	Email       web.ReadOnly `json:"email,omitempty" hidden:"true"`
	CreatedAt   web.ReadOnly `json:"createdAt,omitempty" hidden:"true"`
	LastLoginAt web.ReadOnly `json:"lastLoginAt,omitempty" hidden:"true"`
	Permissions web.ReadOnly `json:"permissions,omitempty" hidden:"true"`
	UpdatedAt   web.ReadOnly `json:"updatedAt,omitempty" hidden:"true"`
}

type updateUserInput struct {
	UserPath
	resource.Condition
	Body struct {
		ReadOnlyUser

		Name       *string         `json:"name,omitempty" doc:"1 to 200 characters." example:"Ada King"`
		CustomerID *string         `json:"customerId,omitempty" format:"uuid" nullable:"true" doc:"ID of the user's customer; null for the vendor's staff. Only the vendor's staff can change it. A change ends all credentials of the user." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
		Role       *principal.Role `json:"role,omitempty" enum:"admin,manager,user,viewer" doc:"At most your own; takes effect with the user's next request." example:"manager"`
		Department *string         `json:"department,omitempty" nullable:"true" doc:"At most 200 characters; null or empty removes it." example:"Analytical Engines"`
		Status     *users.Status   `json:"status,omitempty" enum:"pending,active,inactive,suspended" doc:"pending only if the user is pending. With any status but active, all credentials of the user stop working at once, and sessions and passkeys for good." example:"suspended"`
		Metadata   web.Object      `json:"metadata,omitempty" nullable:"true" doc:"Any JSON object, at most 16 KB and 8 levels. PUT replaces the current one, PATCH merges into it; null empties it." example:"{\"customerNumber\":\"C-1815\"}"`
	}
}

// Resolve implements huma.Resolver.
func (in *updateUserInput) Resolve(ctx huma.Context) []error {
	failures := web.ApplyNulls(ctx, &in.Body)
	return web.Failures(append(failures, in.change(false).Check()...))
}

func (in *updateUserInput) change(isPatch bool) users.Change {
	b := in.Body
	return users.Change{
		IsPatch: isPatch,
		Name:    b.Name, CustomerID: b.CustomerID, Role: b.Role, Status: b.Status, Department: b.Department,
		Metadata: json.RawMessage(b.Metadata),
	}
}

var updateUser = huma.Operation{
	OperationID: "updateUser", Tags: []string{"Users"},
	Summary: "Change a user",
	Description: "Changes the fields in the body and leaves other fields unchanged. `metadata` is replaced completely. " +
		"A change of `customerId` ends all credentials of the user, as `DELETE /v1/users/{userId}/credentials` does. The credentials " +
		"of a user who is not `active` stop working with the next request. Sessions and passkeys of such a user are deleted; API keys " +
		"and tokens work again when the user is `active` again. The last active admin can be neither " +
		"demoted nor deactivated.",
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed),
}

func (s *service) update(ctx context.Context, in *updateUserInput) (*UserOutput, error) {
	return s.change(ctx, in, in.change(false))
}

var patchUser = huma.Operation{
	OperationID: "patchUser", Tags: []string{"Users"},
	Summary: "Patch a user",
	Description: "Changes a user as `PUT` does, with a JSON Merge Patch (RFC 7396): `metadata` is merged into the current one, and a " +
		"member of it that is null is removed.",
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed),
}

func (s *service) patch(ctx context.Context, in *updateUserInput) (*UserOutput, error) {
	return s.change(ctx, in, in.change(true))
}

func (s *service) change(ctx context.Context, in *updateUserInput, change users.Change) (*UserOutput, error) {
	caller, _ := principal.From(ctx)
	target := versions.Target{ID: resource.CanonicalID(in.UserID), IfMatch: in.Wanted()}
	err := web.CheckReadOnly(in.Body, target, func() (any, int64, error) {
		stored, err := s.users.Get(ctx, caller, target.ID)
		return encodeUser(stored), stored.Version, err
	})
	if err != nil {
		return nil, err
	}
	user, err := s.users.Update(ctx, caller, target, change)
	if err != nil {
		return nil, err
	}
	return newUserOutput(user), nil
}

var signOutUser = huma.Operation{
	OperationID: "signOutUser", Tags: []string{"Users"},
	Summary: "Sign a user out everywhere", DefaultStatus: http.StatusNoContent,
	Description: "Ends all sessions of a user and deletes all passkeys, for example after a theft. The user can sign in again with a " +
		"mailed link. API keys and tokens continue to work. You cannot sign out a user whose role has more permissions than yours.",
	Errors: []int{http.StatusNotFound},
}

func (s *service) signOut(ctx context.Context, in *UserPath) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	return nil, s.users.End(ctx, caller, resource.CanonicalID(in.UserID), users.EndSessions)
}

var endCredentials = huma.Operation{
	OperationID: "endUserCredentials",
	Tags:        []string{"Users"},
	Summary:     "End all credentials of a user", DefaultStatus: http.StatusNoContent,
	Description: "Ends all sessions, API keys, tokens and passwords of a user, and deletes all passkeys. They stop working within seconds, " +
		"also those that are created meanwhile. The user can sign in again with a mailed link; to prevent that, set another status. " +
		"An invitation stays. You cannot end the credentials of a user whose role has more permissions than yours.",
	Errors: []int{http.StatusNotFound},
}

func (s *service) endCredentials(ctx context.Context, in *UserPath) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	return nil, s.users.End(ctx, caller, resource.CanonicalID(in.UserID), users.EndAll)
}

type deleteUserInput struct {
	UserPath
	resource.Condition
}

var deleteUser = huma.Operation{
	OperationID: "deleteUser", Tags: []string{"Users"},
	Summary: "Delete a user", DefaultStatus: http.StatusNoContent,
	Description: "Deletes a user and revokes all credentials of the user at once. Another user can then have the email address.",
	Errors:      []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed},
}

func (s *service) delete(ctx context.Context, in *deleteUserInput) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	return nil, s.users.Delete(ctx, caller, versions.Target{ID: resource.CanonicalID(in.UserID), IfMatch: in.Wanted()})
}

type activateUserInput struct {
	Body struct {
		Token string `json:"token" doc:"The part after # in the link from the mail." example:"psl_…"`
	}
}

// activatedUser is a user with a first API key, which only the response to the activation contains.
type activatedUser struct {
	User
	APIKey string `json:"apiKey" doc:"The user's first API key, shown only once." example:"psk_3vQB7B6MrGQZ_…"`
}

type activateUserOutput struct {
	Body struct {
		Data activatedUser `json:"data"`
	}
}

var activateUser = huma.Operation{
	OperationID: "activateUser", Tags: []string{"Users"},
	Summary: "Activate an account",
	Description: "Makes the user `active` and creates a first API key, `data.apiKey`, which only this response contains. The token of " +
		"an activation mail works once. It requires no other credential.",
	Errors: web.BodyErrors(),
}

func (s *service) activate(ctx context.Context, in *activateUserInput) (*activateUserOutput, error) {
	activated, err := s.inviter.Activate(ctx, in.Body.Token)
	if err != nil {
		return nil, err
	}
	out := &activateUserOutput{}
	out.Body.Data = activatedUser{User: encodeUser(activated.User), APIKey: activated.Key.Reveal()}
	return out, nil
}
