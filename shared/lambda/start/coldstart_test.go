package start_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"portside/shared/lambda/start"
)

func TestOnlyTheFirstCollectionIsLate(t *testing.T) {
	usual := percent()
	start.DelayCollection()
	if late := percent(); late <= usual {
		t.Fatalf("%d percent are no later than %d", late, usual)
	}
	deadline := time.After(time.Minute)
	for percent() != usual {
		select {
		case <-deadline:
			t.Fatalf("still %d percent after a collection, not %d", percent(), usual)
		default:
			runtime.GC()
		}
	}
}

func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}
