package credentialsdynamo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

const (
	// removedMinutes is how many counters of preceding minutes each request removes.
	removedMinutes = 3
	// sweepAbove is how many old counters may remain before another call removes them.
	sweepAbove = 8
)

// CountRequest implements credentials.Store with one UpdateItem: 1 write unit for a record of up to
// 1 KB.
func (t *Table) CountRequest(ctx context.Context, id string, hash []byte, at time.Time) (credentials.Credential, int, error) {
	minute := minuteAt(at)
	out, err := t.client.UpdateItem(ctx, t.countInput(id, hash, at), items.RetryConflicts)
	if items.ConditionFailed(err) {
		return credentials.Credential{}, 0, credentials.ErrUnknown
	}
	if err != nil {
		return credentials.Credential{}, 0, fmt.Errorf("count a request of credential %s: %w", id, err)
	}
	used, stale, err := counters(out.Attributes, minute)
	if err != nil {
		return credentials.Credential{}, 0, fmt.Errorf("count a request of credential %s: %w", id, err)
	}
	if len(stale) > sweepAbove {
		if err := t.sweep(ctx, id, stale); err != nil {
			return credentials.Credential{}, 0, err
		}
	}
	r, err := items.Decode[record](out.Attributes)
	return r.credential(), used, err
}

func (t *Table) countInput(id string, hash []byte, at time.Time) *dynamodb.UpdateItemInput {
	minute := minuteAt(at)
	names := map[string]string{"#now": counterName(minute), "#hash": "hash"}
	removed := make([]string, removedMinutes)
	for i := range removed {
		removed[i] = "#m" + strconv.Itoa(i)
		names[removed[i]] = counterName(minute - 1 - int64(i))
	}
	return &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: recordKey(id), ReturnValues: types.ReturnValueAllNew,
		ConditionExpression:      aws.String("#hash = :hash AND (kind <> :session OR lastUsed > :idle)"),
		UpdateExpression:         aws.String("ADD #now :one SET lastUsed = :at REMOVE " + strings.Join(removed, ", ")),
		ExpressionAttributeNames: names,
		ExpressionAttributeValues: items.Map{
			":one": items.Number(1), ":at": items.Number(items.Millis(lastUse(at))), ":hash": items.Bytes(hash),
			":session": items.Text(string(credentials.Session)), ":idle": items.Number(items.Millis(at.Add(-credentials.SessionIdle))),
		},
	}
}

// counters returns the count of the current minute and the names of all other counters on the item.
func counters(item items.Map, minute int64) (used int, stale []string, err error) {
	for name, value := range item {
		n, isNumber := value.(*types.AttributeValueMemberN)
		if !isNumber || !isCounter(name) {
			continue
		}
		if name != counterName(minute) {
			stale = append(stale, name)
			continue
		}
		if used, err = strconv.Atoi(n.Value); err != nil {
			return 0, nil, fmt.Errorf("counter %s: %w", name, err)
		}
	}
	return used, stale, nil
}

func (t *Table) sweep(ctx context.Context, id string, stale []string) error {
	names := make(map[string]string, len(stale))
	removed := make([]string, len(stale))
	for i, name := range stale {
		removed[i] = "#s" + strconv.Itoa(i)
		names[removed[i]] = name
	}
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: recordKey(id),
		ConditionExpression:      aws.String("attribute_exists(pk)"),
		UpdateExpression:         aws.String("REMOVE " + strings.Join(removed, ", ")),
		ExpressionAttributeNames: names,
	}, items.RetryConflicts)
	if err != nil {
		return fmt.Errorf("sweep counters of credential %s: %w", id, err)
	}
	return nil
}

func minuteAt(at time.Time) int64 { return at.Unix() / 60 }

func counterName(minute int64) string { return "m" + strconv.FormatInt(minute, 10) }

func isCounter(name string) bool {
	if len(name) < 2 || name[0] != 'm' {
		return false
	}
	_, err := strconv.ParseInt(name[1:], 10, 64)
	return err == nil
}

func lastUse(at time.Time) time.Time { return at.Truncate(credentials.LastUseResolution) }
