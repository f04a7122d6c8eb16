// Package principal defines the caller of a request and its permissions.
//
// shared/web turns a credential into a [Principal] and puts it into the context. Domains take it as
// an argument if a rule depends on the caller. A permission reads resource:action, and a role is a
// named set of permissions. Both are part of the published API.
package principal

import (
	"context"
	"slices"
	"time"

	"portside/shared/core/entitlement"
)

// Permission is the right to perform one action on one kind of resource.
type Permission string

// All permissions. Holding one never implies another.
const (
	UsersRead          Permission = "users:read"
	UsersWrite         Permission = "users:write" // create and update, but not delete
	UsersDelete        Permission = "users:delete"
	CustomersRead      Permission = "customers:read"
	CustomersWrite     Permission = "customers:write"
	CustomersDelete    Permission = "customers:delete"
	ProjectsRead       Permission = "projects:read"
	ProjectsWrite      Permission = "projects:write"
	ProjectsDelete     Permission = "projects:delete"
	AnalyticsRead      Permission = "analytics:read"
	CapabilitiesUse    Permission = "capabilities:use"
	TokensRead         Permission = "tokens:read"
	TokensWrite        Permission = "tokens:write"
	CredentialsApprove Permission = "credentials:approve" // never for one's own request
	APIKeysWrite       Permission = "api-keys:write"      // other people's keys; one's own need no permission
	AuditRead          Permission = "audit:read"
)

// Role is a named set of permissions.
type Role string

// The roles, from the most to the fewest permissions.
const (
	Admin   Role = "admin"
	Manager Role = "manager"
	User    Role = "user"
	Viewer  Role = "viewer"
)

// Roles returns every role in the order in which documents and counters show them.
func Roles() []Role { return []Role{Admin, Manager, User, Viewer} }

// permissionsOf has the permissions of each role, sorted, because responses show them in this
// order.
var permissionsOf = map[Role][]Permission{
	Admin: sorted(UsersRead, UsersWrite, UsersDelete, CustomersRead, CustomersWrite, CustomersDelete, ProjectsRead,
		ProjectsWrite,
		ProjectsDelete, AnalyticsRead, CapabilitiesUse, TokensRead, TokensWrite, CredentialsApprove, APIKeysWrite, AuditRead),
	Manager: sorted(UsersRead, UsersWrite, CustomersRead, CustomersWrite, ProjectsRead, ProjectsWrite, ProjectsDelete,
		AnalyticsRead,
		CapabilitiesUse, TokensRead, TokensWrite, AuditRead),
	User:   sorted(UsersRead, CustomersRead, ProjectsRead, ProjectsWrite, CapabilitiesUse),
	Viewer: sorted(UsersRead, CustomersRead, ProjectsRead, AnalyticsRead),
}

func sorted(p ...Permission) []Permission {
	slices.Sort(p)
	return p
}

// Known reports whether r is one of Roles.
func (r Role) Known() bool { return permissionsOf[r] != nil }

// Permissions returns a new slice of what r permits, sorted. It is empty for an unknown role.
func (r Role) Permissions() []Permission { return slices.Clone(permissionsOf[r]) }

// Permits reports whether r includes p.
func (r Role) Permits(p Permission) bool { return slices.Contains(permissionsOf[r], p) }

// Covers reports whether r permits everything that other permits. No role covers an unknown one.
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
	CustomerID   string  // the user's customer; empty for the vendor's staff
	Role         Role    // empty for a token or password, which have no permissions
	Scopes       []Scope // of a token or password; empty for an API key or a session
	CredentialID string  // public id of the credential; may appear in logs
	Workload     bool    // the credential is a token that was exchanged for one of a workload; UserID is then the ID of the trust policy
	Makers       []Maker // of the credential, the nearest first; empty if a sign-in or the service created it

	Generation int64 // of the credential; see credentials.Credential

	SessionID       string    // public id of the session, which is also the CredentialID; empty for other credentials
	AuthenticatedAt time.Time // when the person of the session proved who they are; zero if unknown, or without a session
	MustSignInAgain bool      // the session is too old to create secrets and decide on requests; false without a session

	Token Token // of an access token; zero for other credentials

	// Entitled are the entitlements of the customer that are in effect, of a token or password; empty for other
	// credentials. See Entitlements.
	Entitled entitlement.Set
}

// Token says how an access token can be renewed.
type Token struct {
	CreatedAt, ExpiresAt time.Time
	Line                 string    // public id of the first token of its line of renewals
	LineEndsAt           time.Time // no token of the line works longer; zero if the token cannot renew itself
}

// Scoped reports whether the caller authenticated with a token or password, and so may do only what
// its scopes allow.
func (p Principal) Scoped() bool { return p.Role == "" }

// Can reports whether the caller's role includes the permission. For another person's resource, call CanFor or
// CanForAll.
func (p Principal) Can(permission Permission) bool { return p.Role.Permits(permission) }

// Credential is what a transaction on behalf of a caller must know of the credential, which must still work.
type Credential struct {
	ID         string // public id
	CustomerID string // the user's customer; empty for the vendor's staff
	Generation int64
}

// Credential returns the credential of the caller.
func (p Principal) Credential() Credential {
	return Credential{ID: p.CredentialID, CustomerID: p.CustomerID, Generation: p.Generation}
}

// Operator is the principal of the operator's command, which accesses the tables directly.
func Operator() Principal { return Principal{UserID: operatorID, Role: Admin} }

// IsOperator reports whether p is the operator's command.
func (p Principal) IsOperator() bool { return p.UserID == operatorID }

// operatorID is not the id of a user.
const operatorID = "operator"

type contextKey struct{}

// With returns a context that carries p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// From returns the caller in ctx, or false if the route is public.
func From(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)
	return p, ok
}
