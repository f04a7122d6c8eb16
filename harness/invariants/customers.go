package invariants

import (
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/testkit/liststest"
)

// checkCustomers compares everything that the tables derive from customers, such as the states in the table of
// credentials, with the customers.
func checkCustomers(broken *report, all, secrets []row) {
	wanted, found := map[string]string{}, map[string]string{}
	for _, item := range all {
		if item.kind() == "customer" {
			wanted["the state of "+item.ID] = stateOf(item.raw, item.Status == "suspended")
		}
	}
	addStates(found, secrets)
	broken.checkResources(customerShape, all, wanted, found)
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
