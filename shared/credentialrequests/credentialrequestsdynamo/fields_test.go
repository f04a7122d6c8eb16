package credentialrequestsdynamo

import (
	"testing"

	"portside/shared/credentialrequests"
	"portside/shared/testkit/fieldstest"
)

func TestItemKeepsEachField(t *testing.T) {
	request := fieldstest.Filled[credentialrequests.Request](t)
	fieldstest.WantSame(t, "requestItem", newRequestItem(request).request(), request)
}

func TestAuditFormHasEachField(t *testing.T) {
	fieldstest.WantUsed(t, "the audit form", auditForm,
		"CustomerID", "CreatedAt", "DueAt", "CollectBy", "Events", "Next", "Makers", "Deciders")
}
