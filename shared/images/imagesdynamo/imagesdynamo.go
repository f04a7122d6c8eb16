// Package imagesdynamo stores the ways by which credentials came to digests. The items have a separate table, so that the function that
// serves images needs no write access to credentials.
//
//	grants#<credential>        <repository>@<digest>   the way; purgeAt: when the grant ends
package imagesdynamo

import (
	"context"
	"fmt"
	"slices"
	"time"

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

// grant is the stored item. Items without a tag and for something else than a chart do not exist; those of earlier releases have neither
// attribute, and are for charts.
type grant struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	Tag     string `dynamodbav:"tag,omitempty"`
	IsImage bool   `dynamodbav:"image,omitempty"` // the way does not lead to a chart
	PurgeAt int64  `dynamodbav:"purgeAt"`         // in seconds; DynamoDB may delete the item later
}

func partition(credentialID string) string     { return "grants#" + credentialID }
func sortKey(repository, digest string) string { return repository + "@" + digest }

// maxBatch is how many items DynamoDB writes in one call.
const maxBatch = 25

// Grant implements images.Grants. Two writes of the same grant write the same item, so no condition
// is needed.
func (s *Store) Grant(ctx context.Context, to images.Grant, digests []string) error {
	digests = slices.Compact(slices.Sorted(slices.Values(digests)))
	for part := range slices.Chunk(digests, maxBatch) {
		if err := s.grant(ctx, to, part); err != nil {
			return fmt.Errorf("grant the digests of a manifest: %w", err)
		}
	}
	return nil
}

func (s *Store) grant(ctx context.Context, to images.Grant, digests []string) error {
	puts := make([]types.WriteRequest, len(digests))
	for i, digest := range digests {
		puts[i].PutRequest = &types.PutRequest{Item: items.Encode(grant{
			PK: partition(to.CredentialID), SK: sortKey(to.Repository, digest), Tag: to.Way.Tag, IsImage: !to.Way.IsChart,
			PurgeAt: s.now().Add(images.GrantLife).Unix(),
		})}
	}
	out, err := s.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{s.table: puts},
	})
	if err == nil && len(out.UnprocessedItems) > 0 {
		err = items.ErrUnavailable
	}
	return err
}

// Way implements images.Grants.
func (s *Store) Way(ctx context.Context, credentialID, repository, digest string) (images.Way, bool, error) {
	found, ok, err := items.Get[grant](ctx, items.In(s.client, s.table), items.Key(partition(credentialID), sortKey(repository, digest)))
	if err != nil || !ok || found.PurgeAt <= s.now().Unix() {
		return images.Way{}, false, err
	}
	return images.Way{Tag: found.Tag, IsChart: !found.IsImage}, true, nil
}
