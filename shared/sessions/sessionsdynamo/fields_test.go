package sessionsdynamo

import (
	"testing"

	"portside/shared/sessions"
	"portside/shared/testkit/fieldstest"
)

func TestItemKeepsEachField(t *testing.T) {
	request := fieldstest.Filled[sessions.Request](t)
	fieldstest.WantSame(t, "requestItem", newRequestItem(request).request(), request)
}
