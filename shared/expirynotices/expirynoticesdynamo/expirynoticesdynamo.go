// Package expirynoticesdynamo stores the lock of the daily run and the notices that were sent, in the credentials table.
//
//	notices            run      holder and until: which run has the lock, and until when; done: the last day that is done
//	notice#<id>        <days>   state: sending or sent; expires together with the credential's record
package expirynoticesdynamo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/expirynotices"
)

// Store implements expirynotices.Lock and expirynotices.Ledger.
type Store struct {
	client *dynamodb.Client
	table  string
}

// New returns a Store in the named credentials table.
func New(client *dynamodb.Client, table string) *Store {
	return &Store{client: client, table: table}
}

var (
	_ expirynotices.Lock   = (*Store)(nil)
	_ expirynotices.Ledger = (*Store)(nil)
)

// lock is the stored form of the lock, without the attributes that only conditions use.
type lock struct {
	Done int64 `dynamodbav:"done"` // the beginning of the day, in milliseconds since 1970
}

func lockKey() items.Map { return items.Key("notices", "run") }

// Acquire implements expirynotices.Lock.
func (s *Store) Acquire(ctx context.Context, run string, now, until time.Time) (calendar.Day, error) {
	out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: lockKey(), ReturnValues: types.ReturnValueAllNew,
		UpdateExpression:         aws.String("SET holder = :run, #until = :until"),
		ConditionExpression:      aws.String("attribute_not_exists(#until) OR #until <= :now"),
		ExpressionAttributeNames: map[string]string{"#until": "until"},
		ExpressionAttributeValues: items.Map{
			":run": items.Text(run), ":until": items.Number(items.Millis(until)), ":now": items.Number(items.Millis(now)),
		},
	})
	if items.ConditionFailed(err) {
		return 0, expirynotices.ErrLocked
	}
	if err != nil {
		return 0, fmt.Errorf("lock the expiry notices: %w", err)
	}
	held, err := items.Decode[lock](out.Attributes)
	return calendar.DayOf(time.UnixMilli(held.Done)), err
}

// Renew implements expirynotices.Lock.
func (s *Store) Renew(ctx context.Context, run string, until time.Time) error {
	return s.change(ctx, run, "SET #until = :until", items.Map{":until": items.Number(items.Millis(until))})
}

// Release implements expirynotices.Lock.
func (s *Store) Release(ctx context.Context, run string, done calendar.Day) error {
	expression, values := "REMOVE holder, #until", items.Map{}
	if done != 0 {
		expression, values = "SET done = :done "+expression, items.Map{":done": items.Number(items.Millis(done.Begin()))}
	}
	if err := s.change(ctx, run, expression, values); !errors.Is(err, expirynotices.ErrLocked) {
		return err
	}
	return nil
}

// change updates the lock if the run has it; otherwise it returns ErrLocked.
func (s *Store) change(ctx context.Context, run, expression string, values items.Map) error {
	values[":run"] = items.Text(run)
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: lockKey(), UpdateExpression: &expression, ConditionExpression: aws.String("holder = :run"),
		ExpressionAttributeNames: map[string]string{"#until": "until"}, ExpressionAttributeValues: values,
	})
	if items.ConditionFailed(err) {
		return expirynotices.ErrLocked
	}
	if err != nil {
		return fmt.Errorf("change the lock of the expiry notices: %w", err)
	}
	return nil
}

const (
	sending = "sending"
	sent    = "sent"
)

func noticeKey(n expirynotices.Notice) items.Map {
	return items.Key("notice#"+n.Credential.ID, strconv.Itoa(n.Days))
}

// Claim implements expirynotices.Ledger. A claim that exists already belongs to a run that died, because the lock
// excludes other runs, so it is taken over.
func (s *Store) Claim(ctx context.Context, n expirynotices.Notice) (bool, error) {
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: noticeKey(n),
		UpdateExpression:         aws.String("SET #state = :sending, purgeAt = :purge"),
		ConditionExpression:      aws.String("attribute_not_exists(#state) OR #state = :sending"),
		ExpressionAttributeNames: map[string]string{"#state": "state"},
		ExpressionAttributeValues: items.Map{
			":sending": items.Text(sending),
			":purge":   items.Number(n.Credential.ExpiresAt.Add(credentialsdynamo.Retention).Unix()),
		},
	})
	if items.ConditionFailed(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("claim a notice: %w", err)
	}
	return true, nil
}

// MarkSent implements expirynotices.Ledger.
func (s *Store) MarkSent(ctx context.Context, n expirynotices.Notice) error {
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: noticeKey(n),
		UpdateExpression:          aws.String("SET #state = :sent"),
		ConditionExpression:       aws.String("#state = :sending"),
		ExpressionAttributeNames:  map[string]string{"#state": "state"},
		ExpressionAttributeValues: items.Map{":sending": items.Text(sending), ":sent": items.Text(sent)},
	})
	if err != nil {
		return fmt.Errorf("mark a notice as sent: %w", err)
	}
	return nil
}
