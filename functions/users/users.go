package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/users"
	"portside/shared/web"
)

// ListedUser is a user in the list form. It is exported, like every struct that is embedded here, because huma passes
// over the fields of an embedded struct that is not.
type ListedUser struct {
	ID        string         `json:"id" format:"uuid" doc:"UUIDv7; never changes." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Email     string         `json:"email" format:"email" doc:"Lower-cased; no two users have the same." example:"ada@example.com"`
	Name      string         `json:"name" doc:"Of the person." example:"Ada Lovelace"`
	Role      principal.Role `json:"role" enum:"admin,manager,user,viewer" doc:"Says what the user may do; permissions lists it." example:"user"`
	Status    users.Status   `json:"status" enum:"pending,active,inactive,suspended" doc:"Only an active user's credentials work; pending waits for the activation." example:"active"`
	CreatedAt time.Time      `json:"createdAt" doc:"UTC." example:"2026-03-02T09:15:30.250Z"`
}

// User is a user in the full form.
type User struct {
	ListedUser
	Department  string                 `json:"department" doc:"Empty where none is known." example:"Analytical Engines"`
	LastLoginAt *time.Time             `json:"lastLoginAt" doc:"UTC; null before the first sign-in." example:"2026-03-09T07:45:00Z"`
	Permissions []principal.Permission `json:"permissions" doc:"What the role permits, sorted." example:"[\"capabilities:use\",\"projects:read\",\"projects:write\",\"users:read\"]"`
	UpdatedAt   time.Time              `json:"updatedAt" doc:"UTC; of the last change." example:"2026-03-02T09:15:30.250Z"`
	Metadata    web.Object             `json:"metadata" doc:"Whatever you keep with the user, as you wrote it." example:"{\"customerNumber\":\"C-1815\"}"`
}

func listForm(u users.User) ListedUser {
	return ListedUser{ID: u.ID, Email: u.Email, Name: u.Name, Role: u.Role, Status: u.Status, CreatedAt: u.CreatedAt}
}

func fullForm(u users.User) User {
	full := User{
		ListedUser: listForm(u), Department: u.Department, Permissions: u.Role.Permissions(),
		UpdatedAt: u.UpdatedAt, Metadata: web.Object(u.Metadata),
	}
	if !u.LastLoginAt.IsZero() {
		full.LastLoginAt = &u.LastLoginAt
	}
	return full
}

// UserOutput is the answer with one user.
type UserOutput struct {
	web.Version
	Body userBody
}

// userBody is the envelope of one user.
type userBody struct {
	Data User `json:"data"`
}

func newUserOutput(u users.User) *UserOutput {
	return &UserOutput{Version: web.VersionOf(u.Version), Body: userBody{Data: fullForm(u)}}
}

type listUsersInput struct {
	web.Paging
	Role principal.Role `query:"role" enum:"admin,manager,user,viewer" doc:"Only users of this role."`
}

type listUsersOutput struct {
	Body struct {
		Data       []ListedUser   `json:"data"`
		Pagination web.Pagination `json:"pagination"`
	}
}

func (s *service) list(ctx context.Context, in *listUsersInput) (*listUsersOutput, error) {
	page, err := s.users.List(ctx, users.Query{Role: in.Role, Limit: in.Limit, Offset: in.Offset})
	if err != nil {
		return nil, err
	}
	out := &listUsersOutput{}
	out.Body.Data = make([]ListedUser, len(page.Users))
	for i, u := range page.Users {
		out.Body.Data[i] = listForm(u)
	}
	out.Body.Pagination = in.Pagination(page.Total)
	return out, nil
}

type createUserInput struct {
	web.Idempotency
	Body struct {
		Email               string         `json:"email" format:"email" doc:"Trimmed and lower-cased; unique." example:"ada@example.com"`
		Name                string         `json:"name" doc:"1 to 200 characters." example:"Ada Lovelace"`
		Role                principal.Role `json:"role" enum:"admin,manager,user,viewer" doc:"At most your own." example:"user"`
		Department          string         `json:"department,omitempty" doc:"At most 200 characters." example:"Analytical Engines"`
		SendActivationEmail *bool          `json:"sendActivationEmail,omitempty" default:"true" doc:"Whether to invite the user by mail."`
		Metadata            web.Object     `json:"metadata,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; stored as you write it." example:"{\"customerNumber\":\"C-1815\"}"`
	}
	host string
}

// Resolve implements huma.Resolver: it adds the domain's failures to those of the schema, and notes the host.
func (in *createUserInput) Resolve(ctx huma.Context) []error {
	in.host = ctx.Host()
	return web.Failures(in.user().Check())
}

func (in *createUserInput) user() users.NewUser {
	b := in.Body
	return users.NewUser{
		Email: b.Email, Name: b.Name, Role: b.Role, Department: b.Department, Metadata: json.RawMessage(b.Metadata),
		ActivationEmail: b.SendActivationEmail == nil || *b.SendActivationEmail,
	}
}

type createUserOutput struct {
	web.Version
	web.Creation
	Body userBody
}

func (s *service) create(ctx context.Context, in *createUserInput) (*createUserOutput, error) {
	caller, _ := principal.From(ctx)
	created, err := s.users.Create(ctx, users.CreateOptions{
		Caller: caller, IdempotencyKey: in.IdempotencyKey, BaseURL: s.portal(in.host),
	}, in.user())
	if err != nil {
		return nil, err
	}
	return &createUserOutput{
		Version:  web.VersionOf(created.User.Version),
		Creation: web.CreatedAt("/v1/users/"+created.User.ID, created.Replayed),
		Body:     userBody{Data: fullForm(created.User)},
	}, nil
}

// portal is the address that mailed links begin with.
func (s *service) portal(host string) string {
	if s.baseURL != "" {
		return s.baseURL
	}
	return "https://" + host
}

// UserPath is the path of one user.
type UserPath struct {
	UserID string `path:"userId" format:"uuid" doc:"Id of the user." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
}

