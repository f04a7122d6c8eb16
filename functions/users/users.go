package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"portside/shared/principal"
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
	Metadata    metadata               `json:"metadata" doc:"Whatever you keep with the user, as you wrote it." example:"{\"customerNumber\":\"C-1815\"}"`
}

// metadata is a JSON object that passes through as it was written, so that no number loses a digit.
type metadata json.RawMessage

// Schema implements huma.SchemaProvider.
func (metadata) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// MarshalJSON implements json.Marshaler.
func (m metadata) MarshalJSON() ([]byte, error) { return m, nil }

// UnmarshalJSON implements json.Unmarshaler.
func (m *metadata) UnmarshalJSON(b []byte) error { //nolint:unparam // the interface has it
	*m = append((*m)[:0], b...)
	return nil
}

func listForm(u users.User) ListedUser {
	return ListedUser{ID: u.ID, Email: u.Email, Name: u.Name, Role: u.Role, Status: u.Status, CreatedAt: u.CreatedAt}
}

func fullForm(u users.User) User {
	full := User{
		ListedUser: listForm(u), Department: u.Department, Permissions: u.Role.Permissions(),
		UpdatedAt: u.UpdatedAt, Metadata: metadata(u.Metadata),
	}
	if !u.LastLoginAt.IsZero() {
		full.LastLoginAt = &u.LastLoginAt
	}
	return full
}

// UserOutput is the answer with one user.
type UserOutput struct {
	ETag string `header:"ETag" doc:"Names this version of the user." example:"\"3\""`
	Body userBody
}

// userBody is the envelope of one user.
type userBody struct {
	Data User `json:"data"`
}

func newUserOutput(u users.User) *UserOutput {
	return &UserOutput{ETag: web.ETag(u.Version), Body: userBody{Data: fullForm(u)}}
}

type listUsersInput struct {
	Limit  int            `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"Users on a page."`
	Offset int64          `query:"offset" default:"0" minimum:"0" doc:"Users to pass over."`
	Role   principal.Role `query:"role" enum:"admin,manager,user,viewer" doc:"Only users of this role."`
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
	out.Body.Pagination = web.Paginate(page.Total, in.Limit, in.Offset)
	return out, nil
}

type createUserInput struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" pattern:"^[ -~]*$" patternDescription:"printable ASCII" doc:"Any text of your choice, new for each new user." example:"c0ffee-2026-03-02-ada"`
	Body           struct {
		Email               string         `json:"email" format:"email" doc:"Trimmed and lower-cased; unique." example:"ada@example.com"`
		Name                string         `json:"name" doc:"1 to 200 characters." example:"Ada Lovelace"`
		Role                principal.Role `json:"role" enum:"admin,manager,user,viewer" doc:"At most your own." example:"user"`
		Department          string         `json:"department,omitempty" doc:"At most 200 characters." example:"Analytical Engines"`
		SendActivationEmail *bool          `json:"sendActivationEmail,omitempty" default:"true" doc:"Whether to invite the user by mail."`
		Metadata            metadata       `json:"metadata,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; stored as you write it." example:"{\"customerNumber\":\"C-1815\"}"`
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
	ETag     string `header:"ETag" doc:"Names this version of the user." example:"\"1\""`
	Location string `header:"Location" doc:"Where the user is." example:"/v1/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Replayed string `header:"Idempotency-Replayed" enum:"true" doc:"Only where an earlier request with this Idempotency-Key made the user."`
	Body     userBody
}

func (s *service) create(ctx context.Context, in *createUserInput) (*createUserOutput, error) {
	caller, _ := principal.From(ctx)
	created, err := s.users.Create(ctx, users.Request{
		Caller: caller, IdempotencyKey: in.IdempotencyKey, BaseURL: s.portal(in.host),
	}, in.user())
	if err != nil {
		return nil, err
	}
	out := &createUserOutput{
		ETag: web.ETag(created.User.Version), Location: "/v1/users/" + created.User.ID,
		Body: userBody{Data: fullForm(created.User)},
	}
	if created.Replayed {
		out.Replayed = "true"
	}
	return out, nil
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

// canonical returns a UUID in the one spelling that is stored; it may be sent in any that RFC 9562 and its users know.
func canonical(id string) string {
	if parsed, err := uuid.Parse(id); err == nil {
		return parsed.String()
	}
	return id
}

func (s *service) get(ctx context.Context, in *UserPath) (*UserOutput, error) {
	user, err := s.users.Get(ctx, canonical(in.UserID))
	if err != nil {
		return nil, err
	}
	return newUserOutput(user), nil
}

type updateUserInput struct {
	UserID  string `path:"userId" format:"uuid" doc:"Id of the user." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	IfMatch string `header:"If-Match" pattern:"^(\\*|(W/)?\"[^\"]*\"( *, *(W/)?\"[^\"]*\")*)$" patternDescription:"entity tags in quotes, as ETag gives them, or *" doc:"Change only if the user still has this ETag; otherwise 412." example:"\"3\""`
	Body    struct {
		Name       *string         `json:"name,omitempty" doc:"1 to 200 characters." example:"Ada King"`
		Role       *principal.Role `json:"role,omitempty" enum:"admin,manager,user,viewer" doc:"At most your own; works from the user's next request on." example:"manager"`
		Department *string         `json:"department,omitempty" doc:"At most 200 characters; empty removes it." example:"Analytical Engines"`
		Status     *users.Status   `json:"status,omitempty" enum:"active,inactive,suspended" doc:"Any but active stops all of the user's credentials at once." example:"suspended"`
		Metadata   metadata        `json:"metadata,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; replaces what is there." example:"{\"customerNumber\":\"C-1815\"}"`
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
	user, err := s.users.Update(ctx, caller, users.Target{ID: canonical(in.UserID), If: web.IfMatch(in.IfMatch)}, in.change())
	if err != nil {
		return nil, err
	}
	return newUserOutput(user), nil
}

type deleteUserInput struct {
	UserID  string `path:"userId" format:"uuid" doc:"Id of the user." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	IfMatch string `header:"If-Match" pattern:"^(\\*|(W/)?\"[^\"]*\"( *, *(W/)?\"[^\"]*\")*)$" patternDescription:"entity tags in quotes, as ETag gives them, or *" doc:"Delete only if the user still has this ETag; otherwise 412." example:"\"3\""`
}

func (s *service) delete(ctx context.Context, in *deleteUserInput) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	return nil, s.users.Delete(ctx, caller, users.Target{ID: canonical(in.UserID), If: web.IfMatch(in.IfMatch)})
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
