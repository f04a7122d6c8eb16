package credentialsdynamo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/core/retry"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
)

// expiry is the item that lists a token or password under the day on which it expires.
type expiry struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	PurgeAt int64  `dynamodbav:"purgeAt"`
}

func newExpiry(r record) expiry {
	return expiry{PK: expiryPK(calendar.DayOf(items.Time(r.Expires))), SK: r.ID, PurgeAt: r.PurgeAt}
}

// hasNotice reports whether the owner gets a notice before the credential expires, which needs an expiry item.
func (r record) hasNotice() bool {
	return r.Expires > 0 && (r.Kind == credentials.AccessToken || r.Kind == credentials.Password)
}

func expiryPK(day calendar.Day) string { return "expires#" + day.String() }

// Expiring returns at most limit tokens and passwords that expire on a day, revoked ones included, in the order of
// their IDs after the given one, and without their last uses. Reads are strongly consistent.
func (t *Table) Expiring(ctx context.Context, day calendar.Day, after string, limit int) (credentials.Found, error) {
	page, err := t.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &t.name, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(limit)), //nolint:gosec // G115: limits are small
		KeyConditionExpression:    aws.String("pk = :day AND sk > :after"),
		ExpressionAttributeValues: items.Map{":day": items.Text(expiryPK(day)), ":after": items.Text(cmp.Or(after, " "))},
	})
	if err != nil {
		return credentials.Found{}, fmt.Errorf("list the credentials that expire on %s: %w", day, err)
	}
	var ids []string
	for _, item := range page.Items {
		listed, err := items.Decode[expiry](item)
		if err != nil {
			return credentials.Found{}, err
		}
		ids = append(ids, listed.SK)
	}
	found, err := t.ByID(ctx, ids)
	if page.LastEvaluatedKey != nil && len(ids) > 0 {
		found.Next = ids[len(ids)-1]
	}
	return found, err
}

// ByID returns the credentials with the given distinct IDs that exist, without their last uses. Reads are strongly
// consistent.
func (t *Table) ByID(ctx context.Context, ids []string) (credentials.Found, error) {
	keys := make([]items.Map, len(ids))
	for i, id := range ids {
		keys[i] = recordKey(id)
	}
	var found credentials.Found
	err := items.GetAll(ctx, items.In(t.client, t.name), keys, func(item items.Map) error {
		if r, err := items.Decode[record](item); err != nil {
			found.Damaged = append(found.Damaged, fmt.Errorf("%s: %w", pkOf(item), err))
		} else {
			found.Credentials = append(found.Credentials, r.credential())
		}
		return nil
	})
	slices.SortFunc(found.Credentials, func(a, b credentials.Credential) int { return strings.Compare(a.ID, b.ID) })
	return found, cmp.Or(err, t.withEnds(ctx, found.Credentials))
}

// pkOf returns the partition key of an item, for errors.
func pkOf(item items.Map) string {
	pk, _ := item["pk"].(*types.AttributeValueMemberS)
	if pk == nil {
		return ""
	}
	return pk.Value
}

// shortening is the policy of Shorten, which starts again at once if the credential has changed.
var shortening = retry.Policy{Attempts: 4}

// Shorten makes a token or password expire at the given time, unless it expires earlier. It never extends a lifetime,
// so a repeated call changes nothing. Errors: ErrUnknown if no credential has this id and hash.
func (t *Table) Shorten(ctx context.Context, secret credentials.Secret, to time.Time) error {
	err := shortening.Do(ctx, versions.IsStale, func() error { return t.tryShorten(ctx, secret, to) })
	if versions.IsStale(err) {
		return fmt.Errorf("shorten credential %s: %w", secret.ID(), err)
	}
	return err
}

// tryShorten is Shorten without retries. Errors: versions.ErrStale if the credential has changed meanwhile.
func (t *Table) tryShorten(ctx context.Context, secret credentials.Secret, to time.Time) error {
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
	was := before.credential()
	is := was
	is.ExpiresAt = to
	err = transactions.Write(ctx, t.client, append(t.shortened(before, to), t.Audit(ctx, updated(was, is))...))
	if _, failed := transactions.FailedAt(err); failed {
		return versions.ErrStale
	}
	return err
}

// shortened returns the writes that move the expiry of a record and of all items that repeat it.
func (t *Table) shortened(before record, to time.Time) []types.TransactWriteItem {
	after := before
	after.Expires, after.PurgeAt = items.Millis(to), to.Add(credentials.Retention).Unix()
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
			TableName: &t.name, Key: listingKey(before.credential()),
			UpdateExpression:    aws.String("SET expires = :expires, purgeAt = :purge"),
			ConditionExpression: aws.String("attribute_exists(pk)"),
			ExpressionAttributeValues: items.Map{
				":expires": items.Number(after.Expires), ":purge": items.Number(after.PurgeAt),
			},
		}},
	}
	return append(writes, t.relist(before, after)...)
}

// relist moves the expiry item of a record from its old day to its new day.
func (t *Table) relist(before, after record) []types.TransactWriteItem {
	var writes []types.TransactWriteItem
	from, to := newExpiry(before), newExpiry(after)
	if before.hasNotice() && from.PK != to.PK {
		writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: &t.name, Key: items.Key(from.PK, from.SK)}})
	}
	if after.hasNotice() {
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &t.name, Item: items.Encode(to)}})
	}
	return writes
}
