package server

import (
	"testing"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
)

func TestFaultCanHaveACodeOfItsOwn(t *testing.T) {
	taken := fault.NewFinal(fault.Conflict, "taken").Coded("EMAIL_TAKEN")
	for err, code := range map[error]string{
		taken: "EMAIL_TAKEN", taken.After(time.Second): "EMAIL_TAKEN", fault.New(fault.Conflict, "other"): "CONFLICT",
		idempotency.ErrReused: "IDEMPOTENCY_KEY_REUSED",
	} {
		if p := ProblemOf(err); p.Code != code {
			t.Errorf("%v: %d %s, want %s", err, p.Status, p.Code, code)
		}
	}
}
