package projects

import (
	"testing"

	"portside/shared/testkit/fieldstest"
)

func TestNewProjectKeepsEachField(t *testing.T) {
	input := fieldstest.Filled[NewProject](t)
	fieldstest.WantCarried(t, input, input.Apply(Project{}))
}

func TestChangeAppliesEachField(t *testing.T) {
	change := fieldstest.Filled[Change](t)
	fieldstest.WantCarried(t, change, change.Apply(Project{}), "IsPatch")
}

func TestEachFieldIsChecked(t *testing.T) {
	fieldstest.WantChecked(t, NewProject.Check)
	fieldstest.WantChecked(t, Change.Check)
}
