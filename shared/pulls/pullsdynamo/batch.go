package pullsdynamo

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// slot bounds the time that a batch spans. A page of all pulls reads up to one slot of batches that it does not show.
const slot = 10 * time.Second

// maxBatchBytes bounds the text of a batch. An item has at most 400 KB, even if nothing can be compressed.
const maxBatchBytes = 200 << 10

// maxPullBytes is more than the text of any pull needs: the limits of all fields, with each character escaped.
const maxPullBytes = 16 << 10

// A batch outlives its pulls, because a pull whose batch is missing would be taken over and counted again.
const batchRetention = pulls.Retention + 30*24*time.Hour

// errAbandoned means that another writer has abandoned a batch, so it cannot be committed.
var errAbandoned = errors.New("pullsdynamo: the batch was abandoned")

// newBatch returns the sort key of a new batch whose last pull has the given time.
func newBatch(last time.Time) string {
	return last.UTC().Format(pulls.Stamp) + "#" + rand.Text()
}

// logPartition returns the partition of a month in the log of pulls, or in the one of checks.
func logPartition(at time.Time, isChecks bool) string {
	return listOf(isChecks) + "log#" + at.UTC().Format(monthLayout)
}

// batchKey returns the key of a batch in the log.
func batchKey(batch string) items.Map {
	return items.Key(listOf(isOfChecks(batch))+"log#"+batch[:len(monthLayout)], batch)
}

func pendingKey(batch string) items.Map {
	_, id, _ := strings.Cut(batch, "#")
	return items.Key("pending#"+shardOf(id), batch)
}

func batchPurge(batch string) int64 {
	last, _ := time.Parse(pulls.Stamp, batch[:len(pulls.Stamp)])
	return last.Add(batchRetention).Unix()
}

// commit writes the pulls of a batch to the log, unless the batch is abandoned. A batch of checks counts nothing.
func (s *Store) commit(ctx context.Context, batch string, all []pulls.Pull) error {
	packed, err := pack(all)
	if err != nil {
		return err
	}
	if !isOfChecks(batch) {
		pending := pendingKey(batch)
		pending["purgeAt"] = items.Number(batchPurge(batch))
		if _, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.pulls, Item: pending}); err != nil {
			return fmt.Errorf("note a batch of pulls: %w", err)
		}
	}
	written, err := s.putBatch(ctx, batch, batchPulls, items.Bytes(packed))
	if err == nil && isAbandoned(written) {
		return errAbandoned
	}
	return err
}

// abandon prevents that a batch is committed, and returns its item. The batch may be committed already.
func (s *Store) abandon(ctx context.Context, batch string) (items.Map, error) {
	return s.putBatch(ctx, batch, abandoned, items.Bool(true))
}

// putBatch writes the item of a batch if it does not exist, and returns the stored item.
func (s *Store) putBatch(ctx context.Context, batch, attribute string, value types.AttributeValue) (items.Map, error) {
	item := batchKey(batch)
	item[attribute], item["purgeAt"] = value, items.Number(batchPurge(batch))
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.pulls, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return failed.Item, nil
	}
	if err != nil {
		return nil, fmt.Errorf("write a batch of pulls: %w", err)
	}
	return item, nil
}

func isAbandoned(batch items.Map) bool { return batch[abandoned] != nil }

// pack compresses pulls. Most of their text repeats.
func pack(all []pulls.Pull) ([]byte, error) {
	var out bytes.Buffer
	compressor, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, fmt.Errorf("pack pulls: %w", err)
	}
	if err := json.NewEncoder(compressor).Encode(all); err != nil {
		return nil, fmt.Errorf("pack pulls: %w", err)
	}
	if err := compressor.Close(); err != nil {
		return nil, fmt.Errorf("pack pulls: %w", err)
	}
	return out.Bytes(), nil
}

// unpack returns the pulls of a batch; an abandoned batch has none.
func unpack(item items.Map) ([]pulls.Pull, error) {
	if isAbandoned(item) {
		return nil, nil
	}
	packed, ok := item[batchPulls].(*types.AttributeValueMemberB)
	if !ok {
		return nil, errors.New("unpack pulls: the batch has none")
	}
	var all []pulls.Pull
	reader := flate.NewReader(bytes.NewReader(packed.Value))
	if err := json.NewDecoder(reader).Decode(&all); err != nil {
		return nil, fmt.Errorf("unpack pulls: %w", err)
	}
	return all, nil
}
