// Package imagesdynamo stores which blobs a credential may fetch. The items have a separate table, so that the function that
// serves images needs no write access to credentials.
//
//	grants#<credential>        <repository>@<digest>   purgeAt: when the grant ends
package imagesdynamo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
	"portside/shared/images"
)

// Store keeps grants.
type Store struct {
	client *dynamodb.Client
	table  string
	now    func() time.Time
}

var _ images.Grants = (*Store)(nil)

// New returns a Store in the named table.
func New(client *dynamodb.Client, table string, now func() time.Time) *Store {
	return &Store{client: client, table: table, now: now}
}

// grant is the stored item.
type grant struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	PurgeAt int64  `dynamodbav:"purgeAt"` // in seconds; DynamoDB may delete the item later
}

func partition(credentialID string) string     { return "grants#" + credentialID }
func sortKey(repository, digest string) string { return repository + "@" + digest }

// Grant implements images.Grants. Two writes of the same grant write the same item, so no condition
// is needed.
func (s *Store) Grant(ctx context.Context, credentialID, repository string, digests []string) error {
	digests = slices.Compact(slices.Sorted(slices.Values(digests)))
	puts := make([]types.WriteRequest, len(digests))
	for i, digest := range digests {
		puts[i].PutRequest = &types.PutRequest{Item: items.Encode(grant{
			PK: partition(credentialID), SK: sortKey(repository, digest), PurgeAt: s.now().Add(images.GrantLife).Unix(),
		})}
	}
	out, err := s.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{s.table: puts},
	})
	if err != nil {
		return fmt.Errorf("grant the blobs of a chart: %w", err)
	}
	if len(out.UnprocessedItems) > 0 {
		return fmt.Errorf("grant the blobs of a chart: %w", items.ErrUnavailable)
	}
	return nil
}

// Granted implements images.Grants.
func (s *Store) Granted(ctx context.Context, credentialID, repository, digest string) (bool, error) {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.table, Key: items.Key(partition(credentialID), sortKey(repository, digest)), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return false, fmt.Errorf("look for a grant: %w", err)
	}
	if out.Item == nil {
		return false, nil
	}
	found, err := items.Decode[grant](out.Item)
	return err == nil && found.PurgeAt > s.now().Unix(), err
}
