package invariants

import (
	"fmt"
	"slices"
	"strconv"

	"portside/shared/core/search"
	"portside/shared/testkit/liststest"
)

// roles are the roles in the order of the labels of the lists.
var roles = []string{"admin", "manager", "user", "viewer"}

// states are the statuses of users in the order of the states of the lists.
var states = []string{"active", "pending", "inactive", "suspended"}

// userKinds are the kinds of items of the users table.
var userKinds = []string{"user", "email", "list", "rank", "search", "admins", "once", "unsent", "closings", "gone",
	"layout"}

// owners are the users, and the changes of users that have not reached all credentials.
type owners struct {
	users    map[string]row
	closings map[string]bool
}

// checkUsers compares everything that the table derives from its users with the users.
func checkUsers(broken *report, all []row) owners {
	known := owners{users: map[string]row{}, closings: map[string]bool{}}
	for _, item := range all {
		if !slices.Contains(userKinds, item.kind()) {
			broken.add("users: %s has an unknown kind", item.PK)
		}
		switch item.kind() {
		case "user":
			known.users[item.ID] = item
		case "closings":
			known.closings[item.SK] = true
		}
	}
	compare(broken, "users", expected(known.users), derived(all))
	checkAdmins(broken, all, known.users)
	checkPointers(broken, all, known.users)
	return known
}

// expected are the items that the table must have for its users.
func expected(all map[string]row) map[string]string {
	wanted, counters := map[string]string{}, liststest.Counts{}
	for _, user := range all {
		number := fmt.Sprintf("%010d", user.Number)
		wanted["email#"+user.Email] = user.ID
		label, state := slices.Index(roles, user.Role), slices.Index(states, user.Status)
		for _, list := range []string{"all", user.Role, "all#" + user.Status, user.Role + "#" + user.Status} {
			wanted["list#"+list+" "+number] = listed(user)
			if of := customerOf(user); of != "" {
				wanted["list#"+of+"#"+list+" "+number] = listed(user)
			}
		}
		liststest.AddTerms(wanted, user.ID, user.Email, user.Name)
		counters.CountState("users", user.Number, label, state)
		if of := customerOf(user); of != "" {
			liststest.AddTermsIn(of, wanted, user.ID, search.Terms(user.Email, user.Name))
			counters.CountState("users#"+of, user.Number, label, state)
		}
	}
	counters.AddTo(wanted)
	return wanted
}

// derived are the items that the table has for its users.
func derived(all []row) map[string]string {
	found, counters := map[string]string{}, liststest.Counts{}
	for _, item := range all {
		switch item.kind() {
		case "email":
			found[item.PK] = item.User
		case "list":
			found[item.PK+" "+item.SK] = listed(item)
		case "search":
			liststest.AddTerm(found, item.raw)
		case "rank":
			counters.Read(item.raw)
		}
	}
	counters.AddTo(found)
	return found
}

func listed(r row) string {
	return fmt.Sprintf("%s %s %q %s %s %s %d", r.ID, r.Email, r.Name, customerOf(r), r.Role, r.Status, r.Created)
}

// customerOf returns the customer of a user, of a project or of the owner of a credential; empty for the vendor.
func customerOf(r row) string { return liststest.Text(r.raw, "customer") }

// checkAdmins checks the number of active admins, which is never 0 once there was one.
func checkAdmins(broken *report, all []row, users map[string]row) {
	acting := int64(0)
	for _, user := range users {
		if user.Role == "admin" && user.Status == "active" && customerOf(user) == "" {
			acting++
		}
	}
	for _, item := range all {
		if item.kind() == "admins" && item.N != acting {
			broken.add("users: the number of active admins is %d, want %d", item.N, acting)
		}
		if item.kind() == "admins" && acting == 0 {
			broken.add("users: there is no active admin")
		}
	}
}

// checkPointers checks the sequence of numbers, the unsent mails and the idempotency keys.
func checkPointers(broken *report, all []row, users map[string]row) {
	effects := map[string]string{}
	for _, item := range all {
		switch {
		case item.kind() == "rank" && item.SK == "sequence":
			checkSequence(broken, item, users)
		case item.kind() == "unsent" && users[item.SK].Status != "pending":
			broken.add("users: an invitation is unsent, but its user %s is not pending", item.SK)
		case item.kind() == "once":
			checkEffect(broken, "users", effects, item)
		}
	}
}

func checkSequence(broken *report, sequence row, users map[string]row) {
	for _, user := range users {
		if user.Number >= liststest.Number(sequence.raw, "next") {
			broken.add("users: the next number is %s, but the user %s has number %d",
				strconv.FormatInt(liststest.Number(sequence.raw, "next"), 10), user.ID, user.Number)
		}
	}
}
