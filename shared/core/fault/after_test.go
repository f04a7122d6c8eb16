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
	if got := fault.As(later); got.RetryAfter != time.Hour || got.Detail != limit.Detail || limit.RetryAfter != 0 {
		t.Errorf("got %+v, and the original is %+v", got, limit)
	}
}
