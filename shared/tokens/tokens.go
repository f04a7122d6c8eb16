// Package tokens manages the credentials with which customers' machines fetch charts and images.
// They have scopes, they expire, and the machines renew them themselves.
//
// A token is a credential (see shared/credentials) that allows only what its scopes say. It can
// create its own successor, whose scopes lie within its own. The old token stays valid until it
// expires, so that a pipeline can switch over in the meantime. Revoked and expired tokens stay
// listed for 90 days, with the reason.
package tokens

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/shared/core/checks"
	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/credentials"
)

// Limits of a token's fields, from the API contract.
const (
	MaxName     = 100 // characters
	MaxScopes   = 20
	DefaultDays = 90
	MaxDays     = 365

	DefaultLineDays = 365 // or twice the days of the first token, if that is more
	MaxLineDays     = 730
)

// The quota of a line of renewals, which keeps a leaked token from using up what its owner may have.
const (
	MaxLineLive  = 5  // tokens that work at the same time
	MaxLineDaily = 10 // renewals on one day (UTC)
)

// The errors of operations on tokens.
var (
	ErrNotFound    = fault.New(fault.NotFound, "The token does not exist.")
	ErrWiderScopes = fault.New(fault.Forbidden, "A requested scope allows more than the credential that you use. "+
		"Request only scopes that this credential has.")
	ErrNotYours = fault.New(fault.Forbidden, "To view the tokens of other users, you need the permission "+
		"tokens:read. To revoke them, you need tokens:write.")
	ErrTooMany = fault.NewFinal(fault.Conflict, fmt.Sprintf("The user already has %d working credentials, which is the maximum. "+
		"Revoke one first.", credentials.MaxLive)).Coded(errorcode.TooManyCredentials)
	ErrNotRelated = fault.New(fault.Forbidden, "A token can revoke only itself, the tokens that it was renewed from, and those that were "+
		"renewed from it, because it may have leaked.")
	// ErrLineEnds means that a renewal would not work longer than the token that asks for it.
	ErrLineEnds = fault.NewFinal(fault.Conflict, "The token already works until its line of renewals ends, so it cannot be renewed. "+
		"Create a token with an API key, or in the portal; that one begins another line.").Coded(errorcode.LineEnded)
	// ErrNotRenewable is for tokens that the service itself renews, and for those that were exchanged.
	ErrNotRenewable = fault.New(fault.Forbidden, "This token cannot create others. If the operator of the service renews it, read its "+
		"successor where you got it. If a trust policy has issued it, exchange a token of your platform again.")
	ErrLineFull = fault.NewFinal(fault.Conflict, fmt.Sprintf("The line of renewals of this token already has %d working tokens, which is "+
		"the maximum. Revoke older ones first; rotatedFrom shows which token was renewed from which.", MaxLineLive)).
		Coded(errorcode.TooManyCredentials)
	// ErrLineQuota comes with the time until the next day.
	ErrLineQuota = fault.New(fault.QuotaExceeded, fmt.Sprintf("The line of renewals of this token was renewed %d times today, which is "+
		"the maximum. Wait until tomorrow (UTC).", MaxLineDaily))
	// ErrBusy means that tokens of the line were created faster than they could be revoked.
	ErrBusy = fault.New(fault.Unavailable,
		"The tokens of this line are being renewed all the time. Send the request again.")
	// ErrCaller means that the caller's credential was revoked, or its owner deactivated, at the
	// same moment.
	ErrCaller = credentials.ErrUnauthorized
)

// Status says whether a token works, and if not, why.
type Status string

// The statuses. Only an active token works.
const (
	Active   Status = "active"
	Expired  Status = "expired"
	Revoked  Status = "revoked"
	Inactive Status = "inactive" // the owner is not active
)

// StatusOf returns the status of a credential at a time.
func StatusOf(c credentials.Credential, at time.Time) Status {
	switch {
	case !c.RevokedAt.IsZero():
		return Revoked
	case !c.Live(at):
		return Expired
	case !c.Owner.Active:
		return Inactive
	default:
		return Active
	}
}

// Store keeps tokens and passwords. Writes are all or nothing; reads are strongly consistent.
type Store interface {
	// Issue adds a token on behalf of the credential with the id by. Errors: ErrCaller if that
	// credential no longer works; ErrTooMany; for the first token of a line, credentials.ErrDailyQuota; for a renewal,
	// ErrLineFull and ErrLineQuota.
	Issue(ctx context.Context, token credentials.Credential, by principal.Credential) error
	// IssueOnce is Issue with an idempotency key. If the key was used within its lifetime, nothing is
	// written: IssueOnce returns the first request's token and secret, or idempotency.ErrReused if the
	// fingerprints differ, or idempotency.ErrRevoked.
	IssueOnce(ctx context.Context, issued Issued, by principal.Credential, key idempotency.Key) (Issued, error)
	// Get returns a credential of any kind except links, or ErrNotFound.
	Get(ctx context.Context, id string) (credentials.Credential, error)
	// List returns the tokens and passwords that an owner has or had within the last 90 days, in no
	// particular order. Older ones may be included.
	List(ctx context.Context, ownerID string) ([]credentials.Credential, error)
	// Revoke revokes a credential with token.RevokedAt and token.Reason. Errors: versions.ErrStale if it is revoked
	// already.
	Revoke(ctx context.Context, token credentials.Credential) error
}

