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

// failuresLife is how long a count of failures is kept after its window. DynamoDB may delete it up to two days later.
const failuresLife = time.Hour

// Failures counts failed requests in the table of request counts, which all functions that authenticate can change. Each window is one item
// with the pk "failures#<name>#<subject>#<start>".
type Failures struct {
	client *dynamodb.Client
	table  string
}

// NewFailures returns Failures in the named table of request counts.
func NewFailures(client *dynamodb.Client, table string) Failures { return Failures{client, table} }

// CountFailure implements throttle.Counts.
func (f Failures) CountFailure(ctx context.Context, limit throttle.Limit, subject string, at time.Time) (int, error) {
	start := limit.Start(at)
	out, err := f.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &f.table,
		Key:       items.Map{"pk": items.Text("failures#" + limit.Name + "#" + subject + "#" + strconv.FormatInt(start.Unix(), 10))},

		UpdateExpression:    aws.String("ADD n :one SET purgeAt = :purge"),
		ConditionExpression: aws.String("attribute_not_exists(n) OR n < :most"), ReturnValues: types.ReturnValueUpdatedNew,
		ExpressionAttributeValues: items.Map{
			":one": items.Number(1), ":purge": items.Number(start.Add(limit.Window + failuresLife).Unix()),
			":most": items.Number(int64(limit.Failures)),
		},
	}, items.RetryConflicts)
	if items.ConditionFailed(err) {
		return limit.Failures + 1, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count a failure (%s): %w", limit.Name, err)
	}
	counted, err := items.Decode[struct {
		N int `dynamodbav:"n"`
	}](out.Attributes)
	return counted.N, err
}
