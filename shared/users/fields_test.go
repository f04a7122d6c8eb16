package users

import (
	"testing"
	"time"

	"portside/shared/testkit/fieldstest"
)

func TestNewUserKeepsEachField(t *testing.T) {
	input := fieldstest.Filled[NewUser](t)
	user := input.Normal().user("id", time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	fieldstest.WantCarried(t, input, user, "ActivationEmail")
}

func TestChangeAppliesEachField(t *testing.T) {
	change := fieldstest.Filled[Change](t)
	fieldstest.WantCarried(t, change, change.Apply(User{}), "IsPatch")
}

func TestEachFieldIsChecked(t *testing.T) {
	fieldstest.WantChecked(t, NewUser.Check)
	fieldstest.WantChecked(t, Change.Check)
}
