package office_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/documents"
	"portside/documents/office"
)

// A whole row is in memory until its role is known, so a few kilobytes must not unpack to a row of millions of cells.
func TestRowsAreBounded(t *testing.T) {
	const maxGrowth, cells = 64 << 20, 300_000
	sheet := func(row string) []byte {
		return open(t, "spreadsheet", "<table><table-row>"+row+"</table-row></table>")
	}
	for name, file := range map[string][]byte{
		"cells":           sheet(strings.Repeat("<table-cell><p>x</p></table-cell>", cells)),
		"repeated letter": sheet(`<table-cell number-columns-repeated="16384"><p>` + strings.Repeat("x", 1<<20) + "</p></table-cell>"),
	} {
		t.Run(name, func(t *testing.T) {
			var into *documents.Builder
			grown := peak(maxGrowth, func() {
				into = documents.NewBuilder(documents.ODS, documents.DefaultLimits())
				_ = office.ReadODS(t.Context(), source(file), into) // other tests check the error
			})
			if d := into.Document(); len(d.Blocks) == 0 {
				t.Error("nothing of it is read")
			}
			if grown > maxGrowth {
				t.Errorf("it took %d MB", grown>>20)
			}
		})
	}
}

// measurements is how often peak measures at most.
const measurements = 5

// peak returns by how much the live heap grew at most. Garbage counts until the collector has found it, which on a busy machine is late at
// times. Garbage only adds to the growth, so peak measures again if the growth exceeds the limit, and returns the smallest growth.
func peak(limit uint64, do func()) uint64 {
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
	return max(most, before) - before
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return min(sample[0].Value.Uint64(), math.MaxInt64)
}
