package tokens

import (
	"context"
	"errors"
	"slices"

	"portside/shared/core/principal"
	"portside/shared/credentials"
)

// Revoke revokes a token or password of the caller, or of anybody for a caller with tokens:write.
// It stops working with the next request. A caller that is a token can revoke only itself, its
// ancestors and its descendants. Errors: ErrNotFound if it is revoked already; ErrNotRelated.
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

// descends reports whether the token with the id is the ancestor, or was renewed from it or from
// one of its descendants.
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

// RevokeLeaked revokes the token, password, API key or session with this text, regardless of who reports it, and every
// token that was renewed from it, because an attacker may have created those. An unknown text is
// not an error: it works nowhere, and the response reveals nothing.
func (s *Service) RevokeLeaked(ctx context.Context, text string) error {
	secret, err := credentials.Parse(text)
	if err != nil {
		return nil //nolint:nilerr // malformed text works nowhere, which is what the caller wants
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

// revokeDescendants revokes the tokens that were renewed from a revoked token, level by level. A
// revoked token cannot issue others, so each level is complete when it is read.
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

// revokeIfLive revokes a credential unless it is revoked already.
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
