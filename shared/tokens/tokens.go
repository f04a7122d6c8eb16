// Package tokens is the credentials that customers' machines fetch charts and images with: scoped, expiring, and renewed by
// the machines themselves.
//
// A token is a credential (see shared/credentials) that may do what its scopes say and nothing else. It makes its own
// successor: the new one's scopes lie within its own, and the old one stays valid until it expires, so that a pipeline
// switches over at leisure. Revoked and expired ones stay listed for 90 days with the reason.
package tokens

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
)

// Bounds of a token's fields, from the contract.
const (
	MaxName     = 100 // characters
	MaxScopes   = 20
	DefaultDays = 90
	MaxDays     = 365
)

// The ways in which an operation on tokens is refused.
var (
	ErrNotFound    = fault.New(fault.NotFound, "There is no such token.")
	ErrWiderScopes = fault.New(fault.Forbidden, "A scope that was asked for reaches further than those of the credential that asks.")
	ErrNotYours    = fault.New(fault.Forbidden, "Other people's tokens need the permission tokens:read to see and tokens:write to revoke.")
	ErrTooMany     = fault.NewFinal(fault.Conflict, fmt.Sprintf("There are %d working credentials already, which is the most one user may have, "+
		"or %d tokens were made today. Revoke one first, or come back tomorrow.", credentials.MaxLive, credentials.MaxDaily))
	ErrNotRelated = fault.New(fault.Forbidden, "A token may end itself, those that it was renewed from, and those that were renewed from it; "+
		"no others, since it may have leaked.")
	// ErrCaller says that the credential which asks was revoked, or its owner deactivated, at that very moment.
	ErrCaller = credentials.ErrUnauthorized
)

// Status is what a token is good for.
type Status string

// The statuses. Only an active token works.
const (
	Active   Status = "active"
	Expired  Status = "expired"
	Revoked  Status = "revoked"
	Inactive Status = "inactive" // its owner is not active
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
	// Issue adds a token on behalf of the credential with the id by. ErrCaller if that does not work any more, ErrTooMany.
	Issue(ctx context.Context, token credentials.Credential, by string) error
	// Get returns a credential of any kind but links, or ErrNotFound.
	Get(ctx context.Context, id string) (credentials.Credential, error)
	// List returns the tokens and passwords that an owner has or had within 90 days, in no particular order; older ones may
	// be among them.
	List(ctx context.Context, ownerID string) ([]credentials.Credential, error)
	// Revoke ends a credential as of token.RevokedAt, for token.Reason. ErrNotFound if it is revoked already.
	Revoke(ctx context.Context, token credentials.Credential) error
}

// Service is the rules of tokens.
type Service struct {
	store Store
	now   func() time.Time
}

// NewService returns the rules over a store.
func NewService(store Store, now func() time.Time) *Service {
	return &Service{store: store, now: now}
}

// NewToken is what a caller says of a token to be made.
type NewToken struct {
	Name   string
	Scopes []principal.Scope
	Days   int // until it expires
}

// Check returns every way in which the input breaks a rule.
func (n NewToken) Check() []fault.Field {
	var failures []fault.Field
	name := strings.TrimSpace(n.Name)
	if length := utf8.RuneCountInString(name); length < 1 || length > MaxName || strings.ContainsFunc(name, unicode.IsControl) {
		failures = append(failures, fault.Field{Pointer: "/name", Detail: "must have 1 to 100 characters, none of them control characters"})
	}
	failures = append(failures, checkScopes(n.Scopes)...)
	if n.Days < 1 || n.Days > MaxDays {
		failures = append(failures, fault.Field{Pointer: "/expiration_days", Detail: "must be a whole number from 1 to 365"})
	}
	return failures
}

// Issued is a token that was just made. The secret is here and nowhere else.
type Issued struct {
	Token  credentials.Credential
	Secret credentials.Secret
}

// Create makes a token for the caller's user. A caller that is a token itself hands out no more than it has, and is noted
// as what the new one was rotated from; it stays valid. Errors: validation, ErrWider, ErrTooMany, ErrCaller.
func (s *Service) Create(ctx context.Context, caller principal.Principal, input NewToken) (Issued, error) {
	if failures := input.Check(); len(failures) > 0 {
		return Issued{}, fault.Invalid(failures...)
	}
	if !principal.Within(scopesOf(caller), input.Scopes) {
		return Issued{}, ErrWiderScopes
	}
	now := s.now().UTC().Truncate(time.Millisecond) // as it is stored
	secret := credentials.Mint(credentials.AccessToken)
	token := credentials.Credential{
		ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Name: strings.TrimSpace(input.Name),
		Owner:  credentials.Owner{ID: caller.UserID, Role: caller.Role, Active: true},
		Scopes: texts(input.Scopes), CreatedAt: now, ExpiresAt: now.AddDate(0, 0, input.Days),
	}
	if caller.Scoped() {
		token.RotatedFrom = caller.CredentialID
	}
	return Issued{Token: token, Secret: secret}, s.store.Issue(ctx, token, caller.CredentialID)
}

