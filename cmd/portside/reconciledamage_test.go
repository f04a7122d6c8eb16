package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/shared/analytics"
	"portside/shared/items"
	"portside/shared/liststest"
)

// again delivers lines of a part that was counted once more.
func (a *archive) again(p analytics.Part, first, last int) analytics.Part {
	a.t.Helper()
	p.Lines = p.Lines[first:last]
	counted, err := a.rec.Record(a.t.Context(), p)
	a.must(err)
	return counted
}

// A day that has lost what it knows of its parts, or all of it, counts no line once more.
func TestADamagedDayCountsNoLineAgain(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(a *archive, partition string){
		"no item":  func(a *archive, partition string) { a.unset(partition, a.day(0)) },
		"span 0":   func(a *archive, partition string) { a.set(partition, a.day(0), "span", items.Number(0)) },
		"below 0":  func(a *archive, partition string) { a.set(partition, a.day(0), "span", items.Number(-9)) },
		"no count": func(a *archive, partition string) { a.set(partition, a.day(0), "version", items.Number(0)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArchive(t)
			a.fill()
			sound := a.counted()
			for log, partition := range map[analytics.Log]string{analytics.AccessLog: "requests", analytics.ModelLog: "usage"} {
				damage(a, partition)
				if counted := a.again(a.part(log, "0123456789abcdef", a.begin), 20, 35); len(counted.Lines) > 0 {
					t.Errorf("%s: %d lines counted again", log, len(counted.Lines))
				}
			}
			a.expect(a.reconcile("--fix"), 0, "")
			a.expect(a.reconcile(), 0, "")
			if diff := cmp.Diff(sound, a.counted(), compareValues()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Lines that were counted twice all the same are found, and counted once.
func TestReconcileCountsEachLineOnce(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.fill()
	for log, partition := range map[analytics.Log]string{analytics.AccessLog: "requests", analytics.ModelLog: "usage"} {
		a.set(partition, a.day(0), "span", items.Number(1))
		all := a.part(log, "0123456789abcdef", a.begin)
		for _, stretch := range [][2]int{{10, 16}, {25, 29}, {12, 18}} {
			if n := len(a.again(all, stretch[0], stretch[1]).Lines); n == 0 {
				t.Fatalf("%s: what this test mends did not happen", log)
			}
		}
	}
	got := a.expect(a.reconcile(), 1, "numbers differ")
	for _, log := range []analytics.Log{analytics.AccessLog, analytics.ModelLog} {
		if line := fmt.Sprintf("%-8s  %-26s  %14d  %14d\n", log, "lines counted twice", 12, 0); !strings.Contains(got.stdout, line) {
			t.Errorf("it does not say %q:\n%s", line, got.stdout)
		}
	}
	a.expect(a.reconcile("--fix"), 0, "")
	if got := a.expect(a.reconcile(), 0, ""); !strings.HasPrefix(got.stdout, "0 numbers that differ") {
		t.Error(got.stdout)
	}
	for log, want := range map[string]int64{"requests": 4 * 39, "usage": 2 * 39} { // of 40 lines one cannot be read
		name := map[string]string{"requests": "calls", "usage": "modelCalls"}[log]
		if n := liststest.Number(a.counted()[log+" "+a.day(0)], name); n != want {
			t.Errorf("%s: %d, want %d", log, n, want)
		}
	}
	a.set("requests", a.day(0), "errors", items.Number(1))
	if got := a.expect(a.reconcile(), 1, "1 numbers differ"); strings.Contains(got.stdout, "twice") {
		t.Error(got.stdout)
	}
}
