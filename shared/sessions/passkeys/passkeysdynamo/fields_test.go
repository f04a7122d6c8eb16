package passkeysdynamo

import (
	"testing"

	"portside/shared/sessions/passkeys"
	"portside/shared/testkit/fieldstest"
)

func TestItemKeepsEachField(t *testing.T) {
	passkey := fieldstest.Filled[passkeys.Passkey](t)
	fieldstest.WantSame(t, "passkeyItem", newPasskeyItem(passkey).passkey(), passkey)
}
