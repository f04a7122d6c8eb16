// Package principal defines the authenticated caller and what the caller may do.
//
// shared/web authenticates a credential and puts the [Principal] into the context; domains take it as an argument if a rule
// depends on the caller. Roles and permissions are part of the public API: a permission has the form resource:action, and a
// role is a named set of permissions.
package principal

import (
	"context"
	"slices"
)

// Permission permits one action on one kind of resource.
type Permission string

// The permissions. No permission implies another.
const (
	UsersRead          Permission = "users:read"
	UsersWrite         Permission = "users:write" // create and update, but not delete
	UsersDelete        Permission = "users:delete"
	ProjectsRead       Permission = "projects:read"
	ProjectsWrite      Permission = "projects:write"
	ProjectsDelete     Permission = "projects:delete"
	AnalyticsRead      Permission = "analytics:read"
	CapabilitiesUse    Permission = "capabilities:use"
	TokensRead         Permission = "tokens:read"
	TokensWrite        Permission = "tokens:write"
	CredentialsApprove Permission = "credentials:approve" // but not one's own request
	APIKeysWrite       Permission = "api-keys:write"      // keys of other users; one's own keys need no permission
)

// Role is a named set of permissions.
type Role string

// The roles, in descending order of their permissions.
const (
	Admin   Role = "admin"
	Manager Role = "manager"
	User    Role = "user"
	Viewer  Role = "viewer"
)

// Roles returns all roles, in the order in which the API and counters list them.
func Roles() []Role { return []Role{Admin, Manager, User, Viewer} }

// permissionsOf has the permissions of each role, sorted, because the API shows them in this order.
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

// Permissions returns the permissions of r, sorted; none for an unknown role. The caller may change the slice.
func (r Role) Permissions() []Permission { return slices.Clone(permissionsOf[r]) }

// Permits reports whether r includes p.
func (r Role) Permits(p Permission) bool { return slices.Contains(permissionsOf[r], p) }

// Covers reports whether r has all permissions of other. It is false if other is unknown.
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
	Role         Role    // empty for a token or password, which have no permissions
	Scopes       []Scope // of a token or password; empty for an API key
	CredentialID string  // public ID of the credential, safe to log
	IssuedBy     string  // ID of the other user who created the credential and may still have it; empty if its owner created it
}

// CouldBe reports whether the caller could be the user with the ID: the credential belongs to the user, or the user created
// it for somebody else. A rule that requires two people to agree needs callers that could not be the same user.
func (p Principal) CouldBe(userID string) bool { return p.UserID == userID || p.IssuedBy == userID }

// Scoped reports whether the caller uses a token or password, which permits what its scopes cover and nothing else.
func (p Principal) Scoped() bool { return p.Role == "" }

// Can reports whether the caller has the permission.
func (p Principal) Can(permission Permission) bool { return p.Role.Permits(permission) }

// Operator returns the principal of the operator's command line, which accesses the tables directly.
func Operator() Principal { return Principal{UserID: "operator", Role: Admin} }

type contextKey struct{}

// With returns a context that carries p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// From returns the caller from ctx; false if the route is public.
func From(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)
	return p, ok
}
