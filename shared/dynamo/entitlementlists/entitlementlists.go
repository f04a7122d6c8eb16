// Package entitlementlists keeps the entitlements of a customer in one item (pk "customer#<id>", sk "entitlements"),
// beside the state of the customer; see package customerstates. Authentication reads the item, and the store of
// entitlements writes it.
package entitlementlists

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/entitlement"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/items"
)

// List is the list of a customer's entitlements in the order of their creation.
type List struct {
	All     entitlement.Set
	Version int64 // one more with every change; 0 if the customer never had any
}

// Get returns the entitlements of a customer, strongly consistent, or false if the customer does not exist. It reads
// them and the state of the customer in one call.
func Get(ctx context.Context, table items.Table, customerID string) (List, bool, error) {
	item, exists, err := customerstates.GetItem(ctx, table, customerID, key(customerID))
	if err != nil {
		return List{}, false, err
	}
	stored, err := items.Decode[listItem](item)
	return stored.list(), exists, err
}

// GetOrEmpty returns the entitlements of a customer, strongly consistent. The list of a customer that does not exist is
// empty.
func GetOrEmpty(ctx context.Context, table items.Table, customerID string) (List, error) {
	stored, _, err := items.Get[listItem](ctx, table, key(customerID))
	return stored.list(), err
}

// Set returns the writes that store the entitlements of a customer with their new version. The first fails if their
// stored version is not the one before, the second one if the customer does not exist.
func Set(table, customerID string, list List) []types.TransactWriteItem {
	put := &types.Put{
		TableName: &table, Item: items.Encode(newListItem(customerID, list)), ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}
	if list.Version > 1 {
		put.ConditionExpression = aws.String("version = :before")
		put.ExpressionAttributeValues = items.Map{":before": items.Number(list.Version - 1)}
	}
	return []types.TransactWriteItem{{Put: put}, {Update: &types.Update{
		TableName: &table, Key: customerstates.Key(customerID), UpdateExpression: aws.String("SET entitlements = :version"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: items.Map{":version": items.Number(list.Version)},
	}}}
}

// Delete returns the write that deletes the entitlements of a customer, if there are any. It belongs into the
// transaction that deletes the state of the customer. Because Set needs the state, no entitlements remain.
func Delete(table, customerID string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: &table, Key: key(customerID)}}
}

const sortKey = "entitlements"

func key(customerID string) items.Map { return items.Key(customerstates.PK(customerID), sortKey) }

// listItem is the stored form. The longest entitlements have about 500 bytes, so 200 take 100 KB; DynamoDB allows 400
// KB.
type listItem struct {
	PK           string `dynamodbav:"pk"`
	SK           string `dynamodbav:"sk"`
	Version      int64  `dynamodbav:"version"`
	Entitlements []Item `dynamodbav:"entitlements"`
}

// Item is the stored form of one entitlement. Times are Unix milliseconds.
type Item struct {
	ID         string               `dynamodbav:"id"`
	Artifact   entitlement.Artifact `dynamodbav:"artifact"`
	Repository string               `dynamodbav:"repository"`
	Versions   entitlement.Versions `dynamodbav:"versions"`
	From       int64                `dynamodbav:"from,omitempty"`
	Until      int64                `dynamodbav:"until,omitempty"`
	Created    int64                `dynamodbav:"created"`
	Updated    int64                `dynamodbav:"updated"`
	Version    int64                `dynamodbav:"version"`
}

func newListItem(customerID string, list List) listItem {
	item := listItem{
		PK: customerstates.PK(customerID), SK: sortKey, Version: list.Version, Entitlements: make([]Item, len(list.All)),
	}
	for i, one := range list.All {
		item.Entitlements[i] = NewItem(one)
	}
	return item
}

func (i listItem) list() List {
	list := List{All: make(entitlement.Set, len(i.Entitlements)), Version: i.Version}
	for n, one := range i.Entitlements {
		list.All[n] = one.Entitlement()
	}
	return list
}

// NewItem returns the stored form of an entitlement.
func NewItem(e entitlement.Entitlement) Item {
	return Item{
		ID: e.ID, Artifact: e.Artifact, Repository: e.Repository, Versions: e.Versions, From: items.Millis(e.From),
		Until: items.Millis(e.Until), Created: items.Millis(e.CreatedAt), Updated: items.Millis(e.UpdatedAt), Version: e.Version,
	}
}

// Entitlement returns the entitlement.
func (i Item) Entitlement() entitlement.Entitlement {
	return entitlement.Entitlement{
		ID: i.ID, Artifact: i.Artifact, Repository: i.Repository, Versions: i.Versions, From: items.Time(i.From), Until: items.Time(i.Until),
		CreatedAt: items.Time(i.Created), UpdatedAt: items.Time(i.Updated), Version: i.Version,
	}
}
