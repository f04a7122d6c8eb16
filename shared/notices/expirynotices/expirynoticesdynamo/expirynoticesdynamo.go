// Package expirynoticesdynamo stores the notices that were sent, and those to try again, in the credentials table.
//
//	notice#<id>        <days>               state: sending or sent; expires together with the credential's record
//	notices#retries    <time>#<id>#<days>   a failed notice, by the time of its next attempt in Unix milliseconds
//
// The walk is in the item "expirynotices", see walkitem.
package expirynoticesdynamo

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/walk"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/walkitem"
	"portside/shared/notices/expirynotices"
)

// Store implements expirynotices.Ledger and expirynotices.Retries.
type Store struct {
	client *dynamodb.Client
	table  string
}

// New returns a Store in the named credentials table.
func New(client *dynamodb.Client, table string) *Store {
	return &Store{client: client, table: table}
}

var (
	_ expirynotices.Ledger  = (*Store)(nil)
	_ expirynotices.Retries = (*Store)(nil)
)

// Walk returns the store of the progress.
func (s *Store) Walk() walk.Store[expirynotices.Progress] {
	return walkitem.New[expirynotices.Progress](s.client, s.table, "expirynotices")
}

const (
	sending = "sending"
	sent    = "sent"
)

func noticeKey(n expirynotices.Notice) items.Map {
	return items.Key("notice#"+n.Credential.ID, strconv.Itoa(n.Days))
}

// noticeItem is the stored form of a notice.
type noticeItem struct {
	PK    string `dynamodbav:"pk"`
	SK    string `dynamodbav:"sk"`
	State string `dynamodbav:"state"`
}

// Unsent implements expirynotices.Ledger.
func (s *Store) Unsent(ctx context.Context, notices []expirynotices.Notice) ([]expirynotices.Notice, error) {
	keys := make([]items.Map, len(notices))
	for i, n := range notices {
		keys[i] = noticeKey(n)
	}
	isSent := map[string]bool{}
	err := items.GetAll(ctx, items.In(s.client, s.table), keys, func(item items.Map) error {
		stored, err := items.Decode[noticeItem](item)
		isSent[stored.PK+" "+stored.SK] = stored.State == sent
		return err
	})
	if err != nil {
		return nil, err
	}
	var unsent []expirynotices.Notice
	for _, n := range notices {
		if !isSent["notice#"+n.Credential.ID+" "+strconv.Itoa(n.Days)] {
			unsent = append(unsent, n)
		}
	}
	return unsent, nil
}

// Claim implements expirynotices.Ledger. A claim that exists already belongs to a run that died or to a failed mail,
// because the lease excludes other runs, so it is taken over.
func (s *Store) Claim(ctx context.Context, n expirynotices.Notice) (bool, error) {
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: noticeKey(n),
		UpdateExpression:         aws.String("SET #state = :sending, purgeAt = :purge"),
		ConditionExpression:      aws.String("attribute_not_exists(#state) OR #state = :sending"),
		ExpressionAttributeNames: map[string]string{"#state": "state"},
		ExpressionAttributeValues: items.Map{
			":sending": items.Text(sending),
			":purge":   items.Number(n.Credential.ExpiresAt.Add(credentials.Retention).Unix()),
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
