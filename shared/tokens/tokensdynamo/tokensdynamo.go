// Package tokensdynamo keeps tokens and passwords in the credentials table, as items of
// credentialsdynamo.
package tokensdynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
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
func (s *Store) Issue(ctx context.Context, token credentials.Credential, by string) error {
	err := s.issue(ctx, token, by)
	if !errors.Is(err, tokens.ErrTooMany) {
		return err
	}
	room, recountErr := s.table.Recount(ctx, token.Owner.ID, token.CreatedAt)
	if recountErr != nil {
		return recountErr
	}
	if !room {
		return err
	}
	return s.issue(ctx, token, by)
}

func (s *Store) issue(ctx context.Context, token credentials.Credential, by string) error {
	writes := append([]types.TransactWriteItem{
		s.table.StillWorks(by), s.table.Tally(token.Owner.ID, credentialsdynamo.Change{Issued: 1, On: token.CreatedAt}),
	}, s.table.Issue(token)...)
	err := transactions.Write(ctx, s.client, writes)
	switch at, failed := transactions.FailedAt(err); {
	case failed && at == 0:
		return tokens.ErrCaller
	case failed && at == 1:
		return tokens.ErrTooMany
	default:
		return err
	}
}

// Get implements tokens.Store.
func (s *Store) Get(ctx context.Context, id string) (credentials.Credential, error) {
	found, err := s.table.Get(ctx, id)
	if errors.Is(err, credentials.ErrUnknown) || err == nil && found.Kind == credentials.Link {
		return credentials.Credential{}, tokens.ErrNotFound
	}
	return found, err
}

// List implements tokens.Store.
func (s *Store) List(ctx context.Context, ownerID string) ([]credentials.Credential, error) {
	issued, err := s.table.List(ctx, ownerID, credentials.AccessToken)
	if err != nil {
		return nil, err
	}
	passwords, err := s.table.List(ctx, ownerID, credentials.Password)
	return append(issued, passwords...), err
}

// Revoke implements tokens.Store.
func (s *Store) Revoke(ctx context.Context, token credentials.Credential) error {
	writes := []types.TransactWriteItem{s.table.Revoke(token)}
	if token.Kind != credentials.Session { // sessions are not in the tally
		writes = append(writes, s.table.Tally(token.Owner.ID, credentialsdynamo.Change{Revoked: 1}))
	}
	err := transactions.Write(ctx, s.client, writes)
	if _, failed := transactions.FailedAt(err); failed {
		return tokens.ErrNotFound
	}
	return err
}
