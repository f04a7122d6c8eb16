// Package credentialsdynamo keeps credentials in a DynamoDB table.
//
// Each credential has two items, which are written together: the record (pk "credential#<id>"),
// which authentication reads by one key, and a pointer (pk "owner#<user>", sk "<kind>#<id>"), which
// makes the list of a user's credentials strongly consistent. Tokens and passwords have a third
// item (pk "expires#<day>", sk "<id>") for expiry notices; see Expiring. The record carries the
// owner's role and status, so authentication is one call. Next to the pointers is the owner's tally
// (sk "owner"): how many credentials were ever issued, and about how many are live. A transaction
// that changes all credentials of an owner is conditional on the first number, so that none is
// issued meanwhile; see Tally.
//
// Stores of other domains put these writes into their own transactions with Issue, SetOwner, Revoke
// and Tally.
//
// The rate limit is a counter attribute for each minute ("m29417760") on the record: one UpdateItem
// counts, records the use and returns everything. It also removes the counters of the minutes just
// before. Counters that remain after a pause are removed once several have accumulated.
package credentialsdynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
)

// Retention is the least time for which a revoked or expired credential stays in the table.
const Retention = credentials.Retention

// Table is the credentials table.
type Table struct {
	client *dynamodb.Client
	name   string
}

// New returns a Table with the given name.
func New(client *dynamodb.Client, name string) *Table {
	return &Table{client: client, name: name}
}

var _ credentials.Store = (*Table)(nil)

// record is the stored form of a credential. Times are Unix milliseconds, except purgeAt, which is
// in seconds for DynamoDB's TTL.
type record struct {
	PK            string           `dynamodbav:"pk"`
	SK            string           `dynamodbav:"sk"`
	ID            string           `dynamodbav:"id"`
	Kind          credentials.Kind `dynamodbav:"kind"`
	Hash          []byte           `dynamodbav:"hash"`
	Owner         string           `dynamodbav:"owner"`
	Role          principal.Role   `dynamodbav:"role"`
	Active        bool             `dynamodbav:"active"`
	Name          string           `dynamodbav:"name,omitempty"`
	Created       int64            `dynamodbav:"created"`
	Expires       int64            `dynamodbav:"expires,omitempty"`
	Revoked       int64            `dynamodbav:"revoked,omitempty"`
	LastUsed      int64            `dynamodbav:"lastUsed,omitempty"`
	Limit         int              `dynamodbav:"rateLimit,omitempty"`
	PurgeAt       int64            `dynamodbav:"purgeAt,omitempty"`
	Scopes        []string         `dynamodbav:"scopes,omitempty"`
	Username      string           `dynamodbav:"username,omitempty"`
	From          string           `dynamodbav:"rotatedFrom,omitempty"`
	Reason        string           `dynamodbav:"reason,omitempty"`
	Authenticated int64            `dynamodbav:"authenticated,omitempty"`
	IssuedBy      string           `dynamodbav:"issuedBy,omitempty"`
}

func newRecord(c credentials.Credential) record {
	r := record{
		PK: recordPK(c.ID), SK: "credential", ID: c.ID, Kind: c.Kind, Hash: c.Hash,
		Owner: c.Owner.ID, Role: c.Owner.Role, Active: c.Owner.Active, Name: c.Name,
		Created: items.Millis(c.CreatedAt), Expires: items.Millis(c.ExpiresAt), Revoked: items.Millis(c.RevokedAt),
		LastUsed: items.Millis(c.LastUsedAt), Limit: c.RateLimit, Authenticated: items.Millis(c.AuthenticatedAt),
		Scopes: c.Scopes, Username: c.Username, From: c.RotatedFrom, Reason: c.Reason, IssuedBy: c.IssuedBy,
	}
	if !c.ExpiresAt.IsZero() {
		r.PurgeAt = c.ExpiresAt.Add(Retention).Unix()
	}
	return r
}

func (r record) credential() credentials.Credential {
	return credentials.Credential{
		ID: r.ID, Kind: r.Kind, Hash: r.Hash,
		Owner: credentials.Owner{ID: r.Owner, Role: r.Role, Active: r.Active}, Name: r.Name,
		CreatedAt: items.Time(r.Created), ExpiresAt: items.Time(r.Expires), RevokedAt: items.Time(r.Revoked),
		LastUsedAt: items.Time(r.LastUsed), RateLimit: r.Limit, AuthenticatedAt: items.Time(r.Authenticated),
		Scopes: r.Scopes, Username: r.Username, RotatedFrom: r.From, Reason: r.Reason, IssuedBy: r.IssuedBy,
	}
}

