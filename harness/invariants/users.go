package invariants

import (
	"slices"

	"portside/shared/testkit/liststest"
)

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
	broken.checkResources(userShape, all, map[string]string{}, map[string]string{})
	checkAdmins(broken, all, known.users)
	checkUnsent(broken, all, known.users)
	return known
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

// checkUnsent checks that only pending users wait for an invitation.
func checkUnsent(broken *report, all []row, users map[string]row) {
	for _, item := range all {
		if item.kind() == "unsent" && users[item.SK].Status != "pending" {
			broken.add("users: an invitation is unsent, but its user %s is not pending", item.SK)
		}
	}
}
