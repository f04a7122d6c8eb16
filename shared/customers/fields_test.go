package customers

import (
	"testing"

	"portside/shared/testkit/fieldstest"
)

func TestNewCustomerKeepsEachField(t *testing.T) {
	input := fieldstest.Filled[NewCustomer](t)
	fieldstest.WantCarried(t, input, input.Apply(Customer{}))
}

func TestChangeAppliesEachField(t *testing.T) {
	change := fieldstest.Filled[Change](t)
	fieldstest.WantCarried(t, change, change.Apply(Customer{}), "IsPatch")
}

func TestEachFieldIsChecked(t *testing.T) {
	fieldstest.WantChecked(t, NewCustomer.Check)
	fieldstest.WantChecked(t, Change.Check)
}
