package heaptest_test

import (
	"runtime"
	"testing"

	"portside/documents/heaptest"
)

// TestPeakFindsWhatIsAllocated keeps 64 MB during the run, which is more than other goroutines of the test need.
func TestPeakFindsWhatIsAllocated(t *testing.T) {
	const size, limit = 64 << 20, 1 << 20
	runs := 0
	grown := heaptest.Peak(limit, func() {
		runs++
		kept := make([]byte, size)
		runtime.GC() // kept is not garbage
		runtime.KeepAlive(kept)
	})
	if grown < size || runs != 5 {
		t.Errorf("grew by %d bytes in the smallest of %d runs, want %d in 5", grown, runs, size)
	}
	if grown := heaptest.Peak(size, func() {}); grown >= size {
		t.Errorf("nothing grew by %d bytes", grown)
	}
}
