// Package tokensdynamo keeps tokens and passwords in the credentials table, as items of
// credentialsdynamo.
package tokensdynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/transactions"
	"portside/shared/tokens"
)

// Store keeps tokens and passwords.
type Store struct {
	client *dynamodb.Client
	table  *credentialsdynamo.Table
}

// New returns a Store in the credentials table.
func New(client *dynamodb.Client, table *credentialsdynamo.Table) *Store {
	return &Store{client: client, table: table}
}

var _ tokens.Store = (*Store)(nil)

// Issue implements tokens.Store in one transaction. If that fails because of too many credentials,
// it recounts them without the expired ones and tries once more.
func (s *Store) Issue(ctx context.Context, token credentials.Credential, by principal.Credential) error {
	return s.issueWithRecount(ctx, token, by, nil)
}

// IssueOnce implements tokens.Store.
func (s *Store) IssueOnce(ctx context.Context, issued tokens.Issued, by principal.Credential,
	key idempotency.Key) (tokens.Issued, error) {
	at := issued.Token.CreatedAt
	remember := s.table.Writes.Remember(key, issued.Secret, at)
	err := s.issueWithRecount(ctx, issued.Token, by, &remember)
	if !errors.Is(err, idempotencykeys.ErrInUse) {
		return issued, err
	}
	token, secret, err := s.table.Replay(ctx, key, at)
	return tokens.Issued{Token: token, Secret: secret, Replayed: true}, err
}

func (s *Store) issueWithRecount(
	ctx context.Context, token credentials.Credential, by principal.Credential, remember *types.TransactWriteItem,
) error {
	issuing := credentialsdynamo.Issuing{Credential: token, Counted: countedAs(token), TooMany: tokens.ErrTooMany}
	err := s.table.WithRecount(ctx, issuing, func() error {
		if token.RotatedFrom == "" {
			return s.issue(ctx, token, by, extra{remember: remember})
		}
		return s.renew(ctx, token, func(counted types.TransactWriteItem) error {
			return s.issue(ctx, token, by, extra{remember, &counted})
		})
	})
	if versions.IsStale(err) { // the owner is not active
		return tokens.ErrCaller
	}
	return err
}

// countedAs returns the kind as which a token counts for the daily quota of its owner.
func countedAs(token credentials.Credential) credentials.Kind {
	if token.RotatedFrom != "" {
		return credentialsdynamo.Renewals
	}
	return token.Kind
}

// extra has the writes that only some transactions need; they are nil in others.
type extra struct {
	remember *types.TransactWriteItem // stores the idempotency key
	renewal  *types.TransactWriteItem // counts a renewal in its line
}

// issue writes a token.
func (s *Store) issue(ctx context.Context, token credentials.Credential, by principal.Credential, with extra) error {
	var plan transactions.Plan
	plan.Add(tokens.ErrCaller, s.table.Writes.StillWorks(by)...)
	if with.remember != nil {
		plan.Add(idempotencykeys.ErrInUse, *with.remember)
	}
	plan.Add(tokens.ErrTooMany, s.table.Writes.Tally(token.Owner.ID, credentialsdynamo.Change{
		Issued: 1, On: token.CreatedAt, Kind: countedAs(token),
	}))
	if with.renewal != nil {
		plan.Add(errLine, *with.renewal)
	}
	plan.Add(nil, s.table.Writes.Issue(token)...)
	plan.Add(nil, s.table.Audit(ctx, credentialsdynamo.Created(token))...)
	return plan.Write(ctx, s.client)
}

// Get implements tokens.Store.
func (s *Store) Get(ctx context.Context, id string) (credentials.Credential, error) {
	found, err := s.table.GetWithUse(ctx, id)
	if errors.Is(err, credentials.ErrUnknown) || err == nil && found.Kind == credentials.Link {
		return credentials.Credential{}, tokens.ErrNotFound
	}
	return found, err
}

// List implements tokens.Store.
func (s *Store) List(ctx context.Context, ownerID string) ([]credentials.Credential, error) {
	return s.table.ListWithUses(ctx, ownerID, credentials.AccessToken, credentials.Password)
}

// Revoke implements tokens.Store.
func (s *Store) Revoke(ctx context.Context, token credentials.Credential) error {
	writes := s.table.Writes.Revoke(token)
	var counted credentialsdynamo.Change
	counted.Revoke(token, token.RevokedAt)
	if counted.Revoked > 0 {
		writes = append(writes, s.table.Writes.Tally(token.Owner.ID, counted))
	}
	writes = append(writes, s.table.Audit(ctx, credentialsdynamo.Revoked(token))...)
	err := transactions.Write(ctx, s.client, writes)
	if _, failed := transactions.FailedAt(err); failed {
		return versions.ErrStale
	}
	return err
}
