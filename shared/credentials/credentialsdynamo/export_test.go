package credentialsdynamo

import "portside/shared/core/entitlement"

// MaxCachedEntitlements is maxCachedEntitlements for tests.
const MaxCachedEntitlements = maxCachedEntitlements

// KeepEntitlements puts entitlements into the cache, as a read of them does.
func (t *Table) KeepEntitlements(customerID string, version int64, all entitlement.Set) {
	t.entitled.keep(customerID, Entitlements{all, version})
}

// KeptEntitlements returns the number of entitlements and of customers in the cache.
func (t *Table) KeptEntitlements() (all, customers int) {
	for _, kept := range t.entitled.by {
		all += len(kept.All)
	}
	return all, len(t.entitled.by)
}
