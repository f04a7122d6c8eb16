package audit_test

import (
	"testing"
	"time"

	"portside/shared/core/audit"
)

func TestTimeOfIsTheInverseOfFirstID(t *testing.T) {
	at := time.Date(2026, 11, 28, 1, 2, 3, 4000, time.UTC)
	if got, isID := audit.TimeOf(audit.FirstID(at) + "-abc"); !isID || !got.Equal(at) {
		t.Errorf("got %v, %v", got, isID)
	}
	for _, id := range []string{"", "0", "+0064abcdef0123", "0064ABCDEF01234", "zzzzzzzzzzzzzz", "-0000000000001"} {
		if got, isID := audit.TimeOf(id); isID {
			t.Errorf("%q has the time %v", id, got)
		}
	}
}
