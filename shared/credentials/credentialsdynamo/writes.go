package credentialsdynamo

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentials"
)

// pointer lists a credential under its owner.
type pointer struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	ID      string `dynamodbav:"id"`
	PurgeAt int64  `dynamodbav:"purgeAt,omitempty"`
}

// Issue returns the writes that add a credential: its record and its pointer. They fail where the id exists.
func (t *Table) Issue(c credentials.Credential) ([]types.TransactWriteItem, error) {
	r := newRecord(c)
	put, err := t.put(r)
	if err != nil {
		return nil, fmt.Errorf("issue credential %s: %w", c.ID, err)
	}
	list, err := t.put(pointer{PK: ownerKey(c.Owner.ID), SK: string(c.Kind) + "#" + c.ID, ID: c.ID, PurgeAt: r.PurgeAt})
	if err != nil {
		return nil, fmt.Errorf("issue credential %s: %w", c.ID, err)
	}
	return []types.TransactWriteItem{put, list}, nil
}

func (t *Table) put(v any) (types.TransactWriteItem, error) {
	item, err := attributevalue.MarshalMap(v)
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("encode: %w", err)
	}
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &t.name, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}}, nil
}

// SetOwner returns the write that gives a credential its owner's new role and standing. It fails where the credential
// does not exist.
func (t *Table) SetOwner(id string, owner credentials.Owner) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: recordItemKey(id),
		UpdateExpression:         aws.String("SET #role = :role, active = :active"),
		ConditionExpression:      aws.String("attribute_exists(pk)"),
		ExpressionAttributeNames: map[string]string{"#role": "role"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":role": text(string(owner.Role)), ":active": &types.AttributeValueMemberBOOL{Value: owner.Active},
		},
	}}
}

// Revoke returns the write that ends a credential of the given kind and owner for good. It fails where the owner has no
// such credential or where it is revoked already.
func (t *Table) Revoke(kind credentials.Kind, id, ownerID string, at time.Time) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: recordItemKey(id),
		UpdateExpression:         aws.String("SET revoked = :at, purgeAt = :purge"),
		ConditionExpression:      aws.String("#owner = :owner AND kind = :kind AND attribute_not_exists(revoked)"),
		ExpressionAttributeNames: map[string]string{"#owner": "owner"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":at": number(millis(at)), ":purge": number(at.Add(Retention).Unix()),
			":owner": text(ownerID), ":kind": text(string(kind)),
		},
	}}
}

func recordKey(id string) string { return "credential#" + id }

func ownerKey(id string) string { return "owner#" + id }

func recordItemKey(id string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": text(recordKey(id)), "sk": text("credential")}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// millis stores the zero time as 0, which stands for "not set".
func millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
