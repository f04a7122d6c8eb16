package customersdynamo

import (
	"context"
	"strings"

	"portside/shared/customers"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/rank"
)

// Rebuild makes the markers of slugs and external IDs, the lists, their counts and the terms of searches agree with the customers while
// other writers work; see lists.Rebuild. It does not touch the states in the credentials table.
func (s *Store) Rebuild(ctx context.Context, report func(lists.Progress)) (lists.Repairs, error) {
	return s.lists.Rebuild(ctx, lists.Source{
		Key: customerKey, Owner: ownerOf,
		Is: func(pk, sk string) bool { return sk == "customer" && strings.HasPrefix(pk, customerPK("")) },
		Read: func(item items.Map) (lists.Resource, error) {
			stored, err := items.Decode[customerItem](item)
			return s.resource(stored.customer()), err
		},
	}, report)
}

// ownerOf returns the attribute that names the customer of a derived item.
func ownerOf(pk string) string {
	if strings.HasPrefix(pk, slugPK("")) || strings.HasPrefix(pk, externalPK("")) {
		return "customer"
	}
	return lists.OwnerOf(pk)
}

// Items returns the items of a customer that Create writes, but the counters, which Rebuild computes. With it, tools fill tables quickly.
func (s *Store) Items(c customers.Customer) []items.Map {
	return append(s.resource(c).Derived, items.Encode(newCustomerItem(c)))
}

// resource returns the customer with all items that the table must have because of it.
func (s *Store) resource(c customers.Customer) lists.Resource {
	t := lists.Resource{ID: c.ID, Version: c.Version}
	if c.ID == "" || c.Slug == "" || !c.Status.Known() || c.Number < 0 || c.Number >= rank.Capacity {
		return t
	}
	t.Derived = append(s.lists.Items(entry(c)), items.Encode(slugMarker(c)))
	if c.ExternalID != "" {
		t.Derived = append(t.Derived, items.Encode(externalMarker(c)))
	}
	t.Derived = append(t.Derived, searchEntry(c).Items()...)
	return t
}
