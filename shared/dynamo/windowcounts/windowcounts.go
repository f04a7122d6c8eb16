// Package windowcounts counts events in fixed windows of time, such as the mails of a customer on a day or the attempts
// from a network in an hour. Each window is one item (pk "count#<name>#<subject>", sk the start of the window in Unix
// seconds). DynamoDB deletes it a day after the window at the earliest.
package windowcounts

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/throttle"
	"portside/shared/dynamo/items"
)

// Table is the table with the counts.
type Table struct {
	client *dynamodb.Client
	name   string
}

// New returns a Table with the given name.
func New(client *dynamodb.Client, name string) Table { return Table{client, name} }

// Count returns the write that counts n events in the window that contains the time. Its condition fails if the window
// would have more events than the limit. n must be at most the limit. Without a limit or events, there is no write.
func (t Table) Count(w throttle.Window, n int, at time.Time) []types.TransactWriteItem {
	if w.Limit == 0 || n == 0 {
		return nil
	}
	return []types.TransactWriteItem{{Update: t.update(w, n, at)}}
}

func (t Table) update(w throttle.Window, n int, at time.Time) *types.Update {
	return &types.Update{
		TableName: &t.name, Key: key(w, at),
		UpdateExpression:    aws.String("ADD n :n SET purgeAt = :purge"),
		ConditionExpression: aws.String("attribute_not_exists(n) OR n <= :room"),
		ExpressionAttributeValues: items.Map{
			":n": items.Number(int64(n)), ":room": items.Number(int64(w.Limit - n)),
			":purge": items.Number(at.Truncate(w.Length).Add(w.Length).Add(24 * time.Hour).Unix()),
		},
	}
}

// CountOne counts an event in the window that contains the time, with one conditional write. It returns false if the
// window has reached the limit, which must not be 0.
func (t Table) CountOne(ctx context.Context, w throttle.Window, at time.Time) (bool, error) {
	write := t.update(w, 1, at)
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: write.TableName, Key: write.Key, UpdateExpression: write.UpdateExpression,
		ConditionExpression: write.ConditionExpression, ExpressionAttributeValues: write.ExpressionAttributeValues,
	}, items.RetryConflicts)
	if items.ConditionFailed(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("count %s: %w", w.Name, err)
	}
	return true, nil
}

// Counted returns the numbers of events in the distinct windows that contain the time, strongly consistent. It leaves
// out windows without events.
func (t Table) Counted(ctx context.Context, windows []throttle.Window, at time.Time) (map[throttle.Window]int, error) {
	keys, byPK := make([]items.Map, len(windows)), make(map[string]throttle.Window, len(windows))
	for i, w := range windows {
		keys[i] = key(w, at)
		byPK[pk(w)] = w
	}
	counted := make(map[throttle.Window]int, len(windows))
	err := items.GetAll(ctx, items.In(t.client, t.name), keys, func(item items.Map) error {
		stored, err := items.Decode[struct {
			PK string `dynamodbav:"pk"`
			N  int    `dynamodbav:"n"`
		}](item)
		counted[byPK[stored.PK]] = stored.N
		return err
	})
	return counted, err
}

// key returns the key of the window that contains the time.
func key(w throttle.Window, at time.Time) items.Map {
	return items.Key(pk(w), strconv.FormatInt(at.Truncate(w.Length).Unix(), 10))
}

func pk(w throttle.Window) string { return "count#" + w.Name + "#" + w.Subject }
