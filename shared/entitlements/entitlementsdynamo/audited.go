package entitlementsdynamo

import (
	"reflect"
	"time"

	"portside/shared/core/audit"
	"portside/shared/core/entitlement"
)

// entitlementForm is what audit events show of an entitlement.
type entitlementForm struct {
	Artifact   entitlement.Artifact `json:"artifact"`
	Repository string               `json:"repository"`
	Versions   string               `json:"versions"`
	From       time.Time            `json:"from,omitzero"`
	Until      time.Time            `json:"until,omitzero"`
	Version    int64                `json:"version"`
}

func auditForm(e entitlement.Entitlement) any {
	return entitlementForm{e.Artifact, e.Repository, e.Versions.String(), e.From.UTC(), e.Until.UTC(), e.Version}
}

// changes returns the differences between the entitlements of a customer before and after: one change for each
// entitlement.
func changes(customerID string, before, after entitlement.Set) []audit.Change {
	var found []audit.Change
	add := func(action audit.Action, e entitlement.Entitlement, before, after any) {
		found = append(found, audit.Change{
			Action: action, Target: audit.Target{Kind: audit.Entitlement, ID: e.ID, Name: e.Repository}, CustomerID: customerID,
			Before: before, After: after,
		})
	}
	old := make(map[string]entitlement.Entitlement, len(before))
	for _, e := range before {
		old[e.ID] = e
	}
	for _, e := range after {
		was, existed := old[e.ID]
		switch {
		case !existed:
			add(audit.EntitlementCreated, e, nil, auditForm(e))
		case !reflect.DeepEqual(auditForm(was), auditForm(e)):
			add(audit.EntitlementUpdated, e, auditForm(was), auditForm(e))
		}
		delete(old, e.ID)
	}
	for _, e := range before {
		if _, isGone := old[e.ID]; isGone {
			add(audit.EntitlementDeleted, e, auditForm(e), nil)
		}
	}
	return found
}
