package credentialsdynamo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

const (
	// unclaimedLife is how long the count of a secret is kept that may be wrong.
	unclaimedLife = 24 * time.Hour
	// unusedMemory is how long the last use of a credential that never expires is known at least.
	unusedMemory = 365 * 24 * time.Hour
)

// keptAtLeast returns until when the count of a credential must be kept: as long as lists show the credential.
func keptAtLeast(c credentials.Credential, at time.Time) time.Time {
	switch {
	case c.Kind == credentials.Session:
		return c.ExpiresAt
	case c.ExpiresAt.IsZero():
		return at.Add(unusedMemory)
	default:
		return c.ExpiresAt.Add(credentials.Retention)
	}
}

// RecordUse stores a use of a credential, unless it stores a later one. It adds the owner to the credential's count,
// which lists it in the index byOwner, and keeps the item as long as lists show the credential. CountRequest needs it
// for the first use, which also restores a table that was lost, and once a year for a credential that never expires.
func (r *Requests) RecordUse(ctx context.Context, c credentials.Credential, at time.Time) error {
	purge := keptAtLeast(c, at)
	if c.ExpiresAt.IsZero() {
		purge = purge.Add(unusedMemory)
	}
	_, err := r.table.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &r.table.counts, Key: countKey(c.Hash),
		UpdateExpression:         aws.String("SET #owner = :owner, credential = :credential, purgeAt = :purge, lastUsed = :at"),
		ConditionExpression:      aws.String("attribute_not_exists(lastUsed) OR lastUsed <= :at"),
		ExpressionAttributeNames: map[string]string{"#owner": "owner"},
		ExpressionAttributeValues: items.Map{
			":owner": items.Text(c.Owner.ID), ":credential": items.Text(useSK(c.Kind, c.ID)),
			":purge": items.Number(purge.Unix()), ":at": items.Number(items.Millis(lastUse(at))),
		},
	})
	if err != nil && !items.ConditionFailed(err) { // the later use is recorded by its own request
		return fmt.Errorf("record the use of credential %s: %w", c.ID, err)
	}
	return nil
}

// putCount returns the write that creates the count of a session. The session's use begins with it.
func (w Writes) putCount(c credentials.Credential) types.TransactWriteItem {
	item := items.Encode(count{
		Owner: c.Owner.ID, Credential: useSK(c.Kind, c.ID), LastUsed: items.Millis(c.LastUsedAt),
		PurgeAt: keptAtLeast(c, c.CreatedAt).Unix(),
	})
	item["pk"] = countKey(c.Hash)["pk"]
	return items.PutNew(w.counts, item)
}

// useSK is the sort key of a credential's last use in the index byOwner: the text of the credential without its secret
// part.
func useSK(kind credentials.Kind, id string) string { return string(kind) + "_" + id }

// lastUses returns the last uses of an owner's credentials by their ids, eventually consistent. Credentials of other
// kinds may be included.
func (t *Table) lastUses(ctx context.Context, ownerID string, kinds []credentials.Kind) (map[string]time.Time, error) {
	return t.queryUses(ctx, ownerID, useSK(slices.Min(kinds), ""), useSK(slices.Max(kinds), "~"))
}

// queryUses returns the last uses between two sort keys of the index.
func (t *Table) queryUses(ctx context.Context, ownerID, from, to string) (map[string]time.Time, error) {
	pages := dynamodb.NewQueryPaginator(t.client, &dynamodb.QueryInput{
		TableName: &t.counts, IndexName: aws.String("byOwner"),
		KeyConditionExpression:   aws.String("#owner = :owner AND credential BETWEEN :from AND :to"),
		ExpressionAttributeNames: map[string]string{"#owner": "owner"},
		ExpressionAttributeValues: items.Map{
			":owner": items.Text(ownerID), ":from": items.Text(from), ":to": items.Text(to),
		},
	})
	found := map[string]time.Time{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the last uses of the credentials of %s: %w", ownerID, err)
		}
		for _, item := range page.Items {
			use, err := items.Decode[count](item)
			if err != nil {
				return nil, err
			}
			_, id, _ := strings.Cut(use.Credential, "_")
			found[id] = items.Time(use.LastUsed)
		}
	}
	return found, nil
}

// GetWithUse is Get with the last use, which is eventually consistent.
func (t *Table) GetWithUse(ctx context.Context, id string) (credentials.Credential, error) {
	c, err := t.Get(ctx, id)
	if err != nil {
		return credentials.Credential{}, err
	}
	uses, err := t.queryUses(ctx, c.Owner.ID, useSK(c.Kind, id), useSK(c.Kind, id))
	return withUse(c, uses[id]), err
}

// withUse returns the credential with its last use. A session's first one may not be in the index yet.
func withUse(c credentials.Credential, used time.Time) credentials.Credential {
	if !used.IsZero() && used.Before(c.CreatedAt) { // the use is rounded down
		used = c.CreatedAt
	}
	if used.After(c.LastUsedAt) {
		c.LastUsedAt = used
	}
	return c
}
