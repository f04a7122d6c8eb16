package credentialsdynamo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

// made is the item under the credential of a maker that finds a credential of another user.
type made struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	PurgeAt int64  `dynamodbav:"purgeAt,omitempty"`
}

func madePK(makerCredentialID string) string { return "made#" + makerCredentialID }

// foreignMakers returns the makers of a credential that are not its owner.
func foreignMakers(c credentials.Credential) []principal.Maker {
	return slices.DeleteFunc(slices.Clone(c.Makers), func(m principal.Maker) bool { return m.UserID == c.Owner.ID })
}

func (w Writes) putMade(c credentials.Credential, purgeAt int64) []types.TransactWriteItem {
	var writes []types.TransactWriteItem
	for _, m := range foreignMakers(c) {
		writes = append(writes, w.put(made{PK: madePK(m.CredentialID), SK: c.ID, PurgeAt: purgeAt}))
	}
	return writes
}

func (w Writes) deleteMade(c credentials.Credential) []types.TransactWriteItem {
	var writes []types.TransactWriteItem
	for _, m := range foreignMakers(c) {
		writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{
			TableName: &w.table, Key: items.Key(madePK(m.CredentialID), c.ID),
		}})
	}
	return writes
}

// Made returns credentials of any owner that were made with the credential root, directly or in several steps, or
// renewed from it, and that are neither revoked nor expired. It returns all of them if there are less than limit, and
// otherwise at least limit. Reads are strongly consistent. If root is revoked, so that it makes no others, calls that
// revoke the result come to an end.
func (t *Table) Made(ctx context.Context, root credentials.Credential, at time.Time, limit int) ([]credentials.Credential, error) {
	owned, _, err := t.list(ctx, root.Owner.ID, nil)
	if err != nil {
		return nil, err
	}
	renewed := credentials.RenewedFrom(root.ID, owned)
	found := slices.DeleteFunc(owned, func(c credentials.Credential) bool {
		return !c.IsOpen(at) || !renewed[c.ID] && !c.IsMadeWith(root.ID)
	})
	return t.appendForeign(ctx, found, madeSearch{root.ID, at, limit})
}

// madeSearch are the parameters of Made.
type madeSearch struct {
	rootID string
	at     time.Time
	limit  int
}

// appendForeign appends the credentials of other users, until there are as many as the limit.
func (t *Table) appendForeign(ctx context.Context, found []credentials.Credential, search madeSearch) ([]credentials.Credential, error) {
	const pageSize = 100
	pages := dynamodb.NewQueryPaginator(t.client, &dynamodb.QueryInput{
		TableName: &t.name, ConsistentRead: aws.Bool(true), Limit: aws.Int32(pageSize), KeyConditionExpression: aws.String("pk = :made"),
		ExpressionAttributeValues: items.Map{":made": items.Text(madePK(search.rootID))},
	})
	for pages.HasMorePages() && len(found) < search.limit {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list what was made with credential %s: %w", search.rootID, err)
		}
		ids := make([]string, len(page.Items))
		for i, item := range page.Items {
			listed, err := items.Decode[made](item)
			if err != nil {
				return nil, err
			}
			ids[i] = listed.SK
		}
		others, err := t.ByID(ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, c := range others.Credentials {
			if c.IsOpen(search.at) {
				found = append(found, c)
			}
		}
	}
	return found, nil
}
