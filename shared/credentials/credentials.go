// Package credentials defines API keys, tokens, passwords, one-time links and sessions, and authenticates
// the callers who present them.
//
// All kinds share one format ([Secret]) and one record ([Credential]); they differ in how they are
// sent and what they allow. Three rules always hold. Only a hash is stored. Every failure looks the
// same to the client. A credential carries the role and status of its owner, which change in the
// same transaction as the owner, so that authentication needs one read and a suspension takes
// effect with the next request.
//
// Several domains build on this package: their stores put writes to credentials into their own
// transactions.
package credentials

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"

	"portside/shared/core/entitlement"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/throttle"
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

// MaxLive is how many credentials of one owner may work at the same time, without sessions. Together with MaxSessions, it
// bounds the transaction that changes an owner's role or status, because DynamoDB allows 100 items in one.
const MaxLive = 50

// MaxDaily is how many tokens, and how many API keys, can be created for an owner on one day (UTC), whether they still work or not.
// It bounds the list of tokens, which keeps each one for Retention, and the work that a user can cause.
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

	// AuthenticatedAt is, for a session, when its person proved who they are: at its creation, or earlier at an identity provider.
	// Zero if the provider does not say it.
	AuthenticatedAt time.Time

	Scopes      []string // what a token or password may fetch; empty for other kinds
	Username    string   // of a password; empty for other kinds
	RotatedFrom string   // id of the token that created this one; empty if none did

	// Line is the id of the first token of the line of renewals of a token, and LineEndsAt is when all tokens of the line have expired. They
	// are empty for other kinds, and for tokens that cannot renew themselves.
	Line       string
	LineEndsAt time.Time

	Reason string // of the revocation; empty while it is not revoked

	// Exchanged is true for a token that a workload got for a token of its platform; see package trust. The owner is the trust policy, and
	// no user. The token is not listed, not counted, and cannot be renewed, and nobody gets mails about it.
	Exchanged bool

	// Makers are who created the credential and with which credential, then the same of that credential, and so on up to a sign-in or a
	// mailed link. The chain never changes. It is empty if a sign-in or the service created the credential.
	Makers []principal.Maker
}

