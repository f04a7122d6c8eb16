// Package trustlists keeps the list of a customer's trust policies (pk "customer#<id>", sk "trust") beside the state of
// the customer; see package customerstates. The list has the IDs. The store of trust policies writes each policy to a
// separate item (pk "trust#<id>", sk "policy"), so that an exchange finds it by its ID, and because its keys can be
// large.
package trustlists

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/items"
)

// list is the stored form.
type list struct {
	Policies []string `dynamodbav:"policies,omitempty,stringset"`
}

// Get returns the IDs of the trust policies of a customer in the order of their creation, strongly consistent, or false
// if the customer does not exist.
func Get(ctx context.Context, table items.Table, customerID string) (ids []string, exists bool, err error) {
	item, exists, err := customerstates.GetItem(ctx, table, customerID, key(customerID))
	if err != nil {
		return nil, false, err
	}
	stored, err := items.Decode[list](item)
	slices.Sort(stored.Policies) // UUIDs of version 7 begin with the time
	return stored.Policies, exists, err
}

// AddID returns the write that adds the ID of a trust policy to the list of its customer. It fails if the customer has
// the maximum. The transaction also needs customerstates.Table.Exists.
func AddID(table, customerID, id string, most int) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &table, Key: key(customerID), UpdateExpression: aws.String("ADD policies :id"),
		ConditionExpression: aws.String("attribute_not_exists(policies) OR size(policies) < :most"),
		ExpressionAttributeValues: items.Map{
			":id": &types.AttributeValueMemberSS{Value: []string{id}}, ":most": items.Number(int64(most)),
		},
	}}
}

// RemoveID returns the write that removes the ID of a trust policy from the list of its customer. It fails if the list
// does not have it.
func RemoveID(table, customerID, id string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &table, Key: key(customerID), UpdateExpression: aws.String("DELETE policies :id"),
		ConditionExpression:       aws.String("contains(policies, :one)"),
		ExpressionAttributeValues: items.Map{":id": &types.AttributeValueMemberSS{Value: []string{id}}, ":one": items.Text(id)},
	}}
}

// DeleteAll returns the writes that delete the trust policies of a customer and their list. The first fails if the
// customer has other policies than the given ones, which Get has returned. They belong into the transaction that
// deletes the state of the customer.
func DeleteAll(table, customerID string, ids []string) []types.TransactWriteItem {
	whole := &types.Delete{TableName: &table, Key: key(customerID), ConditionExpression: aws.String("attribute_not_exists(policies)")}
	if len(ids) > 0 {
		whole.ConditionExpression = aws.String("policies = :ids")
		whole.ExpressionAttributeValues = items.Map{":ids": &types.AttributeValueMemberSS{Value: ids}}
	}
	writes := []types.TransactWriteItem{{Delete: whole}}
	for _, id := range ids {
		writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: &table, Key: PolicyKey(id)}})
	}
	return writes
}

// PolicyKey returns the key of a trust policy.
func PolicyKey(id string) items.Map { return items.Key("trust#"+id, "policy") }

func key(customerID string) items.Map { return items.Key(customerstates.PK(customerID), "trust") }
