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
	item.Versions = ">=1.2.0 <3.0.0"
	decoded, err := item.Decode()
	if err != nil {
		t.Fatal(err)
	}
	fieldstest.WantFilled(t, "Decode", decoded)
	fieldstest.WantSame(t, "Entitlement", NewEntitlementItem(decoded), item)

	all := Entitlements{All: entitlement.Set{decoded}, Version: 3}
	stored := newEntitlementsItem("c", all)
	fieldstest.WantFilled(t, "newEntitlementsItem", stored)
	again, err := stored.decode()
	if err != nil {
		t.Fatal(err)
	}
	fieldstest.WantSame(t, "entitlementsItem", again, all)
}

// What is stored and cannot be read is an error, so that nobody takes it for less or more than the customer has.
func TestBadConstraintIsAnError(t *testing.T) {
	stored := entitlementsItem{Version: 1, Entitlements: []EntitlementItem{{ID: "e", Versions: "latest"}}}
	if found, err := stored.decode(); err == nil {
		t.Errorf("decoded %+v", found)
	}
}
