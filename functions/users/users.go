package main

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
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

type listUsersInput struct {
	web.Paging
	CustomerID string         `query:"customerId" format:"uuid" doc:"Only users of this customer." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	Role       principal.Role `query:"role" enum:"admin,manager,user,viewer" doc:"Only users with this role."`
	Status     users.Status   `query:"status" enum:"pending,active,inactive,suspended" doc:"Only users with this status."`
	Email      string         `query:"email" maxLength:"320" doc:"Only the user with exactly this email address, in upper or lower case." example:"ada@example.com"`
	IDs        []string       `query:"ids" maxItems:"100" format:"uuid" doc:"Only the users with these IDs, separated by commas; unknown IDs are left out. Cannot be combined with other parameters." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
}

// Resolve implements huma.Resolver.
func (in *listUsersInput) Resolve(huma.Context) []error {
	if len(in.IDs) > 0 && (in.CustomerID != "" || in.Role != "" || in.Status != "" || in.Email != "" || in.Offset != 0 ||
		in.Cursor != "") {
		const detail = "cannot be combined with customerId, role, status, email, offset or cursor"
		return web.Failures([]fault.Field{{Pointer: "query/ids", Detail: detail}})
	}
	return nil
}

// query returns the query of the input. With ids, the page has all of them. Errors: those of web.Paging.After.
func (in *listUsersInput) query() (users.Query, error) {
	after, err := in.After()
	query := users.Query{
		CustomerID: in.CustomerID, Role: in.Role, Status: in.Status, Email: in.Email, Limit: in.Limit, Offset: in.Offset,
		After: after,
	}
	for _, id := range in.IDs {
		if id = resource.CanonicalID(id); !slices.Contains(query.IDs, id) {
			query.IDs = append(query.IDs, id)
		}
	}
	return query, err
}

type listUsersOutput struct {
	Body struct {
		Data       []ListedUser   `json:"data"`
		Pagination web.Pagination `json:"pagination"`
	}
}

func (s *service) list(ctx context.Context, in *listUsersInput) (*listUsersOutput, error) {
	query, err := in.query()
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	page, err := s.users.List(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	out := &listUsersOutput{}
	out.Body.Data = make([]ListedUser, len(page.Users))
	for i, u := range page.Users {
		out.Body.Data[i] = encodeListedUser(u)
	}
	out.Body.Pagination = in.Pagination(page.Total, page.Next)
	if in.IDs != nil {
		out.Body.Pagination.Limit = users.MaxLimit
	}
	return out, nil
}

type searchUsersInput struct {
	web.SearchPaging
	CustomerID string `query:"customerId" format:"uuid" doc:"Only users of this customer." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
}

type searchUsersOutput struct {
	Body struct {
		Data       []ListedUser         `json:"data"`
		Pagination web.CursorPagination `json:"pagination"`
	}
}

func (s *service) search(ctx context.Context, in *searchUsersInput) (*searchUsersOutput, error) {
	query, err := in.Query()
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	page, err := s.users.Search(ctx, caller, in.CustomerID, query)
	if err != nil {
		return nil, err
	}
	out := &searchUsersOutput{}
	out.Body.Data = make([]ListedUser, len(page.Users))
	for i, u := range page.Users {
		out.Body.Data[i] = encodeListedUser(u)
	}
	out.Body.Pagination = in.Pagination(page.Next)
	return out, nil
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

func (s *service) update(ctx context.Context, in *updateUserInput) (*UserOutput, error) {
	return s.change(ctx, in, in.change(false))
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

func (s *service) signOut(ctx context.Context, in *UserPath) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	return nil, s.users.End(ctx, caller, resource.CanonicalID(in.UserID), users.EndSessions)
}

func (s *service) endCredentials(ctx context.Context, in *UserPath) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	return nil, s.users.End(ctx, caller, resource.CanonicalID(in.UserID), users.EndAll)
}

type deleteUserInput struct {
	UserPath
	resource.Condition
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

func (s *service) activate(ctx context.Context, in *activateUserInput) (*activateUserOutput, error) {
	activated, err := s.inviter.Activate(ctx, in.Body.Token)
	if err != nil {
		return nil, err
	}
	out := &activateUserOutput{}
	out.Body.Data = activatedUser{User: encodeUser(activated.User), APIKey: activated.Key.Reveal()}
	return out, nil
}
