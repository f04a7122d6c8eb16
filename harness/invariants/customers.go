package invariants

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/search"
	"portside/shared/testkit/liststest"
)

// customerStatuses are the statuses of customers, in the order of their counters.
var customerStatuses = []string{"active", "suspended"}

// checkCustomers compares the markers, the lists, the counters, the terms of searches, the sequence of numbers, and the
// states in the table of credentials with the customers.
func checkCustomers(broken *report, all, secrets []row) {
	wanted, found := map[string]string{}, map[string]string{}
	counted, counts := liststest.Counts{}, liststest.Counts{}
	made := map[string]string{}
	for _, item := range all {
		switch item.kind() {
		case "customer":
			expectCustomer(wanted, item)
			counted.Count("customers", item.Number, slices.Index(customerStatuses, item.Status))
		case "slug", "external":
			found[item.PK] = liststest.Text(item.raw, "customer")
		case "list":
			found[item.PK+" "+item.SK] = listedCustomer(item)
		case "search":
			liststest.AddTerm(found, item.raw)
		case "rank":
			counts.Read(item.raw)
		case "once":
			checkEffect(broken, "customers", made, item)
		}
	}
	counted.AddTo(wanted)
	counts.AddTo(found)
	addStates(found, secrets)
	compare(broken, "customers", wanted, found)
	checkCustomerNumbers(broken, all)
}

// expectCustomer adds the items that the tables must have for a customer.
func expectCustomer(wanted map[string]string, customer row) {
	slug, externalID := liststest.Text(customer.raw, "slug"), liststest.Text(customer.raw, "externalId")
	wanted["slug#"+slug] = customer.ID
	if externalID != "" {
		wanted["external#"+externalID] = customer.ID
	}
	for _, list := range []string{"all", customer.Status} {
		wanted[fmt.Sprintf("list#%s %010d", list, customer.Number)] = listedCustomer(customer)
	}
	liststest.AddTermsOf(wanted, customer.ID, search.TermsOf(customer.Name, slug, externalID))
	wanted["the state of "+customer.ID] = stateOf(customer.raw, customer.Status == "suspended")
}

// addStates adds the states of customers in the table of credentials.
func addStates(found map[string]string, secrets []row) {
	for _, item := range secrets {
		if !item.isState() {
			continue
		}
		suspended, _ := item.raw["suspended"].(*types.AttributeValueMemberBOOL)
		found["the state of "+item.after()] = stateOf(item.raw, suspended != nil && suspended.Value)
	}
}

// checkMembers compares the numbers of users of customers with the users.
func checkMembers(broken *report, secrets []row, known owners) {
	wanted, found := map[string]string{}, map[string]string{}
	members := map[string]int{}
	for _, user := range known.users {
		if of := customerOf(user); of != "" {
			members[of]++
		}
	}
	for id, n := range members {
		wanted["the users of "+id] = strconv.Itoa(n)
	}
	for _, item := range secrets {
		if n := liststest.Number(item.raw, "users"); item.isState() && n != 0 {
			found["the users of "+item.after()] = strconv.FormatInt(n, 10)
		}
	}
	compare(broken, "customers", wanted, found)
}

func stateOf(item liststest.Item, suspended bool) string {
	users, requests := liststest.Number(item, "maxUsers"), liststest.Number(item, "maxRequests")
	return fmt.Sprintf("suspended %v, limits %d users, %d requests", suspended, users, requests)
}

// checkCustomerNumbers checks that the next number was never given to a customer.
func checkCustomerNumbers(broken *report, all []row) {
	next := int64(0)
	for _, item := range all {
		if item.kind() == "rank" && item.SK == "sequence" {
			next = liststest.Number(item.raw, "next")
		}
	}
	for _, item := range all {
		if item.kind() == "customer" && item.Number >= next {
			broken.add("customers: the next number is %d, but %s has number %d", next, item.ID, item.Number)
		}
	}
}

func listedCustomer(r row) string {
	slug, externalID := liststest.Text(r.raw, "slug"), liststest.Text(r.raw, "externalId")
	return fmt.Sprintf("%s %q %s %s %q %d", r.ID, r.Name, slug, r.Status, externalID, r.Created)
}
