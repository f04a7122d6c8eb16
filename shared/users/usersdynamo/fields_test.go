package usersdynamo

import (
	"testing"

	"portside/shared/testkit/fieldstest"
	"portside/shared/users"
)

func TestItemKeepsEachField(t *testing.T) {
	user := fieldstest.Filled[users.User](t)
	fieldstest.WantSame(t, "userItem", newUserItem(user).user(), user)
	listed := fieldstest.Filled[listItem](t)
	fieldstest.WantSame(t, "listItem", newListItem(listed.user()), listed)
}

func TestFormsHaveEachField(t *testing.T) {
	fieldstest.WantUsed(t, "the list form", newListItem,
		"Department", "Metadata", "UpdatedAt", "LastLoginAt", "Number", "Version", "LinkID", "History")
	fieldstest.WantUsed(t, "the audit form", auditForm, "ID", "CreatedAt", "UpdatedAt", "LastLoginAt", "Number", "LinkID",
		"History")
}