// principal returns the caller that the credential authenticates at the given time. For an API key or a session, the caller
// has the owner's role; otherwise, the credential's scopes.
func (c Credential) principal(at time.Time) principal.Principal {
	who := principal.Principal{
		UserID: c.Owner.ID, CustomerID: c.Owner.CustomerID, CredentialID: c.ID, CredentialCreatedAt: c.CreatedAt, Makers: c.Makers,
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

// Owner is the user for whom a credential acts, as of the owner's last change.
type Owner struct {
	ID         string
	CustomerID string // to whom the user belongs; empty for the vendor's staff
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

// Live reports whether the credential is neither revoked nor expired, and whether a session was used recently enough. The
// owner's status does not matter.
func (c Credential) Live(at time.Time) bool {
	return c.IsOpen(at) && (c.Kind != Session || at.Before(c.LastUsedAt.Add(SessionIdle)))
}

// IsOpen reports whether the credential is neither revoked nor expired. Unlike Live, it does not depend on the last use.
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

// Presented is a credential that somebody presents, with what authentication must know besides.
type Presented struct {
	Credential

	Entitled entitlement.Set // the entitlements of the owner's customer, in effect or not, if the credential Fetches

	// MaxRequests is how many requests all credentials of the users of the owner's customer may make per minute. 0 means no limit.
	MaxRequests int
}

// principal returns the caller, as Credential.principal does, with the entitlements that are in effect.
func (p Presented) principal(at time.Time) principal.Principal {
	who := p.Credential.principal(at)
	who.Entitled = p.Entitled.At(at)
	return who
}

// Store finds credentials when they are presented.
type Store interface {
	// CountRequest counts one request in the minute of at, and records the use. It returns the
	// credential, strongly consistent, and the number of requests in that minute, including this one.
	// The owner of the credential is not active if the owner's customer is suspended. A credential that Fetches has the customer's
	// entitlements.
	// Errors: ErrUnknown if the store does not have the secret; ErrIdle if it belongs to a session that was
	// not used for SessionIdle, so that the request does not revive the session. Requests with another
	// secret do not count for a credential, so a caller who knows only its public id cannot use up
	// its allowance.
	CountRequest(ctx context.Context, secret Secret, at time.Time) (Presented, int, error)
	// RecordUse stores that the credential was used, unless a later use is stored.
	RecordUse(ctx context.Context, c Credential, at time.Time) error

	Reader
	SharedCounters
	Counters
}

// Reader reads credentials.
type Reader interface {
	// Find returns the credential as CountRequest does, without counting a request. Errors: ErrUnknown.
	Find(ctx context.Context, secret Secret) (Presented, error)
	// Get returns the credential with this id, strongly consistent, without its last use. Errors: ErrUnknown.
	Get(ctx context.Context, id string) (Credential, error)
}

// SharedCounters count requests of several credentials together.
type SharedCounters interface {
	// CountOwner counts a block of requests of a credential for its owner in the minute of at. If there were already as many as the limit,
	// it returns false, and CountRequest returns OwnerExhausted or more for the rest of the minute.
	CountOwner(ctx context.Context, c Credential, block Block, at time.Time) (bool, error)
	// CountCustomer does the same for the owner's customer, and CountRequest then returns CustomerExhausted or more.
	CountCustomer(ctx context.Context, c Credential, block Block, at time.Time) (bool, error)
	// CountStep counts a step in the minute of at. It returns the number of requests in the steps of all processes, or false if there were
	// already as many as the limit.
	CountStep(ctx context.Context, step Step, at time.Time) (used int, ok bool, err error)
}

// Block is how many requests count at once for an owner or a customer, and how many there may be in a minute.
type Block struct{ Requests, Limit int }

// The numbers of requests in a minute of a credential that may make no more. They exceed every limit.
const (
	OwnerExhausted    = 1_000_000_000
	CustomerExhausted = 1_000 * OwnerExhausted
)

const (
	// ownerBlock is how many requests of a credential count at once for its owner. So an owner may exceed the limit by less than
	// ownerBlock, and by the first requests of each credential.
	ownerBlock = 10
	// ownerFirst is the request of a credential in a minute with which it begins to count for its owner. Most requests come alone.
	ownerFirst = 3

	// customerBlock is how many requests of a credential count at once for its customer at most, and customerPart is the part of the
	// customer's limit that they are at most; see customerRequests.
	customerBlock = 32
	customerPart  = 10
)

// Allowance is the limit of a kind of requests as of one request: that of the credential for the API, and that of its owner otherwise.
type Allowance struct {
	Kind      RequestKind
	Limit     int           // requests per minute; 0 means no limit
	Remaining int           // in the current minute
	Reset     time.Duration // until the next minute begins, 1 s to 60 s
}

// Authenticator finds out who presents a credential.
type Authenticator struct {
	store Store
	limit int
	now   func() time.Time

	unknown *throttle.Throttle // of networks
	purses  purses
	uses    uses
}

// NewAuthenticator returns an Authenticator. limit is the default number of requests to the API per minute and owner, from which the
// limits of other kinds follow; 0 switches the limits of credentials and owners off, but not those of customers. Requests to the API are
// counted in any case, because that records the last use.
func NewAuthenticator(store Store, limit int, now func() time.Time) *Authenticator {
	return &Authenticator{store: store, limit: limit, now: now, unknown: throttle.New(store, unknown)}
}

// Authenticate returns the principal of a text, which must be of one of the given kinds. It calls
// the store once for a working credential, unless the client's network is throttled, now and then a second time to count for the owner
// or the customer, and not at all if the text is malformed. Errors: ErrUnauthorized; ErrRateLimited, ErrOwnerRateLimited,
// ErrCustomerRateLimited and ErrTooManyUnknown with the allowance.
func (a *Authenticator) Authenticate(ctx context.Context, text string, kinds ...Kind) (principal.Principal, Allowance, error) {
	found, allowance, err := a.authenticate(ctx, text, kinds)
	if err != nil {
		return principal.Principal{}, allowance, err
	}
	return found.principal(a.now()), allowance, nil
}

// AuthenticateBasic is Authenticate for HTTP Basic: it accepts a token with any user name, or a
// password with its own user name.
func (a *Authenticator) AuthenticateBasic(ctx context.Context, username, text string) (principal.Principal, Allowance, error) {
	found, allowance, err := a.authenticate(ctx, text, []Kind{AccessToken, Password})
	username = strings.TrimRight(username, lineEnds)
	if err == nil && found.Kind == Password && subtle.ConstantTimeCompare([]byte(found.Username), []byte(username)) == 0 {
		a.countRefusal(ctx, Refusal{Who: found.principal(a.now()), Reason: NotWorking})
		err = ErrUnauthorized
	}
	if err != nil {
		return principal.Principal{}, allowance, err
	}
	return found.principal(a.now()), allowance, nil
}

func (a *Authenticator) authenticate(ctx context.Context, text string, kinds []Kind) (Presented, Allowance, error) {
	secret, err := Parse(text)
	if err != nil || !slices.Contains(kinds, secret.Kind()) {
		return Presented{}, Allowance{}, ErrUnauthorized
	}
	now, request := a.now(), loadFrom(ctx)
	_, isPaid := a.purses.spend(headsOf(secret, request), headTenths, now)
	find := a.count
	if isPaid || request.kind != APIRequest {
		find = a.find
	}
	found, used, err := find(ctx, secret, now)
	switch {
	case errors.Is(err, ErrTooManyUnknown):
		return Presented{}, Allowance{Reset: untilNextMinute(now)}, ErrTooManyUnknown.After(untilNextMinute(now))
	case errors.Is(err, ErrUnknown), err == nil && (!secret.Matches(found.Hash) || found.Kind != secret.Kind()):
		return Presented{}, Allowance{}, ErrUnauthorized
	case err != nil:
		return Presented{}, Allowance{}, err
	case !found.Works(now):
		if used <= maxCountedRefusals {
			a.countRefusal(ctx, Refusal{Who: found.principal(now), Reason: NotWorking})
		}
		return Presented{}, Allowance{}, ErrUnauthorized
	case isPaid:
		return found, Allowance{}, nil
	case request.kind != APIRequest:
		allowance, err := a.countInSteps(ctx, found, request, now)
		return found, allowance, err
	}
	allowance, err := a.countAPIRequest(ctx, found, used, now)
	if request.isHead && err == nil {
		a.purses.change(headsOf(secret, request), now, func(p purse) purse {
			p.tenths += wholeTenths - headTenths
			return p
		})
	}
	return found, allowance, err
}

// headsOf is the subject of the purse with the HEAD requests of a credential to the API. Its first one in a process counts as a whole
// request, and pays for nine more.
func headsOf(secret Secret, l load) string {
	if !l.isHead || l.kind != APIRequest {
		return ""
	}
	return "heads#" + string(secret.Hash())
}

// find returns a credential without counting a request of it, and the number of requests that did not work.
func (a *Authenticator) find(ctx context.Context, secret Secret, now time.Time) (found Presented, refused int, err error) {
	found, err = a.store.Find(ctx, secret)
	if errors.Is(err, ErrUnknown) {
		return Presented{}, 0, a.countUnknown(ctx, now)
	}
	if err == nil && secret.Kind() == Session {
		found.LastUsedAt = now // this process has counted a request of it in this minute
	}
	if err == nil && !found.Works(now) {
		a.purses.change("refused#"+found.ID, now, func(p purse) purse {
			p.used++
			refused = p.used
			return p
		})
	}
	return found, refused, err
}

// countAPIRequest counts a request with those of the owner's other credentials and of the customer's users. used is its number in the
// minute of its credential.
func (a *Authenticator) countAPIRequest(ctx context.Context, found Presented, used int, now time.Time) (Allowance, error) {
	allowance := a.allowance(found.Credential, used, now)
	var err error
	switch {
	case found.MaxRequests > 0 && used >= CustomerExhausted:
		err = usedUp(ErrCustomerRateLimited, found.MaxRequests, "requests", now)
	case allowance.Limit > 0 && used >= OwnerExhausted:
		err = a.ownerLimited(found.Credential, now)
	case allowance.Limit > 0 && used > allowance.Limit:
		err = usedUp(ErrRateLimited, allowance.Limit, requestKinds[APIRequest].what, now)
	default:
		err = a.countTogether(ctx, found, used, now)
	}
	if err != nil {
		allowance.Remaining = 0
	}
	return allowance, err
}

// ownerLimit is how many requests to the API the credentials of the owner of c may make in a minute.
func (a *Authenticator) ownerLimit(c Credential) int { return max(a.limit, c.RateLimit) }

func (a *Authenticator) ownerLimited(c Credential, now time.Time) error {
	return usedUp(ErrOwnerRateLimited, a.ownerLimit(c), requestKinds[APIRequest].what, now)
}

// countTogether counts a request with those of the owner's other credentials, and with those of the customer's users. Both happen at the
// same time. used is the number of the request in the minute of its credential.
func (a *Authenticator) countTogether(ctx context.Context, found Presented, used int, at time.Time) error {
	var byOwner, byCustomer error
	var counts sync.WaitGroup
	if found.MaxRequests > 0 {
		counts.Go(func() { byCustomer = a.countCustomer(ctx, found, used, at) })
	}
	if a.limit > 0 && used%ownerBlock == ownerFirst {
		byOwner = a.countOwner(ctx, found.Credential, at)
	}
	counts.Wait()
	return cmp.Or(byCustomer, byOwner)
}

// countOwner counts a block of requests for the owner, who may make as many as the default limit, or as one credential with a higher limit.
func (a *Authenticator) countOwner(ctx context.Context, c Credential, at time.Time) error {
	block := Block{Requests: ownerBlock, Limit: a.ownerLimit(c)}
	allowed, err := a.store.CountOwner(ctx, c, block, at)
	if err == nil && !allowed {
		err = a.ownerLimited(c, at)
	}
	return err
}

// countCustomer counts a block of requests for the customer, if one begins with this request.
func (a *Authenticator) countCustomer(ctx context.Context, found Presented, used int, at time.Time) error {
	requests := customerRequests(used, found.MaxRequests)
	if requests == 0 {
		return nil
	}
	allowed, err := a.store.CountCustomer(ctx, found.Credential, Block{Requests: requests, Limit: found.MaxRequests}, at)
	if err == nil && !allowed {
		err = usedUp(ErrCustomerRateLimited, found.MaxRequests, "requests", at)
	}
	return err
}

// customerRequests returns how many requests of a credential count for its customer with its request number used in a minute, or 0.
//
// The first request counts 1, the second 2, the fourth 4, and so on, for itself and the requests that follow; then each block counts the
// same. So every request is counted before it is served, a single one counts exactly, and the others count at most double. A
// customer exceeds the limit by less than a block, which is at most customerBlock and the limit's customerPart, and by the requests
// that are in progress when it is reached.
func customerRequests(used, limit int) int {
	most := max(1, min(used, customerBlock, limit/customerPart))
	block := 1 << (bits.Len(uint(most)) - 1) // the greatest power of two
	if used%block != 0 {
		return 0
	}
	return block
}

func (a *Authenticator) allowance(c Credential, used int, now time.Time) Allowance {
	if a.limit == 0 {
		return Allowance{Reset: untilNextMinute(now)}
	}
	limit := a.limit
	if c.RateLimit > 0 {
		limit = c.RateLimit
	}
	return Allowance{Limit: limit, Remaining: max(0, limit-used), Reset: untilNextMinute(now)}
}

// untilNextMinute returns a number of seconds, at least one.
func untilNextMinute(now time.Time) time.Duration {
	window := now.Truncate(time.Minute).Add(time.Minute).Sub(now)
	return max(time.Second, min(time.Minute, window.Round(time.Second)))
}
