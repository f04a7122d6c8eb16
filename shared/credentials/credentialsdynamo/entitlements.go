package credentialsdynamo

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/entitlement"
	"portside/shared/dynamo/items"
)

// Entitlements are the entitlements of a customer in the order of their creation.
type Entitlements struct {
	All     entitlement.Set
	Version int64 // one more with every change; 0 if the customer never had any
}

// Entitlements returns the entitlements of a customer, strongly consistent, or false if the customer does not exist. It reads them and the
// state of the customer in one call.
func (t *Table) Entitlements(ctx context.Context, customerID string) (found Entitlements, exists bool, err error) {
	keys := []items.Map{customerKey(customerID), entitlementsKey(customerID)}
	err = items.GetAll(ctx, items.In(t.client, t.name), keys, func(raw items.Map) error {
		if isState(raw) {
			exists = true
			return nil
		}
		stored, err := items.Decode[entitlementsItem](raw)
		found = stored.decode()
		return err
	})
	return found, exists, err
}

// Entitled implements credentials.Lister.
func (t *Table) Entitled(ctx context.Context, customerID string) (entitlement.Set, error) {
	stored, err := readEntitlements(ctx, items.In(t.client, t.name), customerID)
	return stored.All, err
}

// SetEntitlements returns the writes that replace the entitlements of a customer. The first fails if their version is not the given one,
// the second one if the customer does not exist.
func (t *Table) SetEntitlements(customerID string, version int64, after entitlement.Set) []types.TransactWriteItem {
	put := &types.Put{
		TableName: &t.name, Item: items.Encode(newEntitlementsItem(customerID, Entitlements{after, version + 1})),
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}
	if version > 0 {
		put.ConditionExpression = aws.String("version = :before")
		put.ExpressionAttributeValues = items.Map{":before": items.Number(version)}
	}
	return []types.TransactWriteItem{{Put: put}, {Update: &types.Update{
		TableName: &t.name, Key: customerKey(customerID), UpdateExpression: aws.String("SET entitlements = :version"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: items.Map{":version": items.Number(version + 1)},
	}}}
}

// DeleteEntitlements returns the write that deletes the entitlements of a customer, if there are any. It belongs into the transaction with
// DeleteCustomer. Because SetEntitlements needs the customer's state, no entitlements remain.
func (t *Table) DeleteEntitlements(customerID string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: &t.name, Key: entitlementsKey(customerID)}}
}

func entitlementsKey(customerID string) items.Map {
	return items.Key(customerPK+customerID, "entitlements")
}

// entitlementsItem is the stored form. The longest entitlements have about 500 bytes, so 200 take 100 KB; DynamoDB allows 400 KB.
type entitlementsItem struct {
	PK           string            `dynamodbav:"pk"`
	SK           string            `dynamodbav:"sk"`
	Version      int64             `dynamodbav:"version"`
	Entitlements []EntitlementItem `dynamodbav:"entitlements"`
}

// EntitlementItem is the stored form of one entitlement. Times are Unix milliseconds.
type EntitlementItem struct {
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

func newEntitlementsItem(customerID string, e Entitlements) entitlementsItem {
	item := entitlementsItem{
		PK: customerPK + customerID, SK: "entitlements", Version: e.Version, Entitlements: make([]EntitlementItem, len(e.All)),
	}
	for i, one := range e.All {
		item.Entitlements[i] = NewEntitlementItem(one)
	}
	return item
}

func (i entitlementsItem) decode() Entitlements {
	e := Entitlements{All: make(entitlement.Set, len(i.Entitlements)), Version: i.Version}
	for n, one := range i.Entitlements {
		e.All[n] = one.Decode()
	}
	return e
}

// NewEntitlementItem returns the stored form of an entitlement.
func NewEntitlementItem(e entitlement.Entitlement) EntitlementItem {
	return EntitlementItem{
		ID: e.ID, Artifact: e.Artifact, Repository: e.Repository, Versions: e.Versions, From: items.Millis(e.From),
		Until: items.Millis(e.Until), Created: items.Millis(e.CreatedAt), Updated: items.Millis(e.UpdatedAt), Version: e.Version,
	}
}

// Decode returns the entitlement.
func (i EntitlementItem) Decode() entitlement.Entitlement {
	return entitlement.Entitlement{
		ID: i.ID, Artifact: i.Artifact, Repository: i.Repository, Versions: i.Versions, From: items.Time(i.From), Until: items.Time(i.Until),
		CreatedAt: items.Time(i.Created), UpdatedAt: items.Time(i.Updated), Version: i.Version,
	}
}

// readEntitlements returns the entitlements of a customer, which may not exist.
func readEntitlements(ctx context.Context, table items.Table, customerID string) (Entitlements, error) {
	stored, _, err := items.Get[entitlementsItem](ctx, table, entitlementsKey(customerID))
	return stored.decode(), err
}

// maxCachedEntitlements bounds the memory of entitledCache to about 10 MB. It is also the limit of customers, because those who have no
// entitlements left are kept, too.
const maxCachedEntitlements = 10_000

// entitledCache keeps entitlements of customers by their version, so that most requests read none. The state of the customer, which every
// request reads, says which version is the current one.
type entitledCache struct {
	table items.Table

	mu   *sync.Mutex
	by   map[string]Entitlements // by the customer
	size int                     // entitlements in by
}

func newEntitledCache(table items.Table) entitledCache {
	return entitledCache{table: table, mu: &sync.Mutex{}, by: map[string]Entitlements{}}
}

// of returns the entitlements of a customer, in this version or a newer one.
func (c *entitledCache) of(ctx context.Context, customerID string, version int64) (entitlement.Set, error) {
	if version == 0 {
		return nil, nil
	}
	c.mu.Lock()
	kept := c.by[customerID]
	c.mu.Unlock()
	if kept.Version == version {
		return kept.All, nil
	}
	fresh, err := readEntitlements(ctx, c.table, customerID)
	if err == nil {
		c.keep(customerID, fresh)
	}
	return fresh.All, err
}

func (c *entitledCache) keep(customerID string, fresh Entitlements) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size+len(fresh.All) > maxCachedEntitlements || len(c.by) >= maxCachedEntitlements {
		clear(c.by)
		c.size = 0
	}
	c.size += len(fresh.All) - len(c.by[customerID].All)
	c.by[customerID] = fresh
}
