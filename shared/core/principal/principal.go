// Package principal says who is calling and what they may do.
//
// The edges (shared/web) turn a credential into a [Principal] and put it on the context; domains take it as an argument
// where a rule depends on the caller. Roles and permissions are those of the published contract; a permission reads
// resource:action, and a role is nothing but a named set of them.
package principal

import (
	"context"
	"slices"
)

// Permission is the right to do one action on one kind of resource.
type Permission string

// Every permission that exists. Holding one never implies another.
const (
	UsersRead          Permission = "users:read"
	UsersWrite         Permission = "users:write" // create and update; not delete
	UsersDelete        Permission = "users:delete"
	ProjectsRead       Permission = "projects:read"
	ProjectsWrite      Permission = "projects:write"
	ProjectsDelete     Permission = "projects:delete"
	AnalyticsRead      Permission = "analytics:read"
	CapabilitiesUse    Permission = "capabilities:use"
	TokensRead         Permission = "tokens:read"
	TokensWrite        Permission = "tokens:write"
	CredentialsApprove Permission = "credentials:approve" // never one's own request
	APIKeysWrite       Permission = "api-keys:write"      // other people's keys; one's own need no permission
)

// Role is a named set of permissions.
type Role string

// The roles, from most to least.
const (
	Admin   Role = "admin"
	Manager Role = "manager"
	User    Role = "user"
	Viewer  Role = "viewer"
)

// Roles lists every role in the order in which documents and counters show them.
func Roles() []Role { return []Role{Admin, Manager, User, Viewer} }

// permissionsOf holds each role's permissions, sorted: users show them in this order.
var permissionsOf = map[Role][]Permission{
	Admin: sorted(UsersRead, UsersWrite, UsersDelete, ProjectsRead, ProjectsWrite, ProjectsDelete, AnalyticsRead,
		CapabilitiesUse, TokensRead, TokensWrite, CredentialsApprove, APIKeysWrite),
	Manager: sorted(UsersRead, UsersWrite, ProjectsRead, ProjectsWrite, ProjectsDelete, AnalyticsRead,
		CapabilitiesUse, TokensRead, TokensWrite),
	User:   sorted(UsersRead, ProjectsRead, ProjectsWrite, CapabilitiesUse),
	Viewer: sorted(UsersRead, ProjectsRead, AnalyticsRead),
}

func sorted(p ...Permission) []Permission {
	slices.Sort(p)
	return p
}

// Known reports whether r is one of Roles.
func (r Role) Known() bool { return permissionsOf[r] != nil }

// Permissions returns what r permits, sorted; nothing for an unknown role. The slice is the caller's.
func (r Role) Permissions() []Permission { return slices.Clone(permissionsOf[r]) }

// Permits reports whether r includes p.
func (r Role) Permits(p Permission) bool { return slices.Contains(permissionsOf[r], p) }

// Covers reports whether r permits everything that other permits. An unknown role is covered by none.
func (r Role) Covers(other Role) bool {
	if !other.Known() {
		return false
	}
	for _, p := range permissionsOf[other] {
		if !r.Permits(p) {
			return false
		}
	}
	return true
}

// Principal is an authenticated caller.
type Principal struct {
	UserID       string
	Role         Role    // empty for a token or password, which hold no permissions
	Scopes       []Scope // of a token or password; none for an API key
	CredentialID string  // public id of the credential, fit for logs and audit
	IssuedBy     string  // id of another user who made the credential, and may still have it; empty: nobody else
}

// MayBe reports whether the person behind the caller may be the user with the id: it is that user's credential, or one that
// this user made for somebody else. Where two people have to agree, either is one too few.
func (p Principal) MayBe(userID string) bool { return p.UserID == userID || p.IssuedBy == userID }

// Scoped reports whether the caller came with a token or password, and so may do what its scopes say and nothing else.
func (p Principal) Scoped() bool { return p.Role == "" }

// Can reports whether the caller holds p.
func (p Principal) Can(permission Permission) bool { return p.Role.Permits(permission) }

// Operator is the principal of the operator's own command, which holds the table keys themselves.
func Operator() Principal { return Principal{UserID: "operator", Role: Admin} }

type contextKey struct{}

// With returns a context that carries p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// From returns the caller of ctx; false where the route is public.
func From(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)
	return p, ok
}
