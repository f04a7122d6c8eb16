package credentialsdynamo

import (
	"testing"

	"portside/shared/core/entitlement"
	"portside/shared/credentials"
	"portside/shared/testkit/fieldstest"
)

func TestRecordKeepsEachField(t *testing.T) {
	credential := fieldstest.Filled[credentials.Credential](t)
	fieldstest.WantSame(t, "record", newRecord(credential).credential(), credential)
}

func TestEntitlementItemKeepsEachField(t *testing.T) {
	item := fieldstest.Filled[EntitlementItem](t)
	decoded := item.Decode()
	fieldstest.WantFilled(t, "Decode", decoded)
	fieldstest.WantSame(t, "Entitlement", NewEntitlementItem(decoded), item)

	all := Entitlements{All: entitlement.Set{decoded}, Version: 3}
	stored := newEntitlementsItem("c", all)
	fieldstest.WantFilled(t, "newEntitlementsItem", stored)
	fieldstest.WantSame(t, "entitlementsItem", stored.decode(), all)
}

func TestEventsHaveEachField(t *testing.T) {
	fieldstest.WantUsed(t, "the audit event", Revoked,
		"Hash", "CreatedAt", "LastUsedAt", "AuthenticatedAt", "Line", "LineEndsAt", "Exchanged", "Generation")
}
