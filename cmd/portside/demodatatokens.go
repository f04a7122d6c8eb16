package main

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
func (y *demoStory) changeTokens(ctx context.Context, day calendar.Day) error {
	y.draw(day, tokensTopic)
	for _, token := range slices.Clone(y.issued) {
		if token.Kind != credentials.AccessToken {
			continue
		}
		if err := y.atMoments(day, 1, func(at time.Time) error { return y.changeToken(ctx, token, at) }); err != nil {
			return err
		}
	}
	for i, owner := range y.knownUsers {
		isFirst := day == y.first && (i == 0 || y.chance(60))
		mayHaveOne := owner.Role.Permits(principal.TokensWrite) && owner.Status == users.Active && y.newestTokenOf(owner.ID) == ""
		if !mayHaveOne || !isFirst && !y.chance(8) {
			continue
		}
		if err := y.atMoments(day, 1, func(at time.Time) error { return y.issueToken(ctx, owner, "", at) }); err != nil {
			return err
		}
	}
	return nil
}

// newestTokenOf returns the ID of the newest token that an owner still has, or "".
func (y *demoStory) newestTokenOf(ownerID string) string {
	for _, c := range slices.Backward(y.issued) {
		if c.Kind == credentials.AccessToken && c.Owner.ID == ownerID && c.RevokedAt.IsZero() {
			return c.ID
		}
	}
	return ""
}

// changeToken renews a token shortly before it expires, and revokes a few.
func (y *demoStory) changeToken(ctx context.Context, token *credentials.Credential, at time.Time) error {
	owner, isActive := y.activeUser(token.Owner.ID)
	if !isActive || !token.Live(at) || token.ID != y.newestTokenOf(token.Owner.ID) {
		return nil
	}
	if token.ExpiresAt.Sub(at) < renewalMargin {
		return y.issueToken(ctx, owner, token.ID, at)
	}
	if owner.ID == y.knownUsers[0].ID || !y.chance(0.3) {
		return nil
	}
	token.RevokedAt, token.Reason = at, "revoked by "+owner.ID
	return tokensdynamo.New(y.client, y.credentials).Revoke(ctx, *token)
}

// activeUser returns the user with the ID, if there is one and it is active.
func (y *demoStory) activeUser(id string) (person, bool) {
	i := slices.IndexFunc(y.knownUsers, func(u person) bool { return u.ID == id && u.Status == users.Active })
	if i < 0 {
		return person{}, false
	}
	return y.knownUsers[i], true
}

// issueToken issues a token, which renews another one unless renewed is empty.
func (y *demoStory) issueToken(ctx context.Context, owner person, renewed string, at time.Time) error {
	if !at.After(owner.CreatedAt) {
		return nil
	}
	scopes := []string{string(principal.ReadImages), string(principal.ReadCharts)}
	if y.chance(30) {
		scopes = scopes[:1]
	}
	secret := credentials.Mint(credentials.AccessToken)
	token := credentials.Credential{
		ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Name: y.word(tokenNames), Scopes: scopes,
		Owner:     credentials.Owner{ID: owner.ID, Role: owner.Role, Active: true},
		CreatedAt: at, ExpiresAt: at.AddDate(0, 0, tokens.DefaultDays), RotatedFrom: renewed,
	}
	if err := y.users.Issue(ctx, owner, token); err != nil {
		return fmt.Errorf("%s: demo token of %s: %w", at.Format(time.DateOnly), owner.Email, err)
	}
	y.issued = append(y.issued, &token)
	return nil
}

// pullable returns the credentials that could pull artifacts with the scope at a time, oldest first.
func (y *demoStory) pullable(scope principal.Scope, at time.Time) []*credentials.Credential {
	var found []*credentials.Credential
	for _, c := range y.issued {
		_, isActive := y.activeUser(c.Owner.ID)
		if isActive && c.CreatedAt.Before(at) && c.Live(at) && slices.Contains(c.Scopes, string(scope)) {
			found = append(found, c)
		}
	}
	return found
}

// recordUses stores when each credential was last used.
func (y *demoStory) recordUses(ctx context.Context) error {
	for id, at := range y.lastPulls {
		if err := y.credentials.RecordUse(ctx, id, at); err != nil {
			return fmt.Errorf("record the use of a demo credential: %w", err)
		}
	}
	return nil
}
