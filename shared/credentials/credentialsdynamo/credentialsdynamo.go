// Package credentialsdynamo keeps credentials in a DynamoDB table.
//
// Two items a credential, written together: the record (pk "credential#<id>"), which every request reads by one key, and
// a pointer (pk "owner#<user>", sk "<kind>#<id>"), which makes a strongly consistent list of a user's credentials. The
// record carries the owner's role and standing, so authentication is one call. Stores of other domains build these
// writes into their own transactions with Issue, SetOwner and Revoke.
//
// The rate limit is a counter attribute for each minute ("m29417760") on the record itself: one UpdateItem counts,
// notes the use and returns everything. It removes the counters of the minutes just before; a counter that is left over
// after a pause is swept once several have gathered.
package credentialsdynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentials"
	"portside/shared/principal"
)

// Retention is how long a revoked or expired credential stays in the table for audit.
const Retention = 90 * 24 * time.Hour

// Table is the credentials table.
type Table struct {
	client *dynamodb.Client
	name   string
}

// New returns the credentials in the named table.
func New(client *dynamodb.Client, name string) *Table {
	return &Table{client: client, name: name}
}

var _ credentials.Store = (*Table)(nil)

// record is the shape of a credential's item. Times are Unix milliseconds; purgeAt, for DynamoDB's TTL, seconds.
type record struct {
	PK       string           `dynamodbav:"pk"`
	SK       string           `dynamodbav:"sk"`
	ID       string           `dynamodbav:"id"`
	Kind     credentials.Kind `dynamodbav:"kind"`
	Hash     []byte           `dynamodbav:"hash"`
	Owner    string           `dynamodbav:"owner"`
	Role     principal.Role   `dynamodbav:"role"`
	Active   bool             `dynamodbav:"active"`
	Name     string           `dynamodbav:"name,omitempty"`
	Created  int64            `dynamodbav:"created"`
	Expires  int64            `dynamodbav:"expires,omitempty"`
	Revoked  int64            `dynamodbav:"revoked,omitempty"`
	LastUsed int64            `dynamodbav:"lastUsed,omitempty"`
	Limit    int              `dynamodbav:"rateLimit,omitempty"`
	PurgeAt  int64            `dynamodbav:"purgeAt,omitempty"`
}

func newRecord(c credentials.Credential) record {
	r := record{
		PK: recordKey(c.ID), SK: "credential", ID: c.ID, Kind: c.Kind, Hash: c.Hash,
		Owner: c.Owner.ID, Role: c.Owner.Role, Active: c.Owner.Active, Name: c.Name,
		Created: millis(c.CreatedAt), Expires: millis(c.ExpiresAt), Revoked: millis(c.RevokedAt),
		LastUsed: millis(c.LastUsedAt), Limit: c.RateLimit,
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
		CreatedAt: timeOf(r.Created), ExpiresAt: timeOf(r.Expires), RevokedAt: timeOf(r.Revoked),
		LastUsedAt: timeOf(r.LastUsed), RateLimit: r.Limit,
	}
}

// Get implements credentials.Store.
func (t *Table) Get(ctx context.Context, id string) (credentials.Credential, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &t.name, Key: recordItemKey(id), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return credentials.Credential{}, fmt.Errorf("credential %s: %w", id, err)
	}
	if out.Item == nil {
		return credentials.Credential{}, credentials.ErrUnknown
	}
	return decode(out.Item)
}

// Touch implements credentials.Store.
func (t *Table) Touch(ctx context.Context, id string, at time.Time) error {
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: recordItemKey(id),
		UpdateExpression:          aws.String("SET lastUsed = :at"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":at": number(millis(lastUse(at)))},
	})
	if failed := (*types.ConditionalCheckFailedException)(nil); errors.As(err, &failed) {
		return credentials.ErrUnknown
	}
	if err != nil {
		return fmt.Errorf("note use of credential %s: %w", id, err)
	}
	return nil
}

// SetRateLimit gives one credential a limit of its own, in requests a minute; 0 returns it to the default.
func (t *Table) SetRateLimit(ctx context.Context, id string, perMinute int) error {
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: recordItemKey(id),
		UpdateExpression:          aws.String("SET rateLimit = :limit"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":limit": number(int64(perMinute))},
	})
	if failed := (*types.ConditionalCheckFailedException)(nil); errors.As(err, &failed) {
		return credentials.ErrUnknown
	}
	if err != nil {
		return fmt.Errorf("set rate limit of credential %s: %w", id, err)
	}
	return nil
}

// List returns the credentials of one kind that an owner has or had within Retention, in no particular order.
// Strongly consistent.
func (t *Table) List(ctx context.Context, ownerID string, kind credentials.Kind) ([]credentials.Credential, error) {
	return t.list(ctx, ownerID, string(kind)+"#")
}

// ListAll is List for all kinds at once.
func (t *Table) ListAll(ctx context.Context, ownerID string) ([]credentials.Credential, error) {
	return t.list(ctx, ownerID, "ps")
}

func (t *Table) list(ctx context.Context, ownerID, prefix string) ([]credentials.Credential, error) {
	pages := dynamodb.NewQueryPaginator(t.client, &dynamodb.QueryInput{
		TableName: &t.name, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :owner AND begins_with(sk, :prefix)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":owner": text(ownerKey(ownerID)), ":prefix": text(prefix),
		},
	})
	var ids []string
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("credentials of %s: %w", ownerID, err)
		}
		for _, item := range page.Items {
			var p pointer
			if err := attributevalue.UnmarshalMap(item, &p); err != nil {
				return nil, fmt.Errorf("credentials of %s: %w", ownerID, err)
			}
			ids = append(ids, p.ID)
		}
	}
	return t.getAll(ctx, ids)
}

// batchSize is DynamoDB's limit for one BatchGetItem.
const batchSize = 100

func (t *Table) getAll(ctx context.Context, ids []string) ([]credentials.Credential, error) {
	found := make([]credentials.Credential, 0, len(ids))
	var wanted []map[string]types.AttributeValue
	for _, id := range ids {
		wanted = append(wanted, recordItemKey(id))
	}
	for len(wanted) > 0 {
		n := min(batchSize, len(wanted))
		out, err := t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{
				t.name: {Keys: wanted[:n], ConsistentRead: aws.Bool(true)},
			},
		})
		if err != nil {
			return nil, fmt.Errorf("read credentials: %w", err)
		}
		for _, item := range out.Responses[t.name] {
			c, err := decode(item)
			if err != nil {
				return nil, err
			}
			found = append(found, c)
		}
		wanted = append(wanted[n:], out.UnprocessedKeys[t.name].Keys...)
	}
	return found, nil
}

func decode(item map[string]types.AttributeValue) (credentials.Credential, error) {
	var r record
	if err := attributevalue.UnmarshalMap(item, &r); err != nil {
		return credentials.Credential{}, fmt.Errorf("read a credential: %w", err)
	}
	return r.credential(), nil
}
