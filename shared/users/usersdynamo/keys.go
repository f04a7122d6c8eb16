package usersdynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentials"
	"portside/shared/transactions"
	"portside/shared/users"
)

// Issue implements users.KeyStore.
func (s *Store) Issue(ctx context.Context, user users.User, key credentials.Credential) error {
	stored, err := s.readVersion(ctx, user)
	if err != nil {
		return err
	}
	p := s.plan()
	live, err := p.live(ctx, user.ID, key.CreatedAt)
	if err != nil {
		return err
	}
	if len(live) >= credentials.MaxLive {
		return users.ErrTooManyKeys
	}
	p.noteIssue(user.ID, userGuard{version: user.Version, issued: &stored.Issued})
	if err := p.issue(key); err != nil {
		return err
	}
	return p.run(ctx)
}

// Keys implements users.KeyStore.
func (s *Store) Keys(ctx context.Context, userID string) ([]credentials.Credential, error) {
	all, err := s.credentials.List(ctx, userID, credentials.APIKey)
	kept := all[:0]
	for _, c := range all {
		if c.RevokedAt.IsZero() {
			kept = append(kept, c)
		}
	}
	return kept, err
}

// Revoke implements users.KeyStore.
func (s *Store) Revoke(ctx context.Context, userID, keyID string, at time.Time) error {
	err := transactions.Write(ctx, s.client, []types.TransactWriteItem{
		s.credentials.Revoke(credentials.APIKey, keyID, userID, at),
	})
	if _, failed := transactions.FailedAt(err); failed {
		return users.ErrNoKey
	}
	return err
}

// noteIssue makes the user's item show that a credential was added, so that no concurrent change of its standing misses
// the new one.
func (p *plan) noteIssue(userID string, guard userGuard) {
	condition, values := guard.condition()
	values[":one"] = number(1)
	p.add(users.ErrStale, types.TransactWriteItem{Update: &types.Update{
		TableName: &p.store.table, Key: userKey(userID), UpdateExpression: aws.String(issuing),
		ConditionExpression: condition, ExpressionAttributeValues: values,
	}})
}

func (p *plan) issue(c credentials.Credential) error {
	writes, err := p.store.credentials.Issue(c)
	p.add(errDuplicateID, writes...)
	return err
}
