package windowcounts

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// Counter counts events outside of transactions. It uses the table of request counts, to which all functions that
// authenticate may write. Each window is one item, and pk is its whole key.
type Counter struct {
	client *dynamodb.Client
	table  string
}

// NewCounter returns a Counter in the named table.
func NewCounter(client *dynamodb.Client, table string) Counter { return Counter{client, table} }

// Events are events in one window.
type Events struct {
	PK       string // of the window
	N, Limit int
	PurgeAt  time.Time // DynamoDB may delete the count up to two days later
}

// Add counts events with one conditional write. It returns how many the window has now, or false if it has reached the
// limit already. The last write can exceed the limit by up to N-1 events.
func (c Counter) Add(ctx context.Context, events Events) (total int, ok bool, err error) {
	out, err := c.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &c.table, Key: items.Map{"pk": items.Text(events.PK)},
		UpdateExpression:    aws.String("ADD n :n SET purgeAt = :purge"),
		ConditionExpression: aws.String("attribute_not_exists(n) OR n < :limit"), ReturnValues: types.ReturnValueUpdatedNew,
		ExpressionAttributeValues: items.Map{
			":n": items.Number(int64(events.N)), ":limit": items.Number(int64(events.Limit)),
			":purge": items.Number(events.PurgeAt.Unix()),
		},
	})
	if items.ConditionFailed(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	counted, err := items.Decode[struct {
		N int `dynamodbav:"n"`
	}](out.Attributes)
	return counted.N, true, err
}
