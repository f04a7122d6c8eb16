// Package credentials knows what API keys, tokens, passwords and one-time links look like, and tells who presents one.
//
// All kinds share one format ([Secret]) and one record ([Credential]); what differs is how they are sent and what they
// may do. Three things always hold: only a hash is stored; every failure looks the same from outside; and a credential
// carries its owner's role and standing itself, changed in the same transaction as the owner's, so that one read tells
// all and a suspension works from the very next request.
//
// Like rank, it is a part that several domains build on: their stores put credential writes into their own transactions.
package credentials

import (
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

const unauthorized = "The request has no working credential. Send a valid API key in X-API-Key, or, where it is documented, " +
	"an access token as Bearer; those that are expired, revoked, mistyped or of an inactive user do not work."

// The ways in which a credential is refused.
var (
	// ErrUnauthorized covers every failure alike, so that nothing can be learned by trying.
	ErrUnauthorized = fault.New(fault.Unauthorized, unauthorized)
	// ErrRateLimited comes with an Allowance that says when to come back.
	ErrRateLimited = fault.New(fault.RateLimited,
		"This credential has used up its requests for the current minute; wait for Retry-After seconds.")
	// ErrUnknown is what a store says of an id that it does not have.
	ErrUnknown = errors.New("credentials: no such credential")
)

// MaxLive is how many credentials of one owner may work at the same time. It bounds the transaction that changes an
// owner's role or standing: DynamoDB takes 100 items in one.
const MaxLive = 50

// MaxDaily is how many tokens of one owner may be made on one day (UTC), whether they still work or not. Whatever is made
// stays listed for Retention.
const MaxDaily = 100

// Credential is the stored record. It never holds the secret.
type Credential struct {
	ID         string
	Kind       Kind
	Hash       []byte // SHA-256 of the whole text
	Owner      Owner
	Name       string
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: does not expire
	RevokedAt  time.Time // zero: not revoked
	LastUsedAt time.Time // zero: never used; rounded down to LastUseStep
	RateLimit  int       // requests a minute; 0: the service's default

	Scopes      []string // what a token or password may fetch; none for other kinds
	Username    string   // that a password belongs to; empty for other kinds
	RotatedFrom string   // id of the token that this one was made with; empty: none
	Reason      string   // why it was revoked; empty while it is not
	IssuedBy    string   // id of the user who made it for somebody else; empty: the owner or the service itself
}

// principal is whom the credential speaks for: with the role of its owner if it is an API key, otherwise with its scopes.
func (c Credential) principal() principal.Principal {
	who := principal.Principal{UserID: c.Owner.ID, CredentialID: c.ID, IssuedBy: c.IssuedBy}
	if c.Kind == APIKey {
		who.Role = c.Owner.Role
	} else {
		who.Scopes = make([]principal.Scope, len(c.Scopes))
		for i, scope := range c.Scopes {
			who.Scopes[i] = principal.Scope(scope)
		}
	}
	return who
}

// Owner is the user whom a credential acts for, as of the owner's last change.
type Owner struct {
	ID     string
	Role   principal.Role
	Active bool
}

// LastUseStep is the resolution of LastUsedAt: it changes at most this often.
const LastUseResolution = 5 * time.Minute

// Works reports whether the credential is accepted at the given time.
func (c Credential) Works(at time.Time) bool {
	return c.Owner.Active && c.Live(at)
}

// Live reports whether the credential is neither revoked nor expired; its owner's standing does not matter.
func (c Credential) Live(at time.Time) bool {
	return c.RevokedAt.IsZero() && (c.ExpiresAt.IsZero() || at.Before(c.ExpiresAt))
}

// Retention is how long a revoked or expired credential is kept for audit. Its record may outlive that, since databases
// remove in their own time; see Kept.
const Retention = 90 * 24 * time.Hour

// Kept reports whether the credential is still to be shown: until Retention after it was revoked, or has expired.
func (c Credential) IsRetained(at time.Time) bool {
	ended := c.RevokedAt
	if ended.IsZero() {
		ended = c.ExpiresAt
	}
	return ended.IsZero() || at.Before(ended.Add(Retention))
}

// Store is where credentials are looked up when they are presented.
type Store interface {
	// Get returns the credential with this id, strongly consistent; ErrUnknown if there is none.
	Get(ctx context.Context, id string) (Credential, error)
	// Use counts one request in the minute of at, notes the use, and returns the credential and how many requests
	// that minute has had, this one included. One atomic call; ErrUnknown if there is no credential with this id and
	// hash, so that somebody who knows only the public id cannot use up its allowance.
	CountRequest(ctx context.Context, id string, hash []byte, at time.Time) (Credential, int, error)
	// Touch notes a use without counting it.
	RecordUse(ctx context.Context, id string, at time.Time) error
}

// Allowance is a credential's rate limit as of one request.
type Allowance struct {
	Limit     int           // requests a minute; 0: not limited
	Remaining int           // left in the current minute
	Reset     time.Duration // until the next minute begins, 1 s to 60 s
}

// Authenticator tells who presents a credential.
type Authenticator struct {
	store Store
	limit int
	now   func() time.Time
}

// NewAuthenticator returns an Authenticator with a default limit of requests a minute for each credential; 0 turns
// limiting off.
func NewAuthenticator(store Store, limit int, now func() time.Time) *Authenticator {
	return &Authenticator{store: store, limit: limit, now: now}
}

// Authenticate returns who presents the text, which must be of one of the given kinds. It costs no storage call for
// garbage and exactly one otherwise (two, every LastUseStep, where limiting is off). Errors: ErrUnauthorized, and
// ErrRateLimited with the allowance.
func (a *Authenticator) Authenticate(ctx context.Context, text string, kinds ...Kind) (principal.Principal, Allowance, error) {
	found, allowance, err := a.authenticate(ctx, text, kinds)
	if err != nil {
		return principal.Principal{}, allowance, err
	}
	return found.principal(), allowance, nil
}

// AuthenticateBasic is Authenticate for HTTP Basic: a token with any user name, or a password with exactly its own.
func (a *Authenticator) AuthenticateBasic(ctx context.Context, username, text string) (principal.Principal, Allowance, error) {
	found, allowance, err := a.authenticate(ctx, text, []Kind{AccessToken, Password})
	if err == nil && found.Kind == Password && subtle.ConstantTimeCompare([]byte(found.Username), []byte(username)) == 0 {
		err = ErrUnauthorized
	}
	if err != nil {
		return principal.Principal{}, allowance, err
	}
	return found.principal(), allowance, nil
}

func (a *Authenticator) authenticate(ctx context.Context, text string, kinds []Kind) (Credential, Allowance, error) {
	secret, err := Parse(text)
	if err != nil || !slices.Contains(kinds, secret.Kind()) {
		return Credential{}, Allowance{}, ErrUnauthorized
	}
	now := a.now()
	found, used, err := a.lookUp(ctx, secret, now)
	if errors.Is(err, ErrUnknown) {
		return Credential{}, Allowance{}, ErrUnauthorized
	}
	if err != nil {
		return Credential{}, Allowance{}, err
	}
	allowance := a.allowance(found, used, now)
	if allowance.Limit > 0 && used > allowance.Limit {
		return Credential{}, allowance, ErrRateLimited
	}
	return found, allowance, nil
}

// present looks the secret up, checks it, and notes its use.
func (a *Authenticator) lookUp(ctx context.Context, secret Secret, now time.Time) (found Credential, used int, err error) {
	if a.limit > 0 {
		found, used, err = a.store.CountRequest(ctx, secret.ID(), secret.Hash(), now)
	} else {
		found, err = a.store.Get(ctx, secret.ID())
	}
	if err != nil {
		return Credential{}, 0, err
	}
	if !secret.Matches(found.Hash) || found.Kind != secret.Kind() || !found.Works(now) {
		return Credential{}, 0, ErrUnauthorized
	}
	if a.limit == 0 && now.Truncate(LastUseResolution).After(found.LastUsedAt) {
		err = a.store.RecordUse(ctx, secret.ID(), now)
	}
	return found, used, err
}

func (a *Authenticator) allowance(c Credential, used int, now time.Time) Allowance {
	if a.limit == 0 {
		return Allowance{}
	}
	limit := a.limit
	if c.RateLimit > 0 {
		limit = c.RateLimit
	}
	window := now.Truncate(time.Minute).Add(time.Minute).Sub(now)
	return Allowance{Limit: limit, Remaining: max(0, limit-used), Reset: max(time.Second, min(time.Minute, window.Round(time.Second)))}
}
