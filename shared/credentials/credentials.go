// Package credentials defines API keys, tokens, passwords, one-time links and sessions, and authenticates
// the callers who present them.
//
// All kinds share one format ([Secret]) and one record ([Credential]); they differ in how they are
// sent and in their permissions. Three rules always hold. Only a hash is stored. Every failure looks the
// same to the client. A credential carries the role and status of its owner, which change in the
// same transaction as the owner, so that authentication needs one read and a suspension takes
// effect with the next request.
//
// Several domains build on this package: their stores put writes to credentials into their own
// transactions.
package credentials

import (
	"errors"
	"fmt"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

const unauthorized = "The request has no working credential. Send a valid API key in X-API-Key, or, where it is documented, " +
	"an access token as Bearer; in the portal, sign in. Credentials that are expired, revoked, mistyped, of an inactive user " +
	"or of a suspended customer do not work."

// The errors of authentication.
var (
	// ErrUnauthorized covers every failure, so that a client learns nothing by trying.
	ErrUnauthorized = fault.New(fault.Unauthorized, unauthorized)
	// ErrDailyQuota comes with the time until the next day.
	ErrDailyQuota = fault.New(fault.QuotaExceeded, fmt.Sprintf("%d credentials of this kind were already created for the user today, "+
		"which is the maximum. Wait until tomorrow (UTC).", MaxDaily))
	// ErrUnknown means that the store has no credential with the id.
	ErrUnknown = errors.New("credentials: no such credential")
)

// MaxLive is how many credentials of one owner may work at the same time, without sessions. Together with MaxSessions,
// it bounds the transaction that changes an owner's role or status, because DynamoDB allows 100 items in one.
const MaxLive = 50

// MaxDaily is how many tokens, and how many API keys, can be created for an owner on one day (UTC), whether they still
// work or not. It bounds the list of tokens, which keeps each one for Retention, and the work that a user can cause.
const MaxDaily = 100

// Credential is the stored record. It does not contain the secret.
type Credential struct {
	ID         string
	Kind       Kind
	Hash       []byte // SHA-256 of the whole text
	Owner      Owner
	Name       string
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero if it does not expire
	RevokedAt  time.Time // zero if it is not revoked
	LastUsedAt time.Time // rounded down to LastUseResolution; zero if it was never used, except for a session, whose creation is a use
	RateLimit  int       // requests per minute; 0 means the service's default

	// AuthenticatedAt is, for a session, when its person proved who they are: at its creation, or earlier at an
	// identity provider. Zero if the provider does not say it.
	AuthenticatedAt time.Time

	Scopes      []string // what a token or password may fetch; empty for other kinds
	Username    string   // of a password; empty for other kinds
	RotatedFrom string   // id of the token that created this one; empty if none did

	// Line is the id of the first token of the line of renewals of a token, and LineEndsAt is when all tokens of the
	// line have expired. They are empty for other kinds, and for tokens that cannot renew themselves.
	Line       string
	LineEndsAt time.Time

	Reason string // of the revocation; empty while it is not revoked

	// Exchanged is true for a token that a workload got for a token of its platform; see package trust. The owner is
	// the trust policy, and no user. The token is not listed, not counted, and cannot be renewed, and causes no mails.
	Exchanged bool

	// Generation is how often all credentials of the owner's customer had ended when this one was created, or the one
	// on whose behalf it was created. When they end the next time, this one has ended, too, whatever the clocks say. It
	// is 0 for the vendor's staff.
	Generation int64

	// Makers are who created the credential and with which credential, then the same of that credential, and so on up
	// to a sign-in or a mailed link. The chain never changes. It is empty if a sign-in or the service created the
	// credential.
	Makers []principal.Maker
}

// principal returns the caller that the credential authenticates at the given time. For an API key or a session, the
// caller has the owner's role; otherwise, the credential's scopes.
func (c Credential) principal(at time.Time) principal.Principal {
	who := principal.Principal{
		UserID: c.Owner.ID, CustomerID: c.Owner.CustomerID, CredentialID: c.ID, Generation: c.Generation, Makers: c.Makers,
		Workload: c.Exchanged,
	}
	if c.Kind == Session {
		who.SessionID, who.AuthenticatedAt = c.ID, c.AuthenticatedAt
		who.MustSignInAgain = !at.Before(c.RecentUntil())
	}
	if c.Kind == APIKey || c.Kind == Session {
		who.Role = c.Owner.Role
	} else {
		who.Scopes = make([]principal.Scope, len(c.Scopes))
		for i, scope := range c.Scopes {
			who.Scopes[i] = principal.Scope(scope)
		}
		who.Token = principal.Token{CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt, Line: c.Line, LineEndsAt: c.LineEndsAt}
	}
	return who
}

// Owner is the user of a credential, as of the owner's last change.
type Owner struct {
	ID         string
	CustomerID string // the user's customer; empty for the vendor's staff
	Role       principal.Role
	Active     bool
}

// OwnerOf returns a person as the owner of credentials.
func OwnerOf(p principal.Person) Owner {
	return Owner{ID: p.ID, CustomerID: p.CustomerID, Role: p.Role, Active: p.Active}
}

// LastUseResolution is the resolution of LastUsedAt, which changes at most once in this time.
const LastUseResolution = 5 * time.Minute

// Works reports whether the credential is accepted at the given time.
func (c Credential) Works(at time.Time) bool {
	return c.Owner.Active && c.Live(at)
}

// Fetches reports whether the credential is of a kind that fetches charts and images.
func (c Credential) Fetches() bool { return c.Kind == AccessToken || c.Kind == Password }

// Live reports whether the credential is neither revoked nor expired, and whether a session was used recently enough.
// The owner's status does not matter.
func (c Credential) Live(at time.Time) bool {
	return c.IsOpen(at) && (c.Kind != Session || at.Before(c.LastUsedAt.Add(SessionIdle)))
}

// IsOpen reports whether the credential is neither revoked nor expired. Unlike Live, it does not depend on the last
// use.
func (c Credential) IsOpen(at time.Time) bool {
	return c.RevokedAt.IsZero() && (c.ExpiresAt.IsZero() || at.Before(c.ExpiresAt))
}

// EndsLine reports whether a token works until its line of renewals ends, so that it cannot be renewed.
func (c Credential) EndsLine() bool {
	return !c.LineEndsAt.IsZero() && !c.ExpiresAt.Before(c.LineEndsAt)
}

// Retention is how long a revoked or expired credential is kept for audit. Databases delete later,
// so a record may exist longer; see IsRetained.
const Retention = 90 * 24 * time.Hour

// IsRetained reports whether the credential is still shown: until Retention after its revocation or
// expiry.
func (c Credential) IsRetained(at time.Time) bool {
	ended := c.RevokedAt
	if ended.IsZero() {
		ended = c.ExpiresAt
	}
	return ended.IsZero() || at.Before(ended.Add(Retention))
}
