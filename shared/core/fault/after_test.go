package fault_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portside/shared/core/fault"
)

func TestAFaultWithAWaitIsStillTheSameFault(t *testing.T) {
	limit, other := fault.New(fault.RateLimited, "too many"), fault.New(fault.RateLimited, "too many")
	later := fmt.Errorf("count: %w", limit.After(time.Hour))
	if !errors.Is(later, limit) || errors.Is(later, other) {
		t.Error("errors.Is does not find exactly the original")
	}
	const detail = "too many The limit ends in 3600 seconds."
	if got := fault.As(later); got.RetryAfter != time.Hour || got.Detail != detail || limit.RetryAfter != 0 ||
		limit.Detail != "too many" {
		t.Errorf("got %+v, and the original is %+v", got, limit)
	}
}

// TestAFaultWithMoreTextIsStillTheSameFault adds text and a wait, in both orders.
func TestAFaultWithMoreTextIsStillTheSameFault(t *testing.T) {
	limit := fault.New(fault.Unavailable, "busy")
	for _, later := range []*fault.Error{limit.With(" with 3").After(time.Second),
		limit.After(time.Second).With(" with 3")} {
		if !errors.Is(later, limit) || later.Detail != "busy with 3" || later.RetryAfter != time.Second ||
			limit.Detail != "busy" {
			t.Errorf("%+v", later)
		}
	}
}
