// Package passkeysets removes the passkeys of a user in transactions of the store of users. All passkeys of a user are
// one item in the table of credentials (pk "owner#<user>", sk "passkeys"), which the store of passkeys writes.
package passkeysets

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// Key returns the key of the item with all passkeys of a user.
func Key(userID string) items.Map { return items.Key("owner#"+userID, "passkeys") }

// DeleteSet returns the write that deletes the item with all passkeys of a user, if it exists. It is for a user who is
// deleted.
func DeleteSet(table, userID string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: &table, Key: Key(userID)}}
}

// EmptySet returns the write that removes all passkeys of a user, and keeps the item. It increases the version of the
// set, so that a sign-in that has read the set before cannot store it again.
func EmptySet(table, userID string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &table, Key: Key(userID),
		UpdateExpression:         aws.String("SET #passkeys = :none, #user = :user ADD #version :one"),
		ExpressionAttributeNames: map[string]string{"#passkeys": "passkeys", "#user": "user", "#version": "version"},
		ExpressionAttributeValues: items.Map{
			":none": &types.AttributeValueMemberL{Value: []types.AttributeValue{}}, ":user": items.Text(userID), ":one": items.Number(1),
		},
	}}
}
