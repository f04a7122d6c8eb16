// Package sealsdynamo is the DynamoDB adapter of seals. The events are in the partitions of their days, see package
// auditlog. One more item is the record of the newest seal:
//
//	seal    newest    hour, part, isLast, last and hash of the newest sealed object
package sealsdynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/audit/seals"
	"portside/shared/dynamo/items"
)

// Table is the part of the table that the sealing and the verification use.
type Table struct {
	client *dynamodb.Client
	table  string
}

var (
	_ seals.Events = Table{}
	_ seals.Record = Table{}
)

// New returns the named table.
func New(client *dynamodb.Client, table string) Table { return Table{client, table} }

const (
	newestPK = "seal"
	newestSK = "newest"
)

// newestItem is the stored form of the newest seal.
type newestItem struct {
	PK     string `dynamodbav:"pk"`
	SK     string `dynamodbav:"sk"`
	Hour   string `dynamodbav:"hour"`
	Part   int    `dynamodbav:"part"`
	IsLast bool   `dynamodbav:"isLast"`
	Last   string `dynamodbav:"last"`
	Hash   string `dynamodbav:"hash"`
}

// Newest implements seals.Record with one call.
func (s Table) Newest(ctx context.Context) (seals.Seal, error) {
	item, found, err := items.Get[newestItem](ctx, items.In(s.client, s.table), items.Key(newestPK, newestSK))
	if err == nil && !found {
		err = seals.ErrMissing
	}
	if err != nil {
		return seals.Seal{}, fmt.Errorf("read the newest seal: %w", err)
	}
	return item.seal()
}

func (i newestItem) seal() (seals.Seal, error) {
	hour, err := seals.ParseHour(i.Hour)
	if err != nil || i.Part < 1 || i.Hash == "" {
		return seals.Seal{}, fmt.Errorf("the record of the newest seal is invalid: hour %q, part %d, hash %q", i.Hour, i.Part,
			i.Hash)
	}
	return seals.Seal{Hour: hour, Part: i.Part, IsLast: i.IsLast, Last: i.Last, Hash: i.Hash}, nil
}

// Advance implements seals.Record with one call. The SDK may repeat a call whose response was lost, so a failed
// condition does not mean that another run has moved the record.
func (s Table) Advance(ctx context.Context, from, to seals.Seal) error {
	put := &dynamodb.PutItemInput{
		TableName: &s.table, Item: items.Encode(newestItem{
			PK: newestPK, SK: newestSK, Hour: to.Hour.String(), Part: to.Part, IsLast: to.IsLast, Last: to.Last, Hash: to.Hash,
		}),
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	if from.Hash != "" {
		put.ConditionExpression = aws.String("#hash = :from")
		put.ExpressionAttributeNames = map[string]string{"#hash": "hash"}
		put.ExpressionAttributeValues = items.Map{":from": items.Text(from.Hash)}
	}
	_, err := s.client.PutItem(ctx, put)
	failed, isMoved := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !isMoved {
		return err
	}
	stored, err := items.Decode[newestItem](failed.Item)
	if err == nil && stored.Hash == to.Hash {
		return nil
	}
	return seals.ErrMoved
}
