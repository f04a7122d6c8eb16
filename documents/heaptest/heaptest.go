// Package heaptest measures the memory that code needs, for tests.
package heaptest

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// measurements is how often Peak measures at most.
const measurements = 5

// Peak returns by how many bytes the live heap grew at most while do ran. Garbage counts until the collector has found
// it, which on a busy machine is late at times. Garbage only adds to the growth, so Peak measures again if the growth
// exceeds the limit, and returns the smallest growth.
func Peak(limit uint64, do func()) uint64 {
	least := growth(do)
	for n := 1; n < measurements && least > limit; n++ {
		least = min(least, growth(do))
	}
	return least
}

// growth measures once. It makes the garbage collector run often, so that little garbage counts.
func growth(do func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC()
	before, most := heap(), uint64(0)
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, heap())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	do()
	close(done)
	watcher.Wait()
	return max(most, heap(), before) - before // the watcher may have had no processor
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return min(sample[0].Value.Uint64(), math.MaxInt64)
}
