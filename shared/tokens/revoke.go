package tokens

import (
	"context"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
)

// Target is the token to revoke.
type Target struct {
	ID      string
	Accepts func(credentials.Credential) bool // reports whether the caller accepts the stored state; nil accepts any
}

// target returns the token to revoke. If it is revoked already, its ETag does not matter: a request that is repeated
// after a lost response has the ETag from before. Errors: ErrNotFound, versions.ErrMismatch.
func (s *Service) target(ctx context.Context, caller principal.Principal, target Target) (credentials.Credential, error) {
	token, err := s.find(ctx, caller, target.ID, principal.TokensWrite)
	if err == nil && token.RevokedAt.IsZero() && target.Accepts != nil && !target.Accepts(token) {
		err = versions.ErrMismatch
	}
	return token, err
}

// Revoke revokes a token or password of the caller, or of anybody for a caller with tokens:write.
// It stops working with the next request. The token may be revoked already, so that a call can be repeated. A caller
// that is a token can revoke only itself, its ancestors and its descendants. Errors: ErrNotFound, ErrNotRelated,
// versions.ErrMismatch, versions.ErrBusy.
func (s *Service) Revoke(ctx context.Context, caller principal.Principal, target Target) error {
	return versions.Retry(ctx, func() error { return s.revokeOnce(ctx, caller, target) })
}

// revokeOnce is one attempt of Revoke. Errors: versions.ErrStale if the token was revoked after it was read.
func (s *Service) revokeOnce(ctx context.Context, caller principal.Principal, target Target) error {
	id := target.ID
	token, err := s.target(ctx, caller, target)
	if err != nil {
		return err
	}
	if caller.Scoped() {
		issued, err := s.store.List(ctx, caller.UserID)
		if err != nil {
			return err
		}
		if !areRelated(id, caller.CredentialID, issued) {
			return ErrNotRelated
		}
	}
	if !token.RevokedAt.IsZero() {
		return nil
	}
	return s.revoke(ctx, token, revokedBy(caller, token))
}

// areRelated reports whether one of two tokens is the other one or was renewed from it.
func areRelated(a, b string, issued []credentials.Credential) bool {
	return a == b || credentials.RenewedFrom(a, issued)[b] || credentials.RenewedFrom(b, issued)[a]
}

// maxPasses bounds RevokeLine, should the tokens renew themselves all the time. Each pass ends all tokens that the one
// before has missed.
const maxPasses = 20

// RevokeLine revokes the whole line of renewals of a token: those that it was renewed from, itself, and all that were
// renewed from any of them. The token may be revoked already, so that a call can be repeated. A caller that is a token
// can revoke only its own line. Errors: ErrNotFound, ErrNotRelated, versions.ErrMismatch, ErrBusy.
func (s *Service) RevokeLine(ctx context.Context, caller principal.Principal, target Target) error {
	id := target.ID
	token, err := s.target(ctx, caller, target)
	if err != nil {
		return err
	}
	if token.Exchanged { // it is alone in its line, and not listed
		return s.Revoke(ctx, caller, target)
	}
	for range maxPasses {
		issued, err := s.store.List(ctx, token.Owner.ID)
		if err != nil {
			return err
		}
		first := credentials.FirstOfLine(id, issued)
		if caller.Scoped() && credentials.FirstOfLine(caller.CredentialID, issued) != first {
			return ErrNotRelated
		}
		if done, err := s.revokeFrom(ctx, first, issued, "revoked with its line"); done || err != nil {
			return err
		}
	}
	return ErrBusy
}

// revokeFrom revokes the first token of a line and all that were renewed from it. It returns true if there was nothing
// to revoke.
func (s *Service) revokeFrom(ctx context.Context, first string, issued []credentials.Credential, reason string) (bool, error) {
	renewed, done := credentials.RenewedFrom(first, issued), true
	for _, c := range issued {
		if c.ID != first && !renewed[c.ID] || !c.IsOpen(s.now()) {
			continue
		}
		done = false
		if err := s.revoke(ctx, c, reason); err != nil && !versions.IsStale(err) { // it was revoked meanwhile
			return false, err
		}
	}
	return done, nil
}

func (s *Service) revoke(ctx context.Context, token credentials.Credential, reason string) error {
	token.RevokedAt, token.Reason = s.now().UTC(), reason
	return s.store.Revoke(ctx, token)
}

// revokedBy returns the reason of a revocation. It names no person: the owner of the token reads it, and must not learn
// who works for the vendor. The audit log has the actor.
func revokedBy(caller principal.Principal, token credentials.Credential) string {
	if caller.UserID == token.Owner.ID {
		return "revoked by its owner"
	}
	return "revoked by another user"
}
