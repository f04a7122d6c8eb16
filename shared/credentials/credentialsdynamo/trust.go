package credentialsdynamo

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// trustList is the item with the IDs of a customer's trust policies. Each policy is an item of its own (see TrustPolicyKey), so that an
// exchange finds it by its ID, and because its keys can be large.
type trustList struct {
	Policies []string `dynamodbav:"policies,omitempty,stringset"`
}

// TrustPolicies returns the IDs of the trust policies of a customer in the order of their creation, strongly consistent, or false if the
// customer does not exist.
func (t *Table) TrustPolicies(ctx context.Context, customerID string) (ids []string, exists bool, err error) {
	keys := []items.Map{customerKey(customerID), trustKey(customerID)}
	err = items.GetAll(ctx, items.In(t.client, t.name), keys, func(raw items.Map) error {
		if isState(raw) {
			exists = true
			return nil
		}
		list, err := items.Decode[trustList](raw)
		ids = list.Policies
		slices.Sort(ids) // UUIDs of version 7 begin with the time
		return err
	})
	return ids, exists, err
}

// CustomerExists returns the check that a customer exists.
func (t *Table) CustomerExists(id string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &t.name, Key: customerKey(id), ConditionExpression: aws.String("attribute_exists(pk)"),
	}}
}

// ListTrustPolicy returns the write that adds a trust policy to the list of its customer. It fails if the customer has the maximum. The
// transaction also needs CustomerExists.
func (t *Table) ListTrustPolicy(customerID, id string, most int) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: trustKey(customerID), UpdateExpression: aws.String("ADD policies :id"),
		ConditionExpression: aws.String("attribute_not_exists(policies) OR size(policies) < :most"),
		ExpressionAttributeValues: items.Map{
			":id": &types.AttributeValueMemberSS{Value: []string{id}}, ":most": items.Number(int64(most)),
		},
	}}
}

// UnlistTrustPolicy returns the write that removes a trust policy from the list of its customer.
func (t *Table) UnlistTrustPolicy(customerID, id string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: trustKey(customerID), UpdateExpression: aws.String("DELETE policies :id"),
		ConditionExpression:       aws.String("contains(policies, :one)"),
		ExpressionAttributeValues: items.Map{":id": &types.AttributeValueMemberSS{Value: []string{id}}, ":one": items.Text(id)},
	}}
}

// DeleteTrustPolicies returns the writes that delete the trust policies of a customer. The first fails if the customer has others than the
// given ones, which TrustPolicies has returned. They belong into the transaction with DeleteCustomer.
func (t *Table) DeleteTrustPolicies(customerID string, ids []string) []types.TransactWriteItem {
	list := &types.Delete{
		TableName: &t.name, Key: trustKey(customerID), ConditionExpression: aws.String("attribute_not_exists(policies)"),
	}
	if len(ids) > 0 {
		list.ConditionExpression = aws.String("policies = :ids")
		list.ExpressionAttributeValues = items.Map{":ids": &types.AttributeValueMemberSS{Value: ids}}
	}
	writes := []types.TransactWriteItem{{Delete: list}}
	for _, id := range ids {
		writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: &t.name, Key: TrustPolicyKey(id)}})
	}
	return writes
}

// TrustPolicyKey is the key of a trust policy.
func TrustPolicyKey(id string) items.Map { return items.Key("trust#"+id, "policy") }

func trustKey(customerID string) items.Map { return items.Key(customerPK+customerID, "trust") }
