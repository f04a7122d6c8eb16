package resources

import (
	"testing"

	"portside/cmd/portside/cli"
	"portside/shared/testkit/fieldstest"
)

// rowOf returns the function that returns the values of all columns of an item.
func rowOf[T any](columns []cli.Column[T]) func(T) []any {
	return func(item T) []any {
		row := make([]any, len(columns))
		for i, c := range columns {
			row[i] = c.Value(item)
		}
		return row
	}
}

// TestColumnsHaveEachField fails for a new field of a response that no column shows.
func TestColumnsHaveEachField(t *testing.T) {
	t.Parallel()
	unknown := &names{}
	fieldstest.WantUsed(t, "portside users list", rowOf(listedUserColumns(unknown)))
	fieldstest.WantUsed(t, "portside users get", rowOf(userColumns(unknown)))
	fieldstest.WantUsed(t, "portside users invite", rowOf(invitationColumns()))
	fieldstest.WantUsed(t, "portside tokens list", rowOf(tokenColumns()), "Line", "Makers")
	fieldstest.WantUsed(t, "portside tokens create", rowOf(newTokenColumns()), "CreatedAt", "Line", "RotatedFrom")
	fieldstest.WantUsed(t, "portside projects list", rowOf(listedProjectColumns(unknown)))
	fieldstest.WantUsed(t, "portside projects get", rowOf(projectColumns(unknown)))
	fieldstest.WantUsed(t, "portside pulls", rowOf(pullColumns("pull")))
	fieldstest.WantUsed(t, "portside customers list", rowOf(listedCustomerColumns()))
	fieldstest.WantUsed(t, "portside customers get", rowOf(customerColumns()))
	fieldstest.WantUsed(t, "portside entitlements list", rowOf(entitlementColumns()))
	fieldstest.WantUsed(t, "portside trust-policies list", rowOf(trustPolicyColumns()))
	fieldstest.WantUsed(t, "portside requests list", rowOf(requestColumns()), "Decider", "Deciders", "Events", "Makers")
	fieldstest.WantUsed(t, "portside audit --csv", rowOf(auditFields()))
	fieldstest.WantUsed(t, "portside audit", rowOf(auditColumns(unknown)), "ID", "RequestID")
}
