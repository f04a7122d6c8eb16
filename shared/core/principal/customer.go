package principal

import "portside/shared/core/entitlement"

// Reaches reports whether what belongs to a user of the customer exists for the caller. To the vendor's staff,
// everything exists. To a user of a customer, only what belongs to the same customer exists, whatever the role. The ID
// is empty for what belongs to the staff.
func (p Principal) Reaches(customerID string) bool {
	return p.CustomerID == "" || p.CustomerID == customerID
}

// CanFor reports whether the caller holds the permission for what belongs to a user of the customer.
func (p Principal) CanFor(permission Permission, customerID string) bool {
	return p.Can(permission) && p.Reaches(customerID)
}

// CanForAll reports whether the caller holds the permission for what belongs to anybody.
func (p Principal) CanForAll(permission Permission) bool {
	return p.Can(permission) && p.CustomerID == ""
}

// Entitlements returns what the caller may fetch at most; the scopes may allow less. The vendor's staff is not limited.
func (p Principal) Entitlements() entitlement.Set {
	if p.CustomerID == "" {
		return entitlement.Everything()
	}
	return p.Entitled
}

// FetchesAllCharts reports whether the caller may fetch every version of every chart in the chart repository.
func (p Principal) FetchesAllCharts() bool {
	return p.FetchesAll(ReadCharts) && p.Entitlements().Of(entitlement.Chart).AllowAllEverywhere()
}

// Charts returns the entitlements for a chart of the chart repository, or none if the scopes do not cover the chart.
func (p Principal) Charts(name string) entitlement.Set {
	if !p.MayFetch(ReadCharts, name) {
		return nil
	}
	return p.Entitlements().Of(entitlement.Chart).In(name)
}

// Member is a user of a customer, with the number that orders users by their creation.
type Member struct {
	ID     string
	Number int64
}
