package usersdynamo

import (
	"slices"
	"testing"

	"portside/shared/dynamo/items"
	"portside/shared/testkit/fieldstest"
	"portside/shared/users"
)

func TestItemKeepsEachField(t *testing.T) {
	user := fieldstest.Filled[users.User](t)
	fieldstest.WantSame(t, "userItem", newUserItem(user).user(), user)
	listed := fieldstest.Filled[listItem](t)
	fieldstest.WantSame(t, "listItem", newListItem(listed.user()), listed)
}

// An update sets or removes each attribute, except the key and the last sign-in, which an unrelated change must keep.
func TestUpdateWritesEachAttribute(t *testing.T) {
	before := fieldstest.Filled[users.User](t)
	after := users.User{ID: before.ID, LastLoginAt: before.LastLoginAt}
	plan := &plan{store: &Store{}}
	update := plan.updateUser(before, after).Update
	for name := range items.Encode(newUserItem(before)) {
		if _, written := update.ExpressionAttributeNames["#"+name]; written == slices.Contains([]string{"pk", "sk", "lastLogin"}, name) {
			t.Errorf("the update writes the attribute %s: %v", name, written)
		}
	}
}

func TestFormsHaveEachField(t *testing.T) {
	fieldstest.WantUsed(t, "the list form", newListItem,
		"Department", "Metadata", "UpdatedAt", "LastLoginAt", "Number", "Version", "LinkID", "History")
	fieldstest.WantUsed(t, "the audit form", auditForm, "CreatedAt", "UpdatedAt", "LastLoginAt", "Number", "LinkID", "History")
}
