package credentialsdynamo

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

// unknownLife is how long the count of a network is kept. DynamoDB may delete it up to two days later.
const unknownLife = time.Hour

// CountUnknown implements credentials.Store. The item is in the table of request counts, which all functions that authenticate can
// change.
func (t *Table) CountUnknown(ctx context.Context, network string, at time.Time) (int, error) {
	minute := minuteAt(at)
	out, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.counts, Key: items.Map{"pk": items.Text("unknown#" + network + "#" + strconv.FormatInt(minute, 10))},
		UpdateExpression:    aws.String("ADD n :one SET purgeAt = :purge"),
		ConditionExpression: aws.String("attribute_not_exists(n) OR n < :most"), ReturnValues: types.ReturnValueUpdatedNew,
		ExpressionAttributeValues: items.Map{
			":one": items.Number(1), ":purge": items.Number(at.Add(unknownLife).Unix()), ":most": items.Number(credentials.MaxUnknown),
		},
	})
	if items.ConditionFailed(err) {
		return credentials.MaxUnknown + 1, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count an unknown credential: %w", err)
	}
	counted, err := items.Decode[struct {
		N int `dynamodbav:"n"`
	}](out.Attributes)
	return counted.N, err
}
