package customersdynamo

import (
	"testing"

	"portside/shared/customers"
	"portside/shared/testkit/fieldstest"
)

func TestItemKeepsEachField(t *testing.T) {
	customer := fieldstest.Filled[customers.Customer](t)
	customer.Users = 0 // in the state of the customer
	fieldstest.WantSame(t, "customerItem", newCustomerItem(customer).customer(), customer)
	listed := fieldstest.Filled[listItem](t)
	fieldstest.WantSame(t, "listItem", listForm(listed.customer()), listed)
}

func TestFormsHaveEachField(t *testing.T) {
	fieldstest.WantUsed(t, "the list form", listForm,
		"Contacts", "MaxUsers", "MaxRequests", "Metadata", "Users", "UpdatedAt", "Number", "Version")
	fieldstest.WantUsed(t, "the audit form", auditForm, "ID", "Users", "CreatedAt", "UpdatedAt", "Number")
}
