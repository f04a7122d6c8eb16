package usersdynamo

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/idempotency"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/users"
)

// Issue implements users.KeyStore. The write is conditional on the user's version, so it fails if
// the user's role or status has changed.
func (s *Store) Issue(ctx context.Context, user users.User, key credentials.Credential) error {
	return s.issueWithRecount(ctx, user, key, nil)
}

// IssueOnce implements users.KeyStore.
func (s *Store) IssueOnce(ctx context.Context, user users.User, issued users.Issued, once idempotency.Key) (users.Issued, error) {
	remember := s.credentials.Remember(once, issued.Secret, issued.Key.CreatedAt)
	err := s.issueWithRecount(ctx, user, issued.Key, &remember)
	if !errors.Is(err, errReused) {
		return issued, err
	}
	key, secret, err := s.credentials.Replay(ctx, once, issued.Key.CreatedAt)
	return users.Issued{Key: key, Secret: secret, Replayed: true}, err
}

func (s *Store) issueWithRecount(
	ctx context.Context, user users.User, key credentials.Credential, remember *types.TransactWriteItem,
) error {
	return s.credentials.WithRecount(ctx, key, users.ErrTooManyKeys, func() error { return s.issue(ctx, user, key, remember) })
}

func (s *Store) issue(ctx context.Context, user users.User, key credentials.Credential, remember *types.TransactWriteItem) error {
	p := s.plan()
	p.Add(versions.ErrStale, s.Unchanged(user.ID, user.Version))
	if remember != nil {
		p.Add(errReused, *remember)
	}
	p.issue(key)
	return p.run(ctx)
}

// Keys implements users.KeyStore.
func (s *Store) Keys(ctx context.Context, userID string) ([]credentials.Credential, error) {
	all, err := s.credentials.ListWithUses(ctx, userID, credentials.APIKey)
	return slices.DeleteFunc(all, func(c credentials.Credential) bool { return !c.RevokedAt.IsZero() }), err
}

// Revoke implements users.KeyStore.
func (s *Store) Revoke(ctx context.Context, userID, keyID string, at time.Time) error {
	p := s.plan()
	p.revoke(credentials.Credential{Kind: credentials.APIKey, ID: keyID, Owner: credentials.Owner{ID: userID}}, at, "deleted")
	if err := p.run(ctx); !errors.Is(err, versions.ErrStale) {
		return err
	}
	return users.ErrNoKey
}
