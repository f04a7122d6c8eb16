package stack_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"portside/testclient"
)

const fullDisk = "the disk of .local/data is full"

// A test cannot fill a disk, so it replaces the free space.
func TestFullDiskIsReportedOnce(t *testing.T) {
	o := options(repo(t))
	var isFull atomic.Bool
	var looks atomic.Int64
	o.FreeBytes = func(string) (float64, error) {
		defer looks.Add(1)
		if isFull.Load() {
			return 0, nil
		}
		return 1 << 30, nil
	}
	s := start(t, o)
	for n, full := range []bool{false, true, true, false, true} {
		isFull.Store(full)
		perform(t, s.Info().API, step{"POST", "/crash", "", 500, ""})
		await(t, "a look at the disk", func() bool { return looks.Load() > int64(n) }) // the stack logs a request after its response
	}
	reports := func() int { return strings.Count(o.Log.(*testclient.Log).String(), fullDisk) }
	await(t, "two reports", func() bool { return reports() >= 2 })
	if got := reports(); got != 2 {
		t.Errorf("%d reports, want 2", got)
	}
}

func TestStartOnFullDisk(t *testing.T) {
	o := options(repo(t))
	o.FreeBytes = func(string) (float64, error) { return 0, nil }
	o.Parameters = map[string]string{"Unknown": "x"} // any failure
	if got := startError(t, o); !strings.HasPrefix(got, fullDisk+": free some space and start again (") {
		t.Error(got)
	}
}