// People finds users.
type People interface {
	// Person returns a user, or an error of the kind fault.NotFound.
	Person(ctx context.Context, id string) (principal.Person, error)
	// Members returns up to most users of a customer with numbers from a number on, in the order of their numbers.
	Members(ctx context.Context, customerID string, from int64, most int) ([]principal.Member, error)
}

// Service manages tokens.
type Service struct {
	store   Store
	people  People
	maxDays int
	now     func() time.Time
}

// NewService returns a Service on a store. No new token works longer than maxDays, from 1 to MaxDays.
func NewService(store Store, people People, maxDays int, now func() time.Time) *Service {
	return &Service{store: store, people: people, maxDays: maxDays, now: now}
}

// NewToken is the input for a new token.
type NewToken struct {
	Name           string
	Scopes         []principal.Scope
	Days           int    // until it expires; 0 means the default. A renewal gets at most those of the token that asks for it
	LineDays       int    // until the line of renewals ends that the token begins; 0 means the default
	IdempotencyKey string // random; empty if the client sent none
}

// Check returns all validation failures.
func (n NewToken) Check() []fault.Field {
	var name checks.Failures
	name.Text("/name", strings.TrimSpace(n.Name), 1, MaxName)
	failures := append(name.Fields(), checkScopes(n.Scopes)...)
	if n.Days < 0 || n.Days > MaxDays {
		failures = append(failures, fault.Field{Pointer: "/expiration_days", Detail: "must be a whole number from 1 to 365"})
	}
	if n.LineDays < 0 || n.LineDays > MaxLineDays {
		failures = append(failures, fault.Field{Pointer: "/line_expiration_days",
			Detail: "must be a whole number from 1 to 730"})
	} else if n.LineDays != 0 && n.LineDays < n.Days {
		failures = append(failures, fault.Field{Pointer: "/line_expiration_days",
			Detail: "must not be less than expiration_days"})
	}
	return failures
}

// withDays sets the days of the input if the client sent none, and checks them against the maximum of the service. A
// renewal that asks for more gets the maximum, so that a lower maximum stops no pipeline.
func (s *Service) withDays(input NewToken, isRenewal bool) (NewToken, error) {
	input.Days = cmp.Or(input.Days, min(DefaultDays, s.maxDays))
	if input.Days <= s.maxDays {
		return input, nil
	}
	if isRenewal {
		input.Days = s.maxDays
		return input, nil
	}
	return NewToken{}, fault.Invalid(fault.Field{
		Pointer: "/expiration_days",
		Detail:  fmt.Sprintf("must be at most %d, the maximum that the operator of this service has set", s.maxDays),
	})
}

func (n NewToken) lineDays() int { return cmp.Or(n.LineDays, max(DefaultLineDays, 2*n.Days)) }

// Issued is a new token. The secret is not stored anywhere else, except sealed with an idempotency key.
type Issued struct {
	Token    credentials.Credential
	Secret   credentials.Secret
	Replayed bool // nothing was written, because an earlier request with the same idempotency key created this token
}

// Create creates a token for the caller's user, which begins a line of renewals. A caller that is a token can grant
// only its own scopes, for at most its own lifetime, and until its line ends. It stays valid, and the new token records
// that it was rotated from it. Errors:
// validation, ErrWiderScopes, ErrNotRenewable, ErrLineEnds, ErrCaller, credentials.ErrTooManyMakers,
// idempotency.ErrReused, idempotency.ErrRevoked, and those of Store.Issue.
func (s *Service) Create(ctx context.Context, caller principal.Principal, input NewToken) (Issued, error) {
	if failures := input.Check(); len(failures) > 0 {
		return Issued{}, fault.Invalid(failures...)
	}
	input, err := s.withDays(input, caller.Scoped())
	if err != nil {
		return Issued{}, err
	}
	if !principal.Within(scopesOf(caller), input.Scopes) {
		return Issued{}, ErrWiderScopes
	}
	now := s.now().UTC().Truncate(time.Millisecond) // the stored precision
	secret := credentials.Mint(credentials.AccessToken)
	token := credentials.Credential{
		ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Name: strings.TrimSpace(input.Name),
		Owner:  credentials.Owner{ID: caller.UserID, CustomerID: caller.CustomerID, Role: caller.Role, Active: true},
		Scopes: texts(input.Scopes), CreatedAt: now, ExpiresAt: now.AddDate(0, 0, input.Days),
		Line: secret.ID(), LineEndsAt: now.AddDate(0, 0, input.lineDays()), Generation: caller.Generation,
	}
	if token.Makers, err = credentials.MadeBy(caller); err != nil {
		return Issued{}, err
	}
	if caller.Scoped() {
		if err := renew(&token, caller, input); err != nil {
			return Issued{}, err
		}
	}
	issued := Issued{Token: token, Secret: secret}
	if key := idempotency.NewKey(caller.UserID, input.IdempotencyKey, wanted(token, input)); key != nil {
		return s.store.IssueOnce(ctx, issued, caller.Credential(), *key)
	}
	return issued, s.store.Issue(ctx, token, caller.Credential())
}

