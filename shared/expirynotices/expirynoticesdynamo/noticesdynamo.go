// Package noticesdynamo keeps the lock of the daily run and the notices that were sent in the credentials table.
//
//	notices            run      holder and until: who has the lock, and until when; done: the last day that was done
//	notice#<id>        <days>   state: sending or sent; ends with the credential's own record
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

	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/expirynotices"
)

// Store keeps the lock and the ledger.
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

// lock is what a run reads when it gets it.
type lock struct {
	Done int64 `dynamodbav:"done"`
}

func lockKey() items.Map { return items.Key("notices", "run") }

// Acquire implements notices.Lock.
func (s *Store) Acquire(ctx context.Context, run string, now, until time.Time) (time.Time, error) {
	out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: lockKey(), ReturnValues: types.ReturnValueAllNew,
		UpdateExpression:         aws.String("SET holder = :run, #until = :until"),
		ConditionExpression:      aws.String("attribute_not_exists(#until) OR #until <= :now"),
		ExpressionAttributeNames: map[string]string{"#until": "until"},
		ExpressionAttributeValues: items.Map{
			":run": items.Text(run), ":until": items.Number(items.Millis(until)), ":now": items.Number(items.Millis(now)),
		},
	})
	if items.Failed(err) {
		return time.Time{}, expirynotices.ErrLocked
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("lock the notices: %w", err)
	}
	held, err := items.Decode[lock](out.Attributes)
	return items.Time(held.Done), err
}

// Renew implements notices.Lock.
func (s *Store) Renew(ctx context.Context, run string, until time.Time) error {
	return s.change(ctx, run, "SET #until = :until", items.Map{":until": items.Number(items.Millis(until))})
}

// Release implements notices.Lock.
func (s *Store) Release(ctx context.Context, run string, done time.Time) error {
	expression, values := "REMOVE holder, #until", items.Map{}
	if !done.IsZero() {
		expression, values = "SET done = :done "+expression, items.Map{":done": items.Number(items.Millis(done))}
	}
	if err := s.change(ctx, run, expression, values); !errors.Is(err, expirynotices.ErrLocked) {
		return err
	}
	return nil
}

// change writes to the lock while the run has it.
func (s *Store) change(ctx context.Context, run, expression string, values items.Map) error {
	values[":run"] = items.Text(run)
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: lockKey(), UpdateExpression: &expression, ConditionExpression: aws.String("holder = :run"),
		ExpressionAttributeNames: map[string]string{"#until": "until"}, ExpressionAttributeValues: values,
	})
	if items.Failed(err) {
		return expirynotices.ErrLocked
	}
	if err != nil {
		return fmt.Errorf("hold the lock of the notices: %w", err)
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

// Claim implements notices.Ledger. A claim that is there already is that of a run which died, since the lock keeps other
// runs out: it is taken over.
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
	if items.Failed(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("claim a notice: %w", err)
	}
	return true, nil
}

// Sent implements notices.Ledger.
func (s *Store) Sent(ctx context.Context, n expirynotices.Notice) error {
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: noticeKey(n),
		UpdateExpression:          aws.String("SET #state = :sent"),
		ConditionExpression:       aws.String("#state = :sending"),
		ExpressionAttributeNames:  map[string]string{"#state": "state"},
		ExpressionAttributeValues: items.Map{":sending": items.Text(sending), ":sent": items.Text(sent)},
	})
	if err != nil {
		return fmt.Errorf("note a notice as sent: %w", err)
	}
	return nil
}
