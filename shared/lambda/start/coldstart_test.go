package start

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestDelayCollectionDelaysOnlyTheFirst(t *testing.T) {
	usual := gcPercent()
	delayCollection()
	if delayed := gcPercent(); delayed <= usual {
		t.Fatalf("GC percent is %d, want more than %d", delayed, usual)
	}
	deadline := time.After(time.Minute)
	for gcPercent() != usual { // the cleanup runs some time after the collection
		select {
		case <-deadline:
			t.Fatalf("GC percent is still %d after a collection, want %d", gcPercent(), usual)
		default:
			runtime.GC()
		}
	}
}

// gcPercent reads the setting without changing it. SetGCPercent also returns it, but the cleanup may run between the
// two calls that then are necessary, and the second one would undo what the cleanup has done.
func gcPercent() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
