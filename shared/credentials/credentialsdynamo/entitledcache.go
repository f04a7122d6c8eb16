package credentialsdynamo

import (
	"context"
	"sync"

	"portside/shared/core/entitlement"
	"portside/shared/dynamo/entitlementlists"
	"portside/shared/dynamo/items"
)

// maxCachedEntitlements bounds the memory of entitledCache to about 10 MB. It is also the limit of customers, because
// those who have no entitlements left are kept, too.
const maxCachedEntitlements = 10_000

// entitledCache keeps entitlements of customers by their version, so that most requests read none. The state of the
// customer, which every request reads, says which version is the current one.
type entitledCache struct {
	table items.Table

	mu   *sync.Mutex
	by   map[string]entitlementlists.List // by the customer
	size int                              // entitlements in by
}

func newEntitledCache(table items.Table) entitledCache {
	return entitledCache{table: table, mu: &sync.Mutex{}, by: map[string]entitlementlists.List{}}
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
	fresh, err := entitlementlists.GetOrEmpty(ctx, c.table, customerID)
	if err == nil {
		c.keep(customerID, fresh)
	}
	return fresh.All, err
}

func (c *entitledCache) keep(customerID string, fresh entitlementlists.List) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size+len(fresh.All) > maxCachedEntitlements || len(c.by) >= maxCachedEntitlements {
		clear(c.by)
		c.size = 0
	}
	c.size += len(fresh.All) - len(c.by[customerID].All)
	c.by[customerID] = fresh
}
