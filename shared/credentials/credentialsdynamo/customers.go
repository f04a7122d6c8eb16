package credentialsdynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// CustomerState is what authentication and the creation of users must know of a customer. It is an item of this table (pk
// "customer#<id>", sk "customer"), so that authentication reads it in the call that reads the credential. Stores of other domains
// write it in their transactions.
type CustomerState struct {
	Suspended bool  `dynamodbav:"suspended,omitempty"` // no credential of the customer's users works
	Users     int64 `dynamodbav:"users"`               // who belong to the customer
	MaxUsers  int64 `dynamodbav:"maxUsers,omitempty"`  // 0 means no limit. Users can exceed it after it was lowered
}

// AddCustomer returns the write that adds the state of a new customer without users. It fails if the ID exists.
func (t *Table) AddCustomer(id string, state CustomerState) types.TransactWriteItem {
	item := items.Encode(CustomerState{Suspended: state.Suspended, MaxUsers: state.MaxUsers})
	for name, value := range customerKey(id) {
		item[name] = value
	}
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &t.name, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}}
}

// SetCustomer returns the write that changes all but the number of users. It fails if the customer does not exist.
func (t *Table) SetCustomer(id string, state CustomerState) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: customerKey(id), UpdateExpression: aws.String("SET suspended = :suspended, maxUsers = :most"),
		ConditionExpression: aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: items.Map{
			":suspended": items.Bool(state.Suspended), ":most": items.Number(state.MaxUsers),
		},
	}}
}

// DeleteCustomer returns the write that deletes the state of a customer. It fails if the customer has users.
func (t *Table) DeleteCustomer(id string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &t.name, Key: customerKey(id), ConditionExpression: aws.String("#users = :none"),
		ExpressionAttributeNames:  map[string]string{"#users": "users"},
		ExpressionAttributeValues: items.Map{":none": items.Number(0)},
	}}
}

// CountUsers returns the write that adds a number to the users of a customer. It fails if the customer does not exist. If the number is
// above zero, it also fails if the customer would have more users than its limit.
func (t *Table) CountUsers(id string, change int64) types.TransactWriteItem {
	update := &types.Update{
		TableName: &t.name, Key: customerKey(id), UpdateExpression: aws.String("ADD #users :change"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeNames:  map[string]string{"#users": "users"},
		ExpressionAttributeValues: items.Map{":change": items.Number(change)},
	}
	if change > 0 {
		update.ConditionExpression = aws.String("attribute_exists(pk) AND (attribute_not_exists(maxUsers) OR maxUsers = :none OR #users < maxUsers)")
		update.ExpressionAttributeValues[":none"] = items.Number(0)
	}
	return types.TransactWriteItem{Update: update}
}

// Customer returns the state of a customer, strongly consistent, or false if the customer does not exist.
func (t *Table) Customer(ctx context.Context, id string) (CustomerState, bool, error) {
	return items.Get[CustomerState](ctx, items.In(t.client, t.name), customerKey(id))
}

func customerKey(id string) items.Map { return items.Key("customer#"+id, "customer") }