// wanted returns what a repeated request must have in common with the first one.
func wanted(token credentials.Credential, input NewToken) any {
	return struct {
		Kind              credentials.Kind
		Name, RotatedFrom string
		Scopes, Makers    []string
		Days, LineDays    int
	}{token.Kind, token.Name, token.RotatedFrom, token.Scopes, principal.UsersOf(token.Makers), input.Days, input.LineDays}
}

// scopesOf returns what a caller may grant: a token its own scopes, a person with tokens:write all
// of them.
func scopesOf(caller principal.Principal) []principal.Scope {
	if !caller.Scoped() {
		return AllScopes()
	}
	return caller.Scopes
}

func texts(scopes []principal.Scope) []string {
	all := make([]string, len(scopes))
	for i, s := range scopes {
		all[i] = string(s)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// MaxListed is the largest number of tokens and passwords in a list, which has the newest ones.
const MaxListed = 500

// List returns a user's newest MaxListed tokens and passwords, newest first. An empty userID means
// the caller.
func (s *Service) List(ctx context.Context, caller principal.Principal, userID string) ([]credentials.Credential, error) {
	userID = cmp.Or(userID, caller.UserID)
	if visible, err := s.mayList(ctx, caller, userID); err != nil || !visible {
		return nil, err
	}
	found, err := s.newest(ctx, userID)
	return slices.DeleteFunc(found, func(c credentials.Credential) bool { return isOfOtherCustomer(caller, c) }), err
}

// isOfOtherCustomer reports whether a token is from the time when its owner did not belong to the customer of the
// caller. The vendor's staff see all tokens.
func isOfOtherCustomer(caller principal.Principal, token credentials.Credential) bool {
	return caller.CustomerID != "" && token.Owner.CustomerID != caller.CustomerID
}

// newest returns a user's newest MaxListed tokens and passwords, newest first.
func (s *Service) newest(ctx context.Context, userID string) ([]credentials.Credential, error) {
	all, err := s.store.List(ctx, userID)
	now := s.now()
	all = slices.DeleteFunc(all, func(c credentials.Credential) bool { return !c.IsRetained(now) })
	slices.SortFunc(all, func(a, b credentials.Credential) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return all[:min(len(all), MaxListed)], err
}

// mayList reports whether the caller sees the tokens of the user. A user who does not exist for the caller has no
// tokens. Errors: ErrNotYours.
func (s *Service) mayList(ctx context.Context, caller principal.Principal, userID string) (bool, error) {
	if userID == caller.UserID || caller.CanForAll(principal.TokensRead) {
		return true, nil
	}
	if !caller.Can(principal.TokensRead) {
		return false, ErrNotYours
	}
	return s.reaches(ctx, caller, userID)
}

// Get returns a token or password of the caller, or of any user that a caller with tokens:read reaches.
func (s *Service) Get(ctx context.Context, caller principal.Principal, id string) (credentials.Credential, error) {
	return s.find(ctx, caller, id, principal.TokensRead)
}

// find returns a token. Tokens that the caller may not see, and those past their retention, do not
// exist for the caller.
func (s *Service) find(
	ctx context.Context, caller principal.Principal, id string, others principal.Permission,
) (credentials.Credential, error) {
	token, err := s.store.Get(ctx, id)
	if err != nil {
		return credentials.Credential{}, err
	}
	if !isToken(token) || !token.IsRetained(s.now()) || token.Owner.ID != caller.UserID &&
		!caller.CanFor(others, token.Owner.CustomerID) {
		return credentials.Credential{}, ErrNotFound
	}
	if isOfOtherCustomer(caller, token) {
		return credentials.Credential{}, ErrNotFound
	}
	if token.Exchanged { // the owner is a trust policy
		return token, nil
	}
	if isReached, err := s.reaches(ctx, caller, token.Owner.ID); err != nil || !isReached {
		return credentials.Credential{}, cmp.Or(err, error(ErrNotFound))
	}
	return token, nil
}

// reaches reports whether the user, who may have moved to another customer since a token ended, exists for the caller.
func (s *Service) reaches(ctx context.Context, caller principal.Principal, userID string) (bool, error) {
	if caller.CustomerID == "" || caller.UserID == userID {
		return true, nil
	}
	owner, err := s.people.Person(ctx, userID)
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	return caller.Reaches(owner.CustomerID), err
}

func isToken(c credentials.Credential) bool {
	return c.Kind == credentials.AccessToken || c.Kind == credentials.Password
}
