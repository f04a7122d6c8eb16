package credentialsdynamo

import (
	"portside/shared/core/entitlement"
	"portside/shared/dynamo/entitlementlists"
)

// MaxCachedEntitlements is maxCachedEntitlements for tests.
const MaxCachedEntitlements = maxCachedEntitlements

// KeepEntitlements puts entitlements into the cache, as a read of them does.
func (r *Requests) KeepEntitlements(customerID string, version int64, all entitlement.Set) {
	r.entitled.keep(customerID, entitlementlists.List{All: all, Version: version})
}

// KeptEntitlements returns the number of entitlements and of customers in the cache.
func (r *Requests) KeptEntitlements() (all, customers int) {
	for _, kept := range r.entitled.by {
		all += len(kept.All)
	}
	return all, len(r.entitled.by)
}
