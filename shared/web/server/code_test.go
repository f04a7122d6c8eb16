package server

import (
	"testing"
	"time"

	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
)

func TestFaultCanHaveACodeOfItsOwn(t *testing.T) {
	taken := fault.NewFinal(fault.Conflict, "taken").Coded(errorcode.EmailTaken)
	for err, code := range map[error]errorcode.Code{
		taken: errorcode.EmailTaken, taken.After(time.Second): errorcode.EmailTaken, fault.New(fault.Conflict, "other"): errorcode.Conflict,
		idempotency.ErrReused: errorcode.IdempotencyKeyReused,
	} {
		if p := ProblemOf(err); p.Code != code {
			t.Errorf("%v: %d %s, want %s", err, p.Status, p.Code, code)
		}
	}
}
