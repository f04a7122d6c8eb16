package entitlementsdynamo

import (
	"testing"

	"portside/shared/core/audit"
	"portside/shared/core/entitlement"
	"portside/shared/testkit/fieldstest"
)

func TestEventsHaveEachField(t *testing.T) {
	fieldstest.WantUsed(t, "the audit event", func(e entitlement.Entitlement) []audit.Change {
		return changes("acme", nil, entitlement.Set{e})
	}, "CreatedAt", "UpdatedAt")
}