// Get implements credentials.Store.
func (t *Table) Get(ctx context.Context, id string) (credentials.Credential, error) {
	if !credentials.IsID(id) {
		return credentials.Credential{}, credentials.ErrUnknown
	}
	r, found, err := items.Get[record](ctx, items.In(t.client, t.name), recordKey(id))
	if err == nil && !found {
		return credentials.Credential{}, credentials.ErrUnknown
	}
	return r.credential(), err
}

// Replay returns the credential that an idempotency key has created, and its secret. Errors: idempotency.ErrReused,
// idempotency.ErrExpired, idempotency.ErrRevoked.
func (t *Table) Replay(
	ctx context.Context, key idempotency.Key, at time.Time,
) (credentials.Credential, credentials.Secret, error) {
	sealed, err := idempotencykeys.Result[[]byte](ctx, items.In(t.client, t.name), key, at)
	if err != nil {
		return credentials.Credential{}, credentials.Secret{}, err
	}
	text, err := key.Open(sealed)
	if err != nil {
		return credentials.Credential{}, credentials.Secret{}, err
	}
	secret, err := credentials.Parse(text)
	if err != nil {
		return credentials.Credential{}, credentials.Secret{}, err
	}
	created, err := t.Get(ctx, secret.ID())
	if errors.Is(err, credentials.ErrUnknown) || err == nil && !created.RevokedAt.IsZero() {
		return credentials.Credential{}, credentials.Secret{}, idempotency.ErrRevoked
	}
	return created, secret, err
}

// RecordUse implements credentials.Store.
func (t *Table) RecordUse(ctx context.Context, id string, at time.Time) error {
	return t.set(ctx, id, "lastUsed", items.Millis(lastUse(at)))
}

// SetRateLimit sets the rate limit of one credential, in requests per minute. 0 restores the
// default. Errors: ErrUnknown.
func (t *Table) SetRateLimit(ctx context.Context, id string, perMinute int) error {
	return t.set(ctx, id, "rateLimit", int64(perMinute))
}

func (t *Table) set(ctx context.Context, id, attribute string, value int64) error {
	if !credentials.IsID(id) {
		return credentials.ErrUnknown
	}
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: recordKey(id),
		UpdateExpression: aws.String("SET #attribute = :value"), ConditionExpression: aws.String("attribute_exists(pk)"),
		ExpressionAttributeNames:  map[string]string{"#attribute": attribute},
		ExpressionAttributeValues: items.Map{":value": items.Number(value)},
	}, items.RetryConflicts)
	if items.ConditionFailed(err) {
		return credentials.ErrUnknown
	}
	if err != nil {
		return fmt.Errorf("set %s of credential %s: %w", attribute, id, err)
	}
	return nil
}

// List returns the credentials of one kind that an owner has or had within Retention, in no particular order. Some may be
// older, since DynamoDB's TTL takes days; see credentials.Credential.IsRetained. Reads are strongly consistent.
func (t *Table) List(ctx context.Context, ownerID string, kind credentials.Kind) ([]credentials.Credential, error) {
	return t.list(ctx, ownerID, string(kind)+"#")
}

func (t *Table) list(ctx context.Context, ownerID, prefix string) ([]credentials.Credential, error) {
	pages := dynamodb.NewQueryPaginator(t.client, &dynamodb.QueryInput{
		TableName: &t.name, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :owner AND begins_with(sk, :prefix)"),
		ExpressionAttributeValues: items.Map{
			":owner": items.Text(ownerPK(ownerID)), ":prefix": items.Text(prefix),
		},
	})
	var keys []items.Map
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the credentials of %s: %w", ownerID, err)
		}
		for _, item := range page.Items {
			p, err := items.Decode[pointer](item)
			if err != nil {
				return nil, err
			}
			keys = append(keys, recordKey(p.ID))
		}
	}
	found := make([]credentials.Credential, 0, len(keys))
	err := items.GetAll(ctx, items.In(t.client, t.name), keys, func(item items.Map) error {
		r, err := items.Decode[record](item)
		found = append(found, r.credential())
		return err
	})
	return found, err
}
