// Package challenges stores random values that a browser must bring back once and soon: the challenges
// of passkeys, and the states of sign-ins with OpenID Connect. It also marks the values of signed challenges as used,
// and keeps the public keys with which they were signed.
//
//	challenge#<purpose>#<hash>    challenge    its subject and its expiry
//
// The table has only the SHA-256 of a value, so a reader of the table cannot use a value. Take deletes
// a value under a condition, so of several requests with the same value one succeeds.
package challenges

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// Challenge is a value to store.
type Challenge struct {
	Purpose   string // a constant of the caller; a value of one purpose is unknown for all others
	Value     []byte // at least 16 random bytes
	Subject   string // what the value is for, such as the user who may use it; Take and Get return it
	ExpiresAt time.Time
}

// Table is a table with challenges.
type Table struct {
	client *dynamodb.Client
	name   string
}

// In returns the named table.
func In(client *dynamodb.Client, name string) Table { return Table{client: client, name: name} }

// item is the stored form of a challenge.
type item struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	Subject string `dynamodbav:"subject,omitempty"`
	Expires int64  `dynamodbav:"expires"`
	PurgeAt int64  `dynamodbav:"purgeAt"` // seconds, for DynamoDB's TTL, which may delete days later
}

// ErrExists means that a challenge with this purpose and value is stored already.
var ErrExists = errors.New("challenges: the value is stored already")

// Put stores a challenge. Errors: ErrExists.
func (t Table) Put(ctx context.Context, c Challenge) error {
	_, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &t.name, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		Item: items.Encode(item{
			PK: pk(c.Purpose, c.Value), SK: "challenge", Subject: c.Subject,
			Expires: items.Millis(c.ExpiresAt), PurgeAt: c.ExpiresAt.Unix(),
		}),
	})
	if items.ConditionFailed(err) {
		return ErrExists
	}
	if err != nil {
		return fmt.Errorf("store a challenge for %s: %w", c.Purpose, err)
	}
	return nil
}

// Get returns the challenge with this purpose and value, strongly consistent. It returns false if none exists.
func (t Table) Get(ctx context.Context, purpose string, value []byte) (c Challenge, found bool, err error) {
	stored, found, err := items.Get[item](ctx, items.In(t.client, t.name), items.Key(pk(purpose, value), "challenge"))
	return Challenge{Purpose: purpose, Value: value, Subject: stored.Subject, ExpiresAt: items.Time(stored.Expires)},
		found, err
}

// Take deletes the challenge with this purpose and value, and returns its subject. It returns false
// if none exists, or if it has expired at the given time.
func (t Table) Take(ctx context.Context, purpose string, value []byte,
	at time.Time) (subject string, found bool, err error) {
	out, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &t.name, Key: items.Key(pk(purpose, value), "challenge"),
		ConditionExpression: aws.String("attribute_exists(pk)"), ReturnValues: types.ReturnValueAllOld,
	})
	if items.ConditionFailed(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("take a challenge for %s: %w", purpose, err)
	}
	stored, err := items.Decode[item](out.Attributes)
	if err != nil || stored.Expires <= items.Millis(at) {
		return "", false, err
	}
	return stored.Subject, true, nil
}

func pk(purpose string, value []byte) string {
	sum := sha256.Sum256(value)
	return "challenge#" + purpose + "#" + hex.EncodeToString(sum[:])
}
