package trustdynamo

import (
	"testing"

	"portside/shared/core/audit"
	"portside/shared/testkit/fieldstest"
	"portside/shared/trust"
)

func TestItemKeepsEachField(t *testing.T) {
	policy := fieldstest.Filled[trust.Policy](t)
	fieldstest.WantSame(t, "policyItem", newPolicyItem(policy).policy(), policy)
}

func TestEventsHaveEachField(t *testing.T) {
	fieldstest.WantUsed(t, "the audit event", func(p trust.Policy) audit.Change {
		return change(audit.TrustPolicyCreated, trust.Policy{}, p)
	}, "CreatedAt", "UpdatedAt")
}
