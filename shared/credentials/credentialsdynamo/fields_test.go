package credentialsdynamo

import (
	"testing"

	"portside/shared/credentials"
	"portside/shared/testkit/fieldstest"
)

func TestRecordKeepsEachField(t *testing.T) {
	credential := fieldstest.Filled[credentials.Credential](t)
	fieldstest.WantSame(t, "record", newRecord(credential).credential(), credential)
}

func TestEventsHaveEachField(t *testing.T) {
	fieldstest.WantUsed(t, "the audit event", Revoked,
		"Hash", "CreatedAt", "LastUsedAt", "AuthenticatedAt", "Line", "LineEndsAt", "Exchanged", "Generation")
}
