package credentialsdynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// PasskeysKey returns the key of the item with all passkeys of an owner. It is next to the owner's
// pointers, but only shared/passkeys/passkeysdynamo reads and writes it.
func PasskeysKey(ownerID string) items.Map { return items.Key(ownerPK(ownerID), "passkeys") }

// DeletePasskeys returns the write that deletes all passkeys of an owner, if there are any. The
// transaction that deletes a user contains it.
func (t *Table) DeletePasskeys(ownerID string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: &t.name, Key: PasskeysKey(ownerID)}}
}

// ClearPasskeys returns the write that removes all passkeys of an owner who stays. It increases the version of the set, so that a
// sign-in that has read the set before cannot store it again.
func (t *Table) ClearPasskeys(ownerID string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: PasskeysKey(ownerID),
		UpdateExpression:         aws.String("SET #passkeys = :none, #user = :user ADD #version :one"),
		ExpressionAttributeNames: map[string]string{"#passkeys": "passkeys", "#user": "user", "#version": "version"},
		ExpressionAttributeValues: items.Map{
			":none": &types.AttributeValueMemberL{Value: []types.AttributeValue{}}, ":user": items.Text(ownerID), ":one": items.Number(1),
		},
	}}
}
