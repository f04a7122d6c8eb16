package pullsdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/parallel"
	"portside/shared/dynamo/items"
)

// maxWindow bounds the batches of a window, whose keys are in one item.
const maxWindow = 1000

// window is a set of batches that are counted together. It is open until all of them are counted.
type window struct {
	Number  int64    `dynamodbav:"number"`
	Batches []string `dynamodbav:"batches"`
	Recount string   `dynamodbav:"recount,omitempty"` // the day that a recount corrects, instead of batches
}

func windowKey() items.Map { return items.Key("window", "window") }

// CountPending adds all pending batches to the counts, and returns the number of pulls that it counted. It first
// completes a window that an earlier call has left open. Several calls at the same time do the same work, but count
// each pull once.
func (s *Store) CountPending(ctx context.Context) (int, error) {
	for counted := 0; ; {
		w, err := s.openWindow(ctx)
		if err == nil && w.Number == 0 {
			return counted, nil
		}
		if err == nil {
			var n int
			n, err = s.countWindow(ctx, w)
			counted += n
		}
		if err != nil {
			return counted, fmt.Errorf("count pulls: %w", err)
		}
	}
}

// openWindow returns the open window, or opens one. It returns a window without a number if no batch is pending.
func (s *Store) openWindow(ctx context.Context) (window, error) {
	for {
		last, found, err := items.Get[window](ctx, items.In(s.client, s.pulls), windowKey())
		if err != nil || found && len(last.Batches) > 0 {
			return last, err
		}
		if last.Recount != "" {
			return window{}, fmt.Errorf("%w: %s", ErrRecounting, last.Recount)
		}
		pending, err := s.pending(ctx, maxWindow)
		if err != nil || len(pending) == 0 {
			return window{}, err
		}
		next := window{Number: last.Number + 1, Batches: pending}
		if err := s.putWindow(ctx, next, last.Number); !items.ConditionFailed(err) {
			return next, err
		}
	}
}

// putWindow replaces the window if its number is still the given one; 0 means that none is stored.
func (s *Store) putWindow(ctx context.Context, w window, number int64) error {
	item := items.Encode(w)
	maps.Copy(item, windowKey())
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.pulls, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk) OR #number = :number"),
		ExpressionAttributeNames:  map[string]string{"#number": "number"},
		ExpressionAttributeValues: items.Map{":number": items.Number(number)},
	})
	return err
}

// pending returns up to limit batches that are not counted yet.
func (s *Store) pending(ctx context.Context, limit int) ([]string, error) {
	found := make([][]string, len(shards))
	err := parallel.Each(len(shards), len(shards), func(i int) error {
		out, err := s.client.Query(ctx, &dynamodb.QueryInput{
			TableName: &s.pulls, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(limit / len(shards))), //nolint:gosec // at most a page
			KeyConditionExpression:    aws.String("pk = :shard"),
			ExpressionAttributeValues: items.Map{":shard": items.Text("pending#" + shards[i:i+1])},
		})
		if err != nil {
			return fmt.Errorf("read the pending batches of pulls: %w", err)
		}
		for _, item := range out.Items {
			if batch, ok := item["sk"].(*types.AttributeValueMemberS); ok {
				found[i] = append(found[i], batch.Value)
			}
		}
		return nil
	})
	var all []string
	for _, batches := range found {
		all = append(all, batches...)
	}
	return all, err
}

// countWindow adds the batches to the counts, removes them from the pending ones, and closes the window. Another call
// may have closed it already.
func (s *Store) countWindow(ctx context.Context, w window) (int, error) {
	t, err := s.tally(ctx, w)
	if err != nil {
		return 0, err
	}
	if err := s.apply(ctx, w.Number, t); err != nil {
		return 0, err
	}
	err = parallel.Each(len(w.Batches), maxConcurrentCalls, func(i int) error {
		_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.pulls, Key: pendingKey(w.Batches[i])})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("remove the counted batches of pulls: %w", err)
	}
	if err := s.putWindow(ctx, window{Number: w.Number}, w.Number); err != nil && !items.ConditionFailed(err) {
		return 0, fmt.Errorf("close the window: %w", err)
	}
	return t.counted(), nil
}

// tally counts the pulls in a window's batches and the checks in its notes. It abandons an uncommitted batch, because a
// writer that fails between the two writes of a batch leaves it pending.
func (s *Store) tally(ctx context.Context, w window) (*tally, error) {
	t, missing := newTally(), map[string]bool{}
	var keys, notes []items.Map
	for _, batch := range w.Batches {
		if isOfChecks(batch) {
			notes = append(notes, pendingKey(batch))
		} else {
			keys, missing[batch] = append(keys, batchKey(batch)), true
		}
	}
	add := func(item items.Map) error {
		if sk, ok := item["sk"].(*types.AttributeValueMemberS); ok {
			delete(missing, sk.Value)
		}
		all, err := unpack(item)
		t.add(all)
		return err
	}
	if err := items.GetAll(ctx, items.In(s.client, s.pulls), keys, add); err != nil {
		return nil, err
	}
	for batch := range missing {
		item, err := s.abandon(ctx, batch)
		if err == nil {
			err = add(item)
		}
		if err != nil {
			return nil, err
		}
	}
	return t, s.tallyChecks(ctx, w.Number, notes, t)
}

// counted returns the number of pulls.
func (t *tally) counted() int {
	sum := int64(0)
	for _, kinds := range t.days {
		for _, n := range kinds {
			sum += n
		}
	}
	return int(sum)
}

// ErrPending means that a day has pulls that are not counted yet.
var ErrPending = errors.New("pullsdynamo: the day has pulls that are not counted yet; try again")
