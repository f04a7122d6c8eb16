package start

import (
	"runtime"
	"runtime/debug"
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

func gcPercent() int {
	current := debug.SetGCPercent(100)
	debug.SetGCPercent(current)
	return current
}