func (s *service) get(ctx context.Context, in *UserPath) (*UserOutput, error) {
	user, err := s.users.Get(ctx, web.CanonicalID(in.UserID))
	if err != nil {
		return nil, err
	}
	return newUserOutput(user), nil
}

type updateUserInput struct {
	UserPath
	web.Condition
	Body struct {
		Name       *string         `json:"name,omitempty" doc:"1 to 200 characters." example:"Ada King"`
		Role       *principal.Role `json:"role,omitempty" enum:"admin,manager,user,viewer" doc:"At most your own; works from the user's next request on." example:"manager"`
		Department *string         `json:"department,omitempty" doc:"At most 200 characters; empty removes it." example:"Analytical Engines"`
		Status     *users.Status   `json:"status,omitempty" enum:"active,inactive,suspended" doc:"Any but active stops all of the user's credentials at once." example:"suspended"`
		Metadata   web.Object      `json:"metadata,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; replaces what is there." example:"{\"customerNumber\":\"C-1815\"}"`
	}
}

// Resolve implements huma.Resolver.
func (in *updateUserInput) Resolve(huma.Context) []error { return web.Failures(in.change().Check()) }

func (in *updateUserInput) change() users.Change {
	b := in.Body
	return users.Change{
		Name: b.Name, Role: b.Role, Status: b.Status, Department: b.Department, Metadata: json.RawMessage(b.Metadata),
	}
}

func (s *service) update(ctx context.Context, in *updateUserInput) (*UserOutput, error) {
	caller, _ := principal.From(ctx)
	user, err := s.users.Update(ctx, caller, versions.Target{ID: web.CanonicalID(in.UserID), IfMatch: in.Wanted()}, in.change())
	if err != nil {
		return nil, err
	}
	return newUserOutput(user), nil
}

type deleteUserInput struct {
	UserPath
	web.Condition
}

func (s *service) delete(ctx context.Context, in *deleteUserInput) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	return nil, s.users.Delete(ctx, caller, versions.Target{ID: web.CanonicalID(in.UserID), IfMatch: in.Wanted()})
}

type activateUserInput struct {
	Body struct {
		Token string `json:"token" doc:"What stands behind the # of the mailed address." example:"psl_…"`
	}
}

// activatedUser is a user in the full form, with what only the activation shows.
type activatedUser struct {
	User
	APIKey string `json:"apiKey" doc:"The user's first API key, shown this once." example:"psk_3vQB7B6MrGQZ_…"`
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
	out.Body.Data = activatedUser{User: fullForm(activated.User), APIKey: activated.Key.Reveal()}
	return out, nil
}
