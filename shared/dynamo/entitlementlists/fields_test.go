package entitlementlists

import (
	"testing"

	"portside/shared/core/entitlement"
	"portside/shared/testkit/fieldstest"
)

func TestItemsKeepEachField(t *testing.T) {
	item := fieldstest.Filled[Item](t)
	decoded := item.Entitlement()
	fieldstest.WantFilled(t, "Entitlement", decoded)
	fieldstest.WantSame(t, "Item", NewItem(decoded), item)

	list := List{All: entitlement.Set{decoded}, Version: 3}
	stored := newListItem("c", list)
	fieldstest.WantFilled(t, "newListItem", stored)
	fieldstest.WantSame(t, "listItem", stored.list(), list)
}
