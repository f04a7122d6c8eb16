package entitlements

import (
	"testing"

	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/testkit/fieldstest"
)

// constraint is what fieldstest cannot make up.
const constraint = ">=1.2.0 <3.0.0"

func TestNewKeepsEachField(t *testing.T) {
	input := fieldstest.Filled[New](t)
	input.Versions = constraint
	applied := input.Apply(entitlement.Entitlement{})
	fieldstest.WantCarried(t, input, applied, "Versions")
	if applied.Versions.String() != constraint {
		t.Errorf("the versions are %q", applied.Versions)
	}
}

func TestChangeAppliesEachField(t *testing.T) {
	change := fieldstest.Filled[Change](t)
	*change.Versions = constraint
	applied := change.Apply(entitlement.Entitlement{})
	fieldstest.WantCarried(t, change, applied, "Versions")
	if applied.Versions.String() != constraint {
		t.Errorf("the versions are %q", applied.Versions)
	}
}

// A change without fields changes nothing.
func TestEmptyChangeKeepsEachField(t *testing.T) {
	versions, err := constraints.Parse(constraint)
	if err != nil {
		t.Fatal(err)
	}
	input := fieldstest.Filled[New](t)
	input.Versions = constraint
	before := input.Apply(entitlement.Entitlement{ID: "e", Versions: versions, Version: 3})
	fieldstest.WantSame(t, "Change.Apply", Change{}.Apply(before), before)
}

func TestEachFieldIsChecked(t *testing.T) {
	fieldstest.WantChecked(t, New.Check)
	fieldstest.WantChecked(t, Change.Check)
}
