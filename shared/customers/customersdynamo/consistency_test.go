package customersdynamo_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/search"
	"portside/shared/testkit/liststest"
)

// statuses are the positions of the labels in the counters.
var statuses = []string{"active", "suspended"}

// check compares everything that the tables derive from the customers with the customers themselves: markers, lists, all counters, terms,
// the sequence of numbers, and the states in the credentials table. It reads raw items and shares no code with the store. It returns the
// number of customers.
func (d *fixture) check(t *testing.T) int {
	t.Helper()
	wanted, found := map[string]string{}, map[string]string{}
	counted, counts := liststest.Counts{}, liststest.Counts{}
	customers, last, next := 0, int64(-1), int64(0)
	for _, item := range liststest.Scan(t, d.client, d.table) {
		pk, sk := liststest.Text(item, "pk"), liststest.Text(item, "sk")
		switch kind, _, _ := strings.Cut(pk, "#"); {
		case kind == "customer":
			customers++
			number := liststest.Number(item, "number")
			last = max(last, number)
			expect(wanted, item, number)
			counted.Count("customers", number, slices.Index(statuses, liststest.Text(item, "status")))
		case kind == "slug", kind == "external":
			found[pk+" "+sk] = liststest.Text(item, "customer")
		case kind == "list":
			found[pk+" "+sk] = listed(item)
		case kind == "search":
			liststest.AddTerm(found, item)
		case sk == "sequence":
			next = liststest.Number(item, "next")
		case kind == "rank":
			counts.Read(item)
		}
	}
	if next <= last {
		t.Errorf("the next number is %d, but a customer has number %d", next, last)
	}
	counted.AddTo(wanted)
	counts.AddTo(found)
	d.addStates(t, found)
	liststest.Compare(t, wanted, found)
	return customers
}

// expect adds the items that the tables must have for a customer.
func expect(wanted map[string]string, item liststest.Item, number int64) {
	id, slug, external := liststest.Text(item, "id"), liststest.Text(item, "slug"), liststest.Text(item, "externalId")
	wanted["slug#"+slug+" slug"] = id
	if external != "" {
		wanted["external#"+external+" external"] = id
	}
	status := liststest.Text(item, "status")
	for _, list := range []string{"all", status} {
		wanted[fmt.Sprintf("list#%s %010d", list, number)] = listed(item)
	}
	liststest.AddTermsOf(wanted, id, search.TermsOf(liststest.Text(item, "name"), slug, external))
	wanted["state of "+id] = stateOf(item, status == "suspended")
}

// addStates adds the states of customers in the credentials table. Entitlements must have a state with their version.
func (d *fixture) addStates(t *testing.T, found map[string]string) {
	t.Helper()
	current, entitled := map[string]int64{}, map[string]int64{}
	for _, item := range liststest.Scan(t, d.client, d.credentials) {
		id, isCustomers := strings.CutPrefix(liststest.Text(item, "pk"), "customer#")
		switch {
		case isCustomers && liststest.Text(item, "sk") == "entitlements":
			entitled[id] = liststest.Number(item, "version")
		case isCustomers:
			suspended, _ := item["suspended"].(*types.AttributeValueMemberBOOL)
			found["state of "+id] = stateOf(item, suspended != nil && suspended.Value)
			if version := liststest.Number(item, "entitlements"); version > 0 {
				current[id] = version
			}
		}
	}
	if !maps.Equal(current, entitled) {
		t.Errorf("the states have the versions of entitlements %v, want %v", current, entitled)
	}
}

func stateOf(item liststest.Item, suspended bool) string {
	return fmt.Sprint(suspended, " ", liststest.Number(item, "maxUsers"), " ", liststest.Number(item, "maxRequests"))
}

func listed(item liststest.Item) string {
	return fmt.Sprintf("%s %q %s %s %q %d", liststest.Text(item, "id"), liststest.Text(item, "name"), liststest.Text(item, "slug"),
		liststest.Text(item, "status"), liststest.Text(item, "externalId"), liststest.Number(item, "created"))
}
