package credentialsdynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentials"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
)

// expiry lists a token or password under the day on which it expires.
type expiry struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	PurgeAt int64  `dynamodbav:"purgeAt"`
}

func newExpiry(r record) expiry {
	return expiry{PK: expiryPK(items.Time(r.Expires)), SK: r.ID, PurgeAt: r.PurgeAt}
}

// announced reports whether somebody is told before the credential expires, and so whether it is listed by its day.
func (r record) announced() bool {
	return r.Expires > 0 && (r.Kind == credentials.AccessToken || r.Kind == credentials.Password)
}

func expiryPK(at time.Time) string { return "expires#" + at.UTC().Format(time.DateOnly) }

// Expiring returns the tokens and passwords that expire, or would have, on the UTC day of the given time, revoked ones
// included, in no particular order. Strongly consistent.
func (t *Table) Expiring(ctx context.Context, day time.Time) ([]credentials.Credential, error) {
	pages := dynamodb.NewQueryPaginator(t.client, &dynamodb.QueryInput{
		TableName: &t.name, ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String("pk = :day"),
		ExpressionAttributeValues: items.Map{":day": items.Text(expiryPK(day))},
	})
	var keys []items.Map
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("credentials that expire on %s: %w", day.UTC().Format(time.DateOnly), err)
		}
		for _, item := range page.Items {
			listed, err := items.Decode[expiry](item)
			if err != nil {
				return nil, err
			}
			keys = append(keys, recordKey(listed.SK))
		}
	}
	var found []credentials.Credential
	err := items.GetAll(ctx, items.In(t.client, t.name), keys, func(item items.Map) error {
		r, err := items.Decode[record](item)
		found = append(found, r.credential())
		return err
	})
	return found, err
}

// shortenings is how often Shorten starts over when the credential changes under it.
const shortenings = 4

// Shorten makes a token or password expire at the given time, unless it ends before that anyway: a life is never made
// longer, so that calling it again, however late, changes nothing. ErrUnknown if there is no credential with this id and
// hash.
func (t *Table) Shorten(ctx context.Context, secret credentials.Secret, to time.Time) error {
	for range shortenings {
		before, found, err := items.Get[record](ctx, items.In(t.client, t.name), recordKey(secret.ID()))
		if err != nil {
			return err
		}
		if !found || !secret.Matches(before.Hash) {
			return credentials.ErrUnknown
		}
		if before.Revoked > 0 || before.Expires > 0 && before.Expires <= items.Millis(to) {
			return nil
		}
		err = transactions.Write(ctx, t.client, t.shorten(before, to))
		if _, changed := transactions.FailedAt(err); !changed {
			return err
		}
	}
	return fmt.Errorf("shorten credential %s: %w", secret.ID(), errChanging)
}

var errChanging = errors.New("credentialsdynamo: the credential keeps changing")

// shorten moves the end of a record together with everything that repeats it.
func (t *Table) shorten(before record, to time.Time) []types.TransactWriteItem {
	after := before
	after.Expires, after.PurgeAt = items.Millis(to), to.Add(Retention).Unix()
	unchanged, values := aws.String("attribute_not_exists(expires) AND attribute_not_exists(revoked)"), items.Map{}
	if before.Expires > 0 {
		unchanged = aws.String("expires = :before AND attribute_not_exists(revoked)")
		values[":before"] = items.Number(before.Expires)
	}
	values[":expires"], values[":purge"] = items.Number(after.Expires), items.Number(after.PurgeAt)
	writes := []types.TransactWriteItem{
		{Update: &types.Update{
			TableName: &t.name, Key: recordKey(before.ID), UpdateExpression: aws.String("SET expires = :expires, purgeAt = :purge"),
			ConditionExpression: unchanged, ExpressionAttributeValues: values,
		}},
		{Update: &types.Update{
			TableName: &t.name, Key: items.Key(ownerPK(before.Owner), string(before.Kind)+"#"+before.ID),
			UpdateExpression:          aws.String("SET purgeAt = :purge"),
			ConditionExpression:       aws.String("attribute_exists(pk)"),
			ExpressionAttributeValues: items.Map{":purge": items.Number(after.PurgeAt)},
		}},
	}
	return append(writes, t.relist(before, after)...)
}

// relist moves a record from the day on which it was to expire to the day on which it will.
func (t *Table) relist(before, after record) []types.TransactWriteItem {
	var writes []types.TransactWriteItem
	from, to := newExpiry(before), newExpiry(after)
	if before.announced() && from.PK != to.PK {
		writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: &t.name, Key: items.Key(from.PK, from.SK)}})
	}
	if after.announced() {
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &t.name, Item: items.Encode(to)}})
	}
	return writes
}
