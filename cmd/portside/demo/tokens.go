package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/users"
)

const (
	tokenNames    = "build-pipeline staging-cluster production-cluster mirror nightly-tests"
	renewalMargin = 7 * 24 * time.Hour // before a token expires
)

// changeTokens creates, renews and revokes the access tokens of admins and managers. Their secrets are discarded.
func (s *story) changeTokens(ctx context.Context, day calendar.Day) error {
	s.seedRandom(day, tokensTopic)
	for _, token := range slices.Clone(s.issued) {
		if token.Kind != credentials.AccessToken {
			continue
		}
		if err := s.atMoments(day, 1, func(at time.Time) error { return s.changeToken(ctx, token, at) }); err != nil {
			return err
		}
	}
	for i, owner := range s.knownUsers {
		isFirst := day == s.first && (i == 0 || s.chance(60))
		mayHaveOne := owner.Role.Permits(principal.TokensWrite) && s.mayAct(owner) && s.newestTokenOf(owner.ID) == ""
		if !mayHaveOne || !isFirst && !s.chance(8) {
			continue
		}
		if err := s.atMoments(day, 1, func(at time.Time) error { return s.issueToken(ctx, owner, nil, at) }); err != nil {
			return err
		}
	}
	return nil
}

// newestTokenOf returns the ID of the owner's newest token that is not revoked, or "".
func (s *story) newestTokenOf(ownerID string) string {
	for _, c := range slices.Backward(s.issued) {
		if c.Kind == credentials.AccessToken && c.Owner.ID == ownerID && c.RevokedAt.IsZero() {
			return c.ID
		}
	}
	return ""
}

// changeToken renews the newest token of a user shortly before it expires, or revokes it with a small probability.
func (s *story) changeToken(ctx context.Context, token *credentials.Credential, at time.Time) error {
	owner, isActive := s.activeUser(token.Owner.ID)
	if !isActive || !token.Live(at) || token.ID != s.newestTokenOf(token.Owner.ID) {
		return nil
	}
	if token.ExpiresAt.Sub(at) < renewalMargin {
		return s.issueToken(ctx, owner, token, at)
	}
	if owner.ID == s.knownUsers[0].ID || !s.chance(0.3) {
		return nil
	}
	token.RevokedAt, token.Reason = at, "revoked by its owner"
	return tokensdynamo.New(s.Client, s.Credentials).Revoke(ctx, *token)
}

// activeUser returns the user with the ID. The boolean is false if the user does not exist or may not act.
func (s *story) activeUser(id string) (person, bool) {
	i := slices.IndexFunc(s.knownUsers, func(u person) bool { return u.ID == id && s.mayAct(u) })
	if i < 0 {
		return person{}, false
	}
	return s.knownUsers[i], true
}

// issueToken issues a token. It renews another one, unless renewed is nil.
func (s *story) issueToken(ctx context.Context, owner person, renewed *credentials.Credential, at time.Time) error {
	if !at.After(owner.CreatedAt) {
		return nil
	}
	scopes := []string{string(principal.ReadImages), string(principal.ReadCharts)}
	if s.chance(30) {
		scopes = scopes[:1]
	}
	secret := credentials.Mint(credentials.AccessToken)
	token := credentials.Credential{
		ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Name: s.word(tokenNames), Scopes: scopes,
		Owner:     credentials.OwnerOf(owner.Person()),
		CreatedAt: at, ExpiresAt: at.AddDate(0, 0, tokens.DefaultDays), Line: secret.ID(), LineEndsAt: at.AddDate(0, 0, tokens.MaxLineDays),
	}
	if renewed != nil {
		token.RotatedFrom, token.Line, token.LineEndsAt = renewed.ID, renewed.Line, renewed.LineEndsAt
	}
	if err := s.Users.Keys.Issue(ctx, owner, users.Issued{Key: token}); err != nil {
		return fmt.Errorf("%s: demo token of %s: %w", at.Format(time.DateOnly), owner.Email, err)
	}
	s.issued = append(s.issued, &token)
	return nil
}

// pullable returns the credentials that could pull artifacts with the scope at a time, oldest first.
func (s *story) pullable(scope principal.Scope, at time.Time) []*credentials.Credential {
	var found []*credentials.Credential
	for _, c := range s.issued {
		_, isActive := s.activeUser(c.Owner.ID)
		if isActive && c.CreatedAt.Before(at) && c.Live(at) && slices.Contains(c.Scopes, string(scope)) {
			found = append(found, c)
		}
	}
	return found
}

// recordUses stores when each credential was last used.
func (s *story) recordUses(ctx context.Context) error {
	for _, c := range s.issued {
		at, isUsed := s.lastPulls[c.ID]
		if !isUsed {
			continue
		}
		if err := s.Credentials.Requests.RecordUse(ctx, *c, at); err != nil {
			return fmt.Errorf("record the use of a demo credential: %w", err)
		}
	}
	return nil
}
