package usersdynamo

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/users"
)

// Issue implements users.KeyStore. The write is conditional on the user's version in the tally, so it fails if the
// user's role or status has changed. It does not touch the user, so that issuing cannot hold up an admin's change.
func (s Keys) Issue(ctx context.Context, user users.User, issued users.Issued) error {
	return s.store.issueWithRecount(ctx, user, issued, nil)
}

// IssueOnce implements users.KeyStore.
func (s Keys) IssueOnce(ctx context.Context, user users.User, issued users.Issued, once idempotency.Key) (users.Issued, error) {
	remember := s.store.credentials.Writes.Remember(once, issued.Secret, issued.Key.CreatedAt)
	err := s.store.issueWithRecount(ctx, user, issued, &remember)
	if !errors.Is(err, idempotencykeys.ErrInUse) {
		return issued, err
	}
	key, secret, err := s.store.credentials.Replay(ctx, once, issued.Key.CreatedAt)
	return users.Issued{Key: key, Secret: secret, Replayed: true}, err
}

func (s *Store) issueWithRecount(
	ctx context.Context, user users.User, issued users.Issued, remember *types.TransactWriteItem,
) error {
	var err error
	if issued.Key.Generation, err = s.generation(ctx, user, issued.By); err != nil {
		return err
	}
	issue := func() error { return s.issue(ctx, user, issued, remember) }
	return s.credentials.WithRecount(ctx, credentialsdynamo.Issuing{
		Credential: issued.Key, Version: user.Version, TooMany: users.ErrTooManyKeys,
	}, issue)
}

// generation returns the generation of a new key of a user: the one of the credential on whose behalf it is created, or
// the present one of the user's customer.
func (s *Store) generation(ctx context.Context, user users.User, by principal.Credential) (int64, error) {
	if by.ID != "" && by.CustomerID == user.CustomerID {
		return by.Generation, nil
	}
	return s.credentials.Customers.Generation(ctx, user.CustomerID)
}

func (s *Store) issue(ctx context.Context, user users.User, issued users.Issued,
	remember *types.TransactWriteItem) error {
	p := s.plan()
	p.tally.Version = user.Version
	if issued.Key.Kind == credentials.APIKey { // others are not created by users
		p.tally.On, p.tally.Kind = issued.Key.CreatedAt, issued.Key.Kind
	}
	if issued.By.ID != "" {
		p.Add(users.ErrCaller, s.credentials.Writes.StillWorks(issued.By)...)
	}
	if issued.Notice != nil {
		p.Add(nil, s.credentials.Writes.Notify(*issued.Notice))
	}
	if remember != nil {
		p.Add(idempotencykeys.ErrInUse, *remember)
	}
	if issued.Notice != nil {
		p.countMails(issued.Quotas, issued.Key.CreatedAt)
	}
	p.issue(issued.Key)
	p.Record(credentialsdynamo.Created(issued.Key))
	return p.run(ctx)
}

// Keys implements users.KeyStore.
func (s Keys) Keys(ctx context.Context, userID string) ([]credentials.Credential, error) {
	all, err := s.store.credentials.ListWithUses(ctx, userID, credentials.APIKey)
	return slices.DeleteFunc(all, func(c credentials.Credential) bool { return !c.RevokedAt.IsZero() }), err
}

// Revoke implements users.KeyStore. It reads the key, whose makers lead to other items.
func (s Keys) Revoke(ctx context.Context, userID, keyID string, at time.Time) error {
	return versions.Retry(ctx, func() error {
		key, err := s.store.key(ctx, userID, keyID)
		if err != nil || !key.RevokedAt.IsZero() {
			return err
		}
		p := s.store.plan()
		p.Record(credentialsdynamo.Revoked(p.revoke(key, at, "deleted")))
		return p.run(ctx)
	})
}

// Key implements users.KeyStore.
func (s Keys) Key(ctx context.Context, userID, keyID string) (credentials.Credential, error) {
	if _, err := s.store.key(ctx, userID, keyID); err != nil {
		return credentials.Credential{}, err
	}
	return s.store.credentials.GetWithUse(ctx, keyID)
}

// key returns an API key of a user, also a revoked one. Errors: users.ErrNoKey.
func (s *Store) key(ctx context.Context, userID, keyID string) (credentials.Credential, error) {
	key, err := s.credentials.Get(ctx, keyID)
	if errors.Is(err, credentials.ErrUnknown) || err == nil && (key.Kind != credentials.APIKey || key.Owner.ID != userID) {
		return credentials.Credential{}, users.ErrNoKey
	}
	return key, err
}