// scopesOf is what a caller may hand out: a token what it has, a person with tokens:write everything.
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

// MaxListed is how many tokens and passwords a list has at most, the newest ones.
const MaxListed = 500

// List returns a user's tokens and passwords, the newest MaxListed, newest first. The empty userID means the caller's own.
func (s *Service) List(ctx context.Context, caller principal.Principal, userID string) ([]credentials.Credential, error) {
	userID = cmp.Or(userID, caller.UserID)
	if userID != caller.UserID && !caller.Can(principal.TokensRead) {
		return nil, ErrNotYours
	}
	all, err := s.store.List(ctx, userID)
	now := s.now()
	all = slices.DeleteFunc(all, func(c credentials.Credential) bool { return !c.IsRetained(now) })
	slices.SortFunc(all, func(a, b credentials.Credential) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return all[:min(len(all), MaxListed)], err
}

// Get returns a token or password of the caller's, or anybody's with tokens:read.
func (s *Service) Get(ctx context.Context, caller principal.Principal, id string) (credentials.Credential, error) {
	return s.find(ctx, caller, id, principal.TokensRead)
}

// Revoke ends a token or password of the caller's, or anybody's with tokens:write; it works nowhere from the next request
// on. A caller that is a token itself ends only its own line. ErrNotFound if it is revoked already, ErrNotKin.
func (s *Service) Revoke(ctx context.Context, caller principal.Principal, id string) error {
	token, err := s.find(ctx, caller, id, principal.TokensWrite)
	if err != nil {
		return err
	}
	if caller.Scoped() {
		issued, err := s.store.List(ctx, caller.UserID)
		if err != nil {
			return err
		}
		if !descends(id, caller.CredentialID, issued) && !descends(caller.CredentialID, id, issued) {
			return ErrNotRelated
		}
	}
	return s.revoke(ctx, token, "revoked by "+caller.UserID)
}

// descends reports whether the token with the id is the ancestor, or was renewed from it or from one of its successors.
func descends(id, ancestor string, issued []credentials.Credential) bool {
	from := make(map[string]string, len(issued))
	for _, c := range issued {
		from[c.ID] = c.RotatedFrom
	}
	for range len(issued) + 1 {
		if id == ancestor {
			return true
		}
		id = from[id]
	}
	return false
}

// find hides what the caller may not see, and what is past its retention, as if it did not exist.
func (s *Service) find(
	ctx context.Context, caller principal.Principal, id string, others principal.Permission,
) (credentials.Credential, error) {
	token, err := s.store.Get(ctx, id)
	if err != nil {
		return credentials.Credential{}, err
	}
	if !isToken(token) || !token.IsRetained(s.now()) || token.Owner.ID != caller.UserID && !caller.Can(others) {
		return credentials.Credential{}, ErrNotFound
	}
	return token, nil
}

// RevokeLeaked ends the token, password or API key with this text, on behalf of whoever holds it, and every token that was
// renewed from it since: whoever found it may have made them. It is no error if there is none: the text works nowhere
// either way, and nothing can be learned by trying.
func (s *Service) RevokeLeaked(ctx context.Context, text string) error {
	secret, err := credentials.Parse(text)
	if err != nil {
		return nil //nolint:nilerr // garbage works nowhere, which is what was asked for
	}
	leaked, err := s.store.Get(ctx, secret.ID())
	if errors.Is(err, ErrNotFound) || err == nil && !secret.Matches(leaked.Hash) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.revokeIfLive(ctx, leaked); err != nil {
		return err
	}
	return s.revokeDescendants(ctx, leaked)
}

// endDescendants ends what was renewed from a token that has ended, level by level: since nothing can be issued by a token
// that has ended, each level is complete when it is read.
func (s *Service) revokeDescendants(ctx context.Context, ancestor credentials.Credential) error {
	ended := map[string]bool{ancestor.ID: true}
	for {
		issued, err := s.store.List(ctx, ancestor.Owner.ID)
		if err != nil {
			return err
		}
		children := slices.DeleteFunc(issued, func(c credentials.Credential) bool { return !ended[c.RotatedFrom] || ended[c.ID] })
		if len(children) == 0 {
			return nil
		}
		for _, c := range children {
			if err := s.revokeIfLive(ctx, c); err != nil {
				return err
			}
			ended[c.ID] = true
		}
	}
}

// endLeaked ends a credential unless it has ended.
func (s *Service) revokeIfLive(ctx context.Context, c credentials.Credential) error {
	if err := s.revoke(ctx, c, "reported as leaked"); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

func (s *Service) revoke(ctx context.Context, token credentials.Credential, reason string) error {
	token.RevokedAt, token.Reason = s.now().UTC(), reason
	return s.store.Revoke(ctx, token)
}

func isToken(c credentials.Credential) bool {
	return c.Kind == credentials.AccessToken || c.Kind == credentials.Password
}
