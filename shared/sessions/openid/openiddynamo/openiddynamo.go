// Package openiddynamo keeps the states of sign-ins with OpenID Connect in the credentials table; see
// shared/dynamo/challenges.
package openiddynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/challenges"
	"portside/shared/sessions/openid"
)

const purpose = "openid"

// Store keeps states.
type Store struct{ challenges challenges.Table }

// New returns a Store in the named table.
func New(client *dynamodb.Client, table string) *Store { return &Store{challenges.In(client, table)} }

var _ openid.States = (*Store)(nil)

// Put implements openid.States.
func (s *Store) Put(ctx context.Context, state string, expires time.Time) error {
	return s.challenges.Put(ctx, challenges.Challenge{Purpose: purpose, Value: []byte(state), ExpiresAt: expires})
}

// Take implements openid.States.
func (s *Store) Take(ctx context.Context, state string, at time.Time) (bool, error) {
	_, found, err := s.challenges.Take(ctx, purpose, []byte(state), at)
	return found, err
}
